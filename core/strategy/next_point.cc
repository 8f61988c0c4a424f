#include "core/strategy/next_point.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/time/clock.h"
#include "core/acquisition/acquisition.h"
#include "core/base/status.h"
#include "core/optim/enumeration.h"
#include "core/optim/space_maximizer.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

// Spaces with no more configurations are searched whole.
constexpr size_t kEnumerable = 2048;
// Around so many of the best results the search is closer.
constexpr size_t kIncumbents = 4;
// Joint draws are made at no more points.
constexpr size_t kMostDrawn = 1024;
// With transfer, different screens.
constexpr uint64_t kScreens = 4;
// What counts as improvement, on outputs of variance 1: without it the chance to
// improve is largest next to the best point, by next to nothing.
constexpr double kLeastImprovement = 0.1;
// Turns: when they begin, on outputs of variance 1, and what they are.
constexpr double kLittleImprovement = 0.01;
constexpr int64_t kTurns = 3;
constexpr double kRefining = 0.35;
constexpr double kLookingFarther = 1.2;
// Of the theoretical bounds: their chance to fail.
constexpr double kRho = 0.1;
constexpr double kContinuousRho = 0.01;  // Envelope-BO's.

// The logarithm of how many points a bound has to hold at: the candidates, or a
// grid of 100 steps along each parameter.
double LogPoints(const NextPointRequest& request) {
  if (request.pool != nullptr) return std::log(std::max<size_t>(1, request.pool->left().size()));
  return static_cast<double>(request.space.dimension()) * std::log(100.0);
}

// Where sources are part of each prediction, fewer of them have to do, and the
// screen is one of a few, of whose points the sources' predictions are kept.
MaximizerOptions SearchOptionsOf(const ObjectiveModel& model) {
  MaximizerOptions options;
  if (!model.is_costly()) return options;
  options.different_screens = kScreens;
  options.quasi_random = 192;
  options.around_incumbents = 64;
  options.ascents = 2;
  options.evaluations_per_ascent = 30;
  options.value_tolerance = 1e-4;
  return options;
}

absl::StatusOr<std::unique_ptr<AcquisitionRule>> RuleOf(const NextPointRequest& request,
                                                        size_t member) {
  const ObjectiveModel& model = request.model;
  const TrainingData& data = model.training().data;
  switch (request.recipe.acquisition) {
    case AcquisitionKind::kUpperConfidenceBound:
      return MakeUpperConfidenceBound(UcbMultiplier(request));
    case AcquisitionKind::kExpectedImprovement:
      return MakeExpectedImprovement(model.Incumbent(member));
    case AcquisitionKind::kLogExpectedImprovement:
    case AcquisitionKind::kThompson:
      return MakeLogExpectedImprovement(model.Incumbent(member));
    case AcquisitionKind::kProbabilityOfImprovement:
      return MakeProbabilityOfImprovement(model.Incumbent(member) + kLeastImprovement);
    case AcquisitionKind::kMaxValueOfResults:
      return MakeProbabilityOfImprovement(MaxValueTargetFromResults(data.y),
                                          model.NoiseVariance(member));
    case AcquisitionKind::kMaxValueOfDraws: {
      const std::vector<Configuration> places =
          ScreenOf(request.space, model.BestConfigurations(kIncumbents), request.seed);
      SLIPSTREAM_ASSIGN_OR_RETURN(
          const double target,
          MaxValueTargetFromDraws(*model.members()[member], EncodeAll(request.space, places),
                                  model.Incumbent(member), request.seed));
      return MakeProbabilityOfImprovement(target);
    }
  }
  return absl::InternalError("an acquisition without a rule");
}

class Chooser {
 public:
  explicit Chooser(const NextPointRequest& request) : request_(request) {}

  absl::StatusOr<NextPoint> Choose() {
    SLIPSTREAM_ASSIGN_OR_RETURN(NextPoint next, SearchWith(1));
    if (absl::Now() > request_.deadline) {
      return absl::DeadlineExceededError("no time to search the space");
    }
    if (TakesTurns() && Improvement(next) < kLittleImprovement) {
      SLIPSTREAM_RETURN_IF_ERROR(TakeTurn(next));
    }
    Describe(next);
    return next;
  }

