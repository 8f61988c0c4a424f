// Fingerprints of the results that a model is fitted to, as keys of what is cached for them.
#ifndef SLIPSTREAM_CORE_GP_DATA_FINGERPRINT_H_
#define SLIPSTREAM_CORE_GP_DATA_FINGERPRINT_H_

#include <cstdint>

#include "core/base/fingerprint.h"
#include "core/gp/likelihood.h"
#include "core/linalg/types.h"

namespace slipstream {

// Adds the shape and the numbers of a vector or matrix, in the order in which it holds them.
template <typename Numbers>
void AddNumbers(const Numbers& numbers, Fingerprint* fingerprint) {
  fingerprint->Add(static_cast<int64_t>(numbers.rows()));
  fingerprint->Add(static_cast<int64_t>(numbers.cols()));
  for (Index i = 0; i < numbers.size(); ++i) fingerprint->Add(numbers.data()[i]);
}

// Adds all of the results.
inline void AddData(const TrainingData& data, Fingerprint* fingerprint) {
  AddNumbers(data.x, fingerprint);
  AddNumbers(data.y, fingerprint);
  AddNumbers(data.repeats, fingerprint);
  AddNumbers(data.known_noise, fingerprint);
  AddNumbers(data.spreads, fingerprint);
  for (const KnownTerm& term : data.terms) {
    AddNumbers(term.mean, fingerprint);
    AddNumbers(term.covariance, fingerprint);
    AddNumbers(term.variance, fingerprint);
  }
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_DATA_FINGERPRINT_H_
