// The marginal likelihood of a kernel's hyperparameters, a noise variance and a
// constant mean, with its gradient.
//
// With a = K^-1 (y - m) and K = k(X, X) + noise I / repeats (Rasmussen and Williams 2006,
// equation 5.9): d log p/dp = tr((a a^T - K^-1) dK/dp) / 2, d log p/dm = sum a.
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
// hyperparameters, then the logarithm of the noise variance, then the mean.
struct Hyperparameters {
  Vector kernel;
  double log_noise_variance = 0;
  double mean = 0;

  Vector Packed() const;
  static Hyperparameters Unpacked(ConstVectorView packed);
};

// What each entry of Hyperparameters::Packed is called.
std::vector<std::string> HyperparameterNames(const Kernel& kernel);

// What a process learns from.
struct TrainingData {
  PointMatrix x;
  Vector y;
  // How many results each y is the mean of: its noise variance is divided by it.
  Vector repeats;
};

struct LikelihoodValue {
  double value = 0;
  Vector gradient;  // As Hyperparameters::Packed.
};

// FAILED_PRECONDITION when the covariance is indefinite in spite of all jitter
// or a result is not finite.
absl::StatusOr<LikelihoodValue> LogMarginalLikelihood(const Kernel& kernel,
                                                      const TrainingData& data,
                                                      const Hyperparameters& hyperparameters);

// The process of these observations under the hyperparameters.
absl::StatusOr<GaussianProcess> FitProcess(std::shared_ptr<const Kernel> kernel,
                                           const TrainingData& data,
                                           const Hyperparameters& hyperparameters);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_LIKELIHOOD_H_
