// The eigenvalues and eigenvectors of symmetric matrices, of which the lower triangle is read.
#ifndef SLIPSTREAM_CORE_LINALG_SPECTRUM_H_
#define SLIPSTREAM_CORE_LINALG_SPECTRUM_H_

#include "absl/status/statusor.h"
#include "core/linalg/types.h"

namespace slipstream {

struct Spectrum {
  Vector values;   // Ascending.
  Matrix vectors;  // One a column, orthonormal.
};

// FAILED_PRECONDITION if it is not found, as where an entry is not finite.
absl::StatusOr<Spectrum> SpectrumOf(const Matrix& symmetric);

// The eigenvalues alone, in less time; they are not finite where an entry is not.
Vector EigenvaluesOf(const Matrix& symmetric);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_LINALG_SPECTRUM_H_