 private:
  // With the members' deviations taken for `factor` times as large.
  absl::StatusOr<NextPoint> SearchWith(double factor) {
    std::vector<std::unique_ptr<AcquisitionRule>> rules;
    std::vector<RuledSurrogate> members;
    for (size_t i = 0; i < request_.model.members().size(); ++i) {
      SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<AcquisitionRule> rule, RuleOf(request_, i));
      if (factor != 1) rule = MakeWithScaledDeviation(std::move(rule), factor);
      rules.push_back(std::move(rule));
      members.push_back({request_.model.members()[i].get(), rules.back().get()});
    }
    return Search(Acquisition(std::move(members)));
  }

  bool TakesTurns() const {
    const Recipe& recipe = request_.recipe;
    const bool has_improvement = recipe.acquisition == AcquisitionKind::kExpectedImprovement ||
                                 recipe.acquisition == AcquisitionKind::kLogExpectedImprovement;
    return recipe.exploration == ExplorationKind::kTurns && has_improvement && !searched_whole_ &&
           !request_.model.is_costly() && recipe.lengthscale_rule == LengthscaleRule::kAsCalibrated;
  }

  double Improvement(const NextPoint& next) const {
    return request_.recipe.acquisition == AcquisitionKind::kLogExpectedImprovement
               ? std::exp(next.value)
               : next.value;
  }

  // Where there is no time for a turn, `next` stays: it is better than a step down.
  absl::Status TakeTurn(NextPoint& next) {
    const double factor = request_.round % kTurns == 0 ? kRefining : kLookingFarther;
    absl::StatusOr<NextPoint> turned = SearchWith(factor);
    next.turn_left_out =
        absl::Now() > request_.deadline || absl::IsDeadlineExceeded(turned.status());
    if (next.turn_left_out) return absl::OkStatus();
    if (!turned.ok()) return turned.status();
    next = *std::move(turned);
    next.deviation_factor = factor;
    return absl::OkStatus();
  }

  absl::StatusOr<NextPoint> Search(const Acquisition& acquisition) {
    searched_whole_ = true;
    if (request_.pool != nullptr) return AmongCandidates(acquisition);
    std::optional<std::vector<Configuration>> all = AllConfigurations(request_.space, kEnumerable);
    const bool draws = request_.recipe.acquisition == AcquisitionKind::kThompson;
    if (all.has_value() || draws) {
      return Among(acquisition, all.has_value()
                                    ? *std::move(all)
                                    : ScreenOf(request_.space, Incumbents(), request_.seed));
    }
    searched_whole_ = false;
    const PointFunction function{[&](const PointMatrix& x) { return acquisition.Values(x); },
                                 [&](ConstVectorView x, VectorView gradient) {
                                   return acquisition.ValueAndGradient(x, gradient);
                                 }};
    const MaximizerResult found =
        MaximizeOverSpace(request_.space, function, Incumbents(), request_.seed, request_.deadline,
                          SearchOptionsOf(request_.model));
    if (found.deadline_passed) return absl::DeadlineExceededError("no time to search the space");
    return FirstNotTaken(found.best);
  }

  std::vector<Configuration> Incumbents() const {
    return request_.model.BestConfigurations(kIncumbents);
  }

  bool IsTaken(const Configuration& configuration) const {
    return request_.taken.contains(&configuration);
  }

  NextPoint FirstNotTaken(const std::vector<ScoredConfiguration>& best_first) const {
    for (const ScoredConfiguration& scored : best_first) {
      if (!IsTaken(scored.configuration)) return {scored.configuration, {}, scored.value};
    }
    NextPoint repeat{best_first.front().configuration, {}, best_first.front().value};
    repeat.is_repeat = true;
    return repeat;
  }

  // Values of the acquisition, or of one joint draw where that is the rule.
  absl::StatusOr<Vector> Values(const Acquisition& acquisition, const PointMatrix& x) const {
    if (request_.recipe.acquisition != AcquisitionKind::kThompson) {
      return acquisition.Values(x);
    }
    const size_t member = request_.seed % request_.model.members().size();
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const Matrix draw, DrawJointly(*request_.model.members()[member], x, 1, request_.seed));
    return Vector(draw.col(0));
  }

  absl::StatusOr<NextPoint> Among(const Acquisition& acquisition,
                                  std::vector<Configuration> configurations) const {
    SLIPSTREAM_ASSIGN_OR_RETURN(const Vector values,
                                Values(acquisition, EncodeAll(request_.space, configurations)));
    std::vector<ScoredConfiguration> scored;
    for (size_t i = 0; i < configurations.size(); ++i) {
      scored.push_back({std::move(configurations[i]), values[static_cast<Index>(i)]});
    }
    std::stable_sort(scored.begin(), scored.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    return FirstNotTaken(scored);
  }

  absl::StatusOr<NextPoint> AmongCandidates(const Acquisition& acquisition) const {
    std::vector<int64_t> left = request_.pool->left();
    if (request_.recipe.acquisition == AcquisitionKind::kThompson) Thin(left);
    std::vector<Configuration> configurations;
    configurations.reserve(left.size());
    for (int64_t candidate : left) {
      configurations.push_back(request_.space.candidates()[static_cast<size_t>(candidate)]);
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(const Vector values,
                                Values(acquisition, EncodeAll(request_.space, configurations)));
    Index best = 0;
    const double value = values.maxCoeff(&best);
    const int64_t candidate = left[static_cast<size_t>(best)];
    return NextPoint{std::move(configurations[static_cast<size_t>(best)]), candidate, value};
  }

  // Evenly, to what can be drawn jointly.
  void Thin(std::vector<int64_t>& candidates) const {
    if (candidates.size() <= kMostDrawn) return;
    std::vector<int64_t> kept;
    const size_t offset = request_.seed % candidates.size();
    for (size_t i = 0; i < kMostDrawn; ++i) {
      kept.push_back(candidates[(offset + i * candidates.size() / kMostDrawn) % candidates.size()]);
    }
    std::sort(kept.begin(), kept.end());
    candidates = std::move(kept);
  }

  // What the members predict together: the mean of their means and, by the law
  // of total variance, the deviation.
  void Describe(NextPoint& next) const {
    const PointMatrix x = EncodeAll(request_.space, absl::MakeConstSpan(&next.configuration, 1));
    double mean = 0;
    double square = 0;
    const auto count = static_cast<double>(request_.model.members().size());
    for (const auto& member : request_.model.members()) {
      const Predictions there = member->Predict(x);
      mean += there.mean[0] / count;
      square += (there.variance[0] + there.mean[0] * there.mean[0]) / count;
    }
    const double deviation = std::sqrt(std::max(0.0, square - mean * mean));
    const OutputTransform& transform = request_.model.transform();
    next.model_deviation = deviation;
    next.mean = transform.Invert(mean);
    next.deviation = std::abs(0.5 * transform.Invert(mean + deviation) -
                              0.5 * transform.Invert(mean - deviation));
  }

  const NextPointRequest& request_;
  bool searched_whole_ = false;  // The latest search looked at each configuration that there is.
};

}  // namespace

double UcbMultiplier(const NextPointRequest& request) {
  if (request.ucb_multiplier.has_value()) return *request.ucb_multiplier;
  const auto dimension = static_cast<double>(request.space.dimension());
  switch (request.recipe.ucb_schedule) {
    case UcbSchedule::kConstant:
      return request.recipe.ucb_multiplier;
    case UcbSchedule::kFinite:
      return TheoreticalMultiplier(LogPoints(request), request.round, kRho);
    case UcbSchedule::kContinuous:
      return ContinuousMultiplier(dimension, request.round, kContinuousRho);
    case UcbSchedule::kDimension:
      return DimensionMultiplier(dimension, request.round);
  }
  return request.recipe.ucb_multiplier;
}

absl::StatusOr<NextPoint> ChooseNextPoint(const NextPointRequest& request) {
  return Chooser(request).Choose();
}

}  // namespace slipstream
