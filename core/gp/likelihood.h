// The marginal likelihood of a kernel's hyperparameters, a noise variance, a
// constant mean and the weights of what else is known, with its gradient.
//
// With
//   K = k(X, X) + noise diag(1/repeats) + diag(known noise) + sum_j w_j^2 S_j,
//   r = y - m - sum_j w_j m_j, a = K^-1 r
// (Rasmussen and Williams 2006, equation 5.9):
//   d log p/dp = tr((a a^T - K^-1) dK/dp) / 2, d log p/dm = sum a,
//   d log p/dw_j = a^T m_j + w_j tr((a a^T - K^-1) S_j).
// A y that is the mean of n results whose squared distances from it have the sum s adds
//   -((n - 1) log(2 pi noise) + s/noise + log n) / 2,
// so that the likelihood is that of all results one by one.
#ifndef SLIPSTREAM_CORE_GP_LIKELIHOOD_H_
#define SLIPSTREAM_CORE_GP_LIKELIHOOD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/kernel.h"

namespace slipstream {

// Everything about a process that data can teach: logarithms of the kernel's
// hyperparameters, then the logarithm of the noise variance, the mean, and the
// weight of each known term.
struct Hyperparameters {
  Vector kernel;
  double log_noise_variance = 0;
  double mean = 0;
  Vector weights = {};

  Vector Packed() const;
  static Hyperparameters Unpacked(ConstVectorView packed, Index weights = 0);
};

// The names of the entries of Hyperparameters::Packed but for the weights.
std::vector<std::string> HyperparameterNames(const Kernel& kernel);

// A Gaussian that is part of the function with a weight that is still open, as
// it is at the data's points.
struct KnownTerm {
  Vector mean;
  Matrix covariance;     // Between the points; or, where this is empty, ...
  Vector variance = {};  // ... of each, as if they were independent.
};

// Stands in TrainingData::spreads where a spread is not known.
inline constexpr double kUnknownSpread = -1;

// The results that a process learns from.
struct TrainingData {
  PointMatrix x;
  Vector y;
  // How many results each y is the mean of: its noise variance is divided by it.
  Vector repeats;
  // Noise that each y has besides, of known variance; empty where there is none.
  Vector known_noise = {};
  std::vector<KnownTerm> terms = {};
  // The sum of the squared distances of these results from their mean, which tells of the noise
  // alone; kUnknownSpread where it is not known, as of source tasks. Empty where no y is of several
  // results, or where it is not known of any.
  Vector spreads = {};
};

// Those rows of `data`; the first `count` of them.
TrainingData RowsOf(const TrainingData& data, const std::vector<Index>& rows);
TrainingData FirstOf(const TrainingData& data, Index count);

struct LikelihoodValue {
  double value = 0;
  Vector gradient;  // In the order of Hyperparameters::Packed.
};

// FAILED_PRECONDITION when the covariance is indefinite in spite of all jitter
// or a result is not finite.
absl::StatusOr<LikelihoodValue> LogMarginalLikelihood(const Kernel& kernel,
                                                      const TrainingData& data,
                                                      const Hyperparameters& hyperparameters);

// The variance of the noise of each result.
Vector NoiseOf(const TrainingData& data, double log_noise_variance);

// The process of these observations under the hyperparameters. `data` has no
// terms.
absl::StatusOr<GaussianProcess> FitProcess(std::shared_ptr<const Kernel> kernel,
                                           const TrainingData& data,
                                           const Hyperparameters& hyperparameters);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_LIKELIHOOD_H_
