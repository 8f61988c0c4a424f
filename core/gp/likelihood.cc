#include "core/gp/likelihood.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"

namespace slipstream {

namespace {

template <typename Part>
void KeepRows(const std::vector<Index>& rows, Part& part) {
  if (part.size() > 0) part = Part(part(rows, Eigen::all));
}

// Adds what the terms say to the covariance's lower triangle.
void AddTerms(const TrainingData& data, const Hyperparameters& hyperparameters,
              Matrix& covariance) {
  for (size_t j = 0; j < data.terms.size(); ++j) {
    const double weight = hyperparameters.weights[static_cast<Index>(j)];
    const KnownTerm& term = data.terms[j];
    if (weight == 0) continue;
    if (term.covariance.size() > 0) {
      covariance += weight * weight * term.covariance;  // Both triangles, which is faster.
    } else {
      covariance.diagonal() += weight * weight * term.variance;
    }
  }
}

Vector ResidualOf(const TrainingData& data, const Hyperparameters& hyperparameters) {
  Vector residual = data.y.array() - hyperparameters.mean;
  for (size_t j = 0; j < data.terms.size(); ++j) {
    residual -= hyperparameters.weights[static_cast<Index>(j)] * data.terms[j].mean;
  }
  return residual;
}

// tr(w S) of symmetric matrices.
double TraceOfProduct(const Matrix& w, const KnownTerm& term) {
  if (term.covariance.size() == 0) return w.diagonal().dot(term.variance);
  return w.cwiseProduct(term.covariance).sum();
}

// Adds what the repeats that each result is the mean of say of the noise. `noise_slope` is the
// derivative by the logarithm of its variance.
void AddRepeats(const TrainingData& data, double log_noise_variance, double& value,
                double& noise_slope) {
  const double precision = std::exp(-log_noise_variance);
  for (Index i = 0; i < data.spreads.size(); ++i) {
    const double more = data.repeats[i] - 1;
    if (!(more > 0) || data.spreads[i] == kUnknownSpread) continue;
    const double spread = data.spreads[i] * precision;
    value -= 0.5 * (more * (std::log(2 * std::numbers::pi) + log_noise_variance) + spread +
                    std::log(data.repeats[i]));
    noise_slope += 0.5 * (spread - more);
  }
}

}  // namespace

Vector Hyperparameters::Packed() const {
  Vector packed(kernel.size() + 2 + weights.size());
  packed << kernel, log_noise_variance, mean, weights;
  return packed;
}

Hyperparameters Hyperparameters::Unpacked(ConstVectorView packed, Index weights) {
  assert(packed.size() >= 2 + weights);
  const Index count = packed.size() - 2 - weights;
  return {packed.head(count), packed[count], packed[count + 1], packed.tail(weights)};
}

std::vector<std::string> HyperparameterNames(const Kernel& kernel) {
  std::vector<std::string> names = kernel.ParameterNames();
  names.push_back("noise_variance");
  names.push_back("mean");
  return names;
}

TrainingData RowsOf(const TrainingData& data, const std::vector<Index>& rows) {
  TrainingData part = data;
  KeepRows(rows, part.x);
  KeepRows(rows, part.y);
  KeepRows(rows, part.repeats);
  KeepRows(rows, part.known_noise);
  KeepRows(rows, part.spreads);
  for (KnownTerm& term : part.terms) {
    KeepRows(rows, term.mean);
    KeepRows(rows, term.variance);
    if (term.covariance.size() > 0) term.covariance = Matrix(term.covariance(rows, rows));
  }
  return part;
}

TrainingData FirstOf(const TrainingData& data, Index count) {
  std::vector<Index> rows(static_cast<size_t>(count));
  std::iota(rows.begin(), rows.end(), Index{0});
  return RowsOf(data, rows);
}

Vector NoiseOf(const TrainingData& data, double log_noise_variance) {
  Vector noise = std::exp(log_noise_variance) * data.repeats.cwiseInverse();
  if (data.known_noise.size() > 0) noise += data.known_noise;
  return noise;
}

absl::StatusOr<LikelihoodValue> LogMarginalLikelihood(const Kernel& kernel,
                                                      const TrainingData& data,
                                                      const Hyperparameters& hyperparameters) {
  assert(hyperparameters.weights.size() == static_cast<Index>(data.terms.size()));
  const Index size = data.y.size();
  const std::unique_ptr<KernelTape> tape = kernel.Record(hyperparameters.kernel, data.x);
  Matrix covariance = tape->lower();
  covariance.diagonal() += NoiseOf(data, hyperparameters.log_noise_variance);
  AddTerms(data, hyperparameters, covariance);
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(covariance)));
  const Vector residual = ResidualOf(data, hyperparameters);
  const Vector alpha = factor.Solve(residual);
  LikelihoodValue result;
  result.value = -0.5 * (residual.dot(alpha) + factor.LogDeterminant() +
                         static_cast<double>(size) * std::log(2 * std::numbers::pi));
  Matrix weights = factor.Inverse();
  weights *= -0.5;
  if (data.terms.empty()) {
    weights.selfadjointView<Eigen::Lower>().rankUpdate(alpha, 0.5);
  } else {  // Both triangles, for the traces.
    weights.noalias() += 0.5 * alpha * alpha.transpose();
  }
  const Index count = kernel.parameter_count();
  result.gradient = Vector::Zero(count + 2 + hyperparameters.weights.size());
  tape->AddParameterGradient(weights, result.gradient.head(count));
  result.gradient[count] = std::exp(hyperparameters.log_noise_variance) *
                           weights.diagonal().dot(data.repeats.cwiseInverse());
  AddRepeats(data, hyperparameters.log_noise_variance, result.value, result.gradient[count]);
  result.gradient[count + 1] = alpha.sum();
  for (size_t j = 0; j < data.terms.size(); ++j) {
    const auto place = static_cast<Index>(j);
    const double weight = hyperparameters.weights[place];
    result.gradient[count + 2 + place] = alpha.dot(data.terms[j].mean);
    if (weight == 0) continue;
    result.gradient[count + 2 + place] += 2 * weight * TraceOfProduct(weights, data.terms[j]);
  }
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
  return GaussianProcess::Fit(std::move(prior),
                              {data.x, data.y, NoiseOf(data, hyperparameters.log_noise_variance)});
}

}  // namespace slipstream
