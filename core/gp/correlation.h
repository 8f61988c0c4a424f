// The correlation functions of stationary kernels, of the squared distance.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_GP_CORRELATION_H_
#define SLIPSTREAM_CORE_GP_CORRELATION_H_

#include "core/gp/kernel.h"
#include "core/linalg/types.h"

namespace slipstream {

using ArrayView = Eigen::Ref<Eigen::ArrayXd>;

// Turns squared distances s, none negative, into correlations c(s), in place.
void Correlate(Smoothness smoothness, ArrayView squared_distances);

// The same, and dc/ds into `slopes`; at s = 0, where that of Matern 1/2 is
// infinite, 0.
void CorrelateWithSlopes(Smoothness smoothness, ArrayView squared_distances, ArrayView slopes);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_CORRELATION_H_
