#include "core/gp/likelihood.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"

namespace slipstream {

Vector Hyperparameters::Packed() const {
  Vector packed(kernel.size() + 2);
  packed << kernel, log_noise_variance, mean;
  return packed;
}

Hyperparameters Hyperparameters::Unpacked(ConstVectorView packed) {
  assert(packed.size() >= 2);
  const Index count = packed.size() - 2;
  return {packed.head(count), packed[count], packed[count + 1]};
}

std::vector<std::string> HyperparameterNames(const Kernel& kernel) {
  std::vector<std::string> names = kernel.ParameterNames();
  names.push_back("noise_variance");
  names.push_back("mean");
  return names;
}

absl::StatusOr<LikelihoodValue> LogMarginalLikelihood(const Kernel& kernel,
                                                      const TrainingData& data,
                                                      const Hyperparameters& hyperparameters) {
  const Index size = data.y.size();
  const Vector noise = std::exp(hyperparameters.log_noise_variance) * data.repeats.cwiseInverse();
  const std::unique_ptr<KernelTape> tape = kernel.Record(hyperparameters.kernel, data.x);
  Matrix covariance = tape->lower();
  covariance.diagonal() += noise;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(covariance)));
  const Vector residual = data.y.array() - hyperparameters.mean;
  const Vector alpha = factor.Solve(residual);
  LikelihoodValue result;
  result.value = -0.5 * (residual.dot(alpha) + factor.LogDeterminant() +
                         static_cast<double>(size) * std::log(2 * std::numbers::pi));
  Matrix weights = factor.Inverse();
  weights *= -0.5;
  weights.selfadjointView<Eigen::Lower>().rankUpdate(alpha, 0.5);
  result.gradient = Vector::Zero(kernel.parameter_count() + 2);
  tape->AddParameterGradient(weights, result.gradient.head(kernel.parameter_count()));
  result.gradient[kernel.parameter_count()] = weights.diagonal().dot(noise);
  result.gradient[kernel.parameter_count() + 1] = alpha.sum();
  if (!std::isfinite(result.value) || !result.gradient.allFinite()) {
    return absl::FailedPreconditionError("the likelihood is not finite");
  }
  return result;
}

absl::StatusOr<GaussianProcess> FitProcess(std::shared_ptr<const Kernel> kernel,
                                           const TrainingData& data,
                                           const Hyperparameters& hyperparameters) {
  auto prior = std::make_shared<KernelPrior>(std::move(kernel), hyperparameters.kernel,
                                             hyperparameters.mean);
  const Vector noise = std::exp(hyperparameters.log_noise_variance) * data.repeats.cwiseInverse();
  return GaussianProcess::Fit(std::move(prior), {data.x, data.y, noise});
}

}  // namespace slipstream
