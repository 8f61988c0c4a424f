#include "core/prior/pretrained/shared_prior.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include "core/ascent/bounded_ascent.h"
#include "core/base/status.h"
#include "core/linalg/cholesky.h"
#include "core/prior/pretrained/linear_mean.h"

namespace slipstream {
namespace {

// Adds the group's log likelihoods, summed over its tasks, to `sum`.
absl::Status AddTaskGroup(const Kernel& kernel, const TaskGroup& group,
                          const Hyperparameters& hyperparameters, LikelihoodValue& sum) {
  const Index size = group.x.rows();
  const Index count = kernel.parameter_count();
  const Index slopes = hyperparameters.weights.size();
  const auto tasks = static_cast<double>(group.task_count());
  const double noise = std::exp(hyperparameters.log_noise_variance);
  const std::unique_ptr<KernelTape> tape = kernel.Record(hyperparameters.kernel, group.x);
  Matrix covariance = tape->lower();
  covariance.diagonal() += noise * group.inverse_repeats + group.known_noise;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(covariance)));
  Vector mean = Vector::Constant(size, hyperparameters.mean);
  const PointMatrix along = slopes > 0 ? FromTheMiddle(group.x) : PointMatrix(size, 0);
  mean.noalias() += along * hyperparameters.weights;
  const Matrix residuals = group.values.colwise() - mean;
  Matrix alphas = residuals;  // K^-1 r_k.
  factor.SolveLower(alphas);
  factor.SolveLowerTransposed(alphas);
  sum.value -= 0.5 * (residuals.cwiseProduct(alphas).sum() +
                      tasks * (factor.LogDeterminant() +
                               static_cast<double>(size) * std::log(2 * std::numbers::pi)));
  Matrix weights = factor.Inverse();  // d log p/dK.
  weights *= -0.5 * tasks;
  weights.selfadjointView<Eigen::Lower>().rankUpdate(alphas, 0.5);
  tape->AddParameterGradient(weights, sum.gradient.head(count));
  sum.gradient[count] += noise * weights.diagonal().dot(group.inverse_repeats);
  const Vector pull = alphas.rowwise().sum();
  sum.gradient[count + 1] += pull.sum();
  sum.gradient.tail(slopes).noalias() += along.transpose() * pull;
  return absl::OkStatus();
}

SmoothFunction SharedObjective(const Model& model, const std::vector<TaskGroup>& groups,
                               bool with_beliefs) {
  return [&model, &groups, with_beliefs](ConstVectorView packed,
                                         VectorView gradient) -> std::optional<double> {
    const absl::StatusOr<LikelihoodValue> likelihood =
        MeanLogLikelihood(*model.kernel, groups, model.Unpack(packed));
    if (!likelihood.ok()) return std::nullopt;
    gradient = likelihood->gradient;
    return likelihood->value + (with_beliefs ? model.LogBelief(packed, gradient) : 0);
  };
}

// The best end of ascents from the best starts; the first start if the
// objective can be computed at none.
Vector BestSharedStart(const Model& model, const std::vector<TaskGroup>& groups,
                       const std::vector<Vector>& starts, const SharedPriorOptions& options) {
  const SmoothFunction objective = SharedObjective(model, groups, options.with_beliefs);
  std::vector<std::pair<double, Vector>> screened;
  for (const Vector& start : starts) {
    const Vector within = start.cwiseMax(model.Lower()).cwiseMin(model.Upper());
    Vector gradient = Vector::Zero(within.size());
    const std::optional<double> value = objective(within, gradient);
    if (value.has_value()) screened.emplace_back(*value, within);
  }
  std::stable_sort(screened.begin(), screened.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  AscentOptions ascent;
  ascent.max_evaluations = options.max_first_evaluations;
  ascent.value_tolerance = options.value_tolerance;
  AscentResult best;
  best.x = starts.front();
  const size_t ascents = std::min(screened.size(), static_cast<size_t>(options.ascents));
  for (size_t i = 0; i < ascents; ++i) {
    AscentResult climbed =
        AscendWithinBounds(objective, screened[i].second, model.Lower(), model.Upper(), ascent);
    if (climbed.value.has_value() && (!best.value.has_value() || *climbed.value > *best.value)) {
      best = std::move(climbed);
    }
  }
  return best.x;
}

}  // namespace

absl::StatusOr<LikelihoodValue> MeanLogLikelihood(const Kernel& kernel,
                                                  const std::vector<TaskGroup>& groups,
                                                  const Hyperparameters& hyperparameters) {
  LikelihoodValue mean{0, Vector::Zero(hyperparameters.Packed().size())};
  double tasks = 0;
  for (const TaskGroup& group : groups) {
    SLIPSTREAM_RETURN_IF_ERROR(AddTaskGroup(kernel, group, hyperparameters, mean));
    tasks += static_cast<double>(group.task_count());
  }
  mean.value /= tasks;
  mean.gradient /= tasks;
  if (!std::isfinite(mean.value) || !mean.gradient.allFinite()) {
    return absl::FailedPreconditionError("the likelihood of the tasks is not finite");
  }
  return mean;
}

absl::StatusOr<SharedPrior> LearnSharedPrior(const Model& model,
                                             const std::vector<TaskGroup>& groups,
                                             const std::vector<Vector>& starts,
                                             const SharedPriorOptions& options) {
  std::vector<TaskGroup> few;
  for (const TaskGroup& group : groups) few.push_back(Thinned(group, options.first_rows));
  const Vector start = BestSharedStart(model, few, starts, options);
  AscentOptions ascent;
  ascent.max_evaluations = options.max_evaluations;
  ascent.value_tolerance = options.value_tolerance;
  const AscentResult best = AscendWithinBounds(SharedObjective(model, groups, options.with_beliefs),
                                               start, model.Lower(), model.Upper(), ascent);
  if (!best.value.has_value()) {
    return absl::FailedPreconditionError(
        "the likelihood of the tasks cannot be computed for any hyperparameters");
  }
  SharedPrior prior{model.Unpack(best.x), 0};
  SLIPSTREAM_ASSIGN_OR_RETURN(const LikelihoodValue there,
                              MeanLogLikelihood(*model.kernel, groups, prior.hyperparameters));
  prior.loss = -there.value;
  return prior;
}

}  // namespace slipstream
