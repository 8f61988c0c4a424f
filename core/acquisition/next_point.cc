#include "core/acquisition/next_point.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "core/acquisition/acquisition.h"
#include "core/base/even_parts.h"
#include "core/base/status.h"
#include "core/gp/feasible_surrogate.h"
#include "core/optim/enumeration.h"
#include "core/optim/space_maximizer.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

// Spaces with no more configurations are searched whole.
constexpr size_t kEnumerable = 2048;
// The number of different screens that searches share where predictions are costly.
constexpr uint64_t kScreens = 4;
// Above so many results ascents climb what the model nearly is around their start.
constexpr Index kManyResults = 600;
// The number of a screen's best points that are scored again where members are more exact at single
// points.
constexpr size_t kLookedAtClosely = 16;

// Costly predictions get a smaller search, whose screen is one of a few, so that predictions at its
// points can be cached.
MaximizerOptions SearchOptionsOf(const SearchedModel& model) {
  MaximizerOptions options;
  options.climbs_nearby = model.results().size() > kManyResults;
  if (model.looks_closer_at_single_points()) options.scored_again = kLookedAtClosely;
  if (!model.is_costly()) return options;
  options.different_screens = kScreens;
  options.quasi_random = 192;
  options.around_incumbents = 64;
  options.ascents = 2;
  options.evaluations_per_ascent = 30;
  options.value_tolerance = 1e-4;
  return options;
}

// A short search, for each of many points that are chosen one after the other. They share a screen,
// which has found the good regions already. Where predictions are costly a single ascent refines
// the best of it.
MaximizerOptions QuickSearchOptions(const SearchedModel& model) {
  MaximizerOptions options;
  const bool is_costly = model.is_costly();
  if (model.looks_closer_at_single_points()) options.scored_again = kLookedAtClosely;
  options.quasi_random = 0;
  options.around_incumbents = 24;  // This search's own: those of the screen become known.
  options.ascents = is_costly ? 1 : 2;
  options.evaluations_per_ascent = is_costly ? 20 : 30;
  options.value_tolerance = 1e-4;
  options.sweeps = 2;
  options.values_per_sweep = 12;
  options.climbs_nearby = true;
  return options;
}

// How many points a draw of the function is made at. There are fewer if it is one of many draws,
// because the cost of factorising their covariances grows with the cube.
MaximizerOptions DrawnScreenOptions(bool is_one_of_many) {
  MaximizerOptions options;
  if (!is_one_of_many) return options;
  options.quasi_random = 256;
  options.around_incumbents = 96;
  return options;
}

// A shared screen's points: many, as so many searches begin with them, or few where each costs
// much.
constexpr size_t kSharedQuasiRandom = 768;
constexpr size_t kSharedAroundIncumbents = 1024;
constexpr size_t kFewQuasiRandom = 192;
constexpr size_t kFewAroundIncumbents = 192;

class Chooser {
 public:
  explicit Chooser(const NextPointRequest& request) : request_(request) {}

  absl::StatusOr<NextPoint> Choose() {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<PointScore> score,
                                request_.acquisition->score(request_));
    SLIPSTREAM_RETURN_IF_ERROR(request_.deadline.Check("no time to search the space"));
    // What is found until the deadline is better than a point that no model has asked for.
    SLIPSTREAM_ASSIGN_OR_RETURN(NextPoint next, Search(*score, /*may_be_cut_short=*/true));
    if (request_.deadline.is_stopped()) return request_.deadline.Check("the search was stopped");
    Describe(next);
    return next;
  }

  absl::StatusOr<NextPoint> At(Configuration configuration) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<PointScore> score,
                                request_.acquisition->score(request_));
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const Vector values,
        score->Values(EncodeAll(request_.space, absl::MakeConstSpan(&configuration, 1))));
    SLIPSTREAM_RETURN_IF_ERROR(request_.deadline.Check("no time to score the point"));
    NextPoint next{std::move(configuration), {}, values[0]};
    Describe(next);
    return next;
  }

  // Where `score` is largest; the rest of the point is not filled in. A search that may be cut
  // short gives the best that it has found by the deadline.
  absl::StatusOr<NextPoint> Search(const PointScore& score, bool may_be_cut_short) const {
    if (request_.pool != nullptr) return InTime(AmongCandidates(score), may_be_cut_short);
    std::optional<std::vector<Configuration>> all = AllConfigurations(request_.space, kEnumerable);
    if (all.has_value()) {
      return InTime(Among(score, *std::move(all), /*is_whole=*/true), may_be_cut_short);
    }
    const SmoothScore* const smooth = score.smooth();
    if (smooth == nullptr) {
      const MaximizerOptions options = DrawnScreenOptions(request_.screen != nullptr);
      return Among(score, ScreenOf(request_.space, Incumbents(), request_.seed, options),
                   /*is_whole=*/false);
    }
    const PointFunction function = FunctionOf(*smooth);
    MaximizerResult found =
        request_.screen != nullptr
            ? MaximizeFromScreen(request_.space, function, *request_.screen, Incumbents(),
                                 request_.seed, request_.deadline,
                                 QuickSearchOptions(request_.model))
            : MaximizeOverSpace(request_.space, function, Incumbents(), request_.seed,
                                request_.deadline, SearchOptionsOf(request_.model));
    const bool is_found = !found.best.empty() && std::isfinite(found.best.front().value);
    if (found.deadline_passed && !(may_be_cut_short && is_found)) {
      return absl::DeadlineExceededError("no time to search the space");
    }
    if (DiscountRepeats(found.best)) SortBestFirst(found.best);
    NextPoint next = FirstNotTaken(found.best);
    next.is_cut_short = found.deadline_passed;
    return next;
  }

 private:
  static PointFunction FunctionOf(const SmoothScore& score) {
    const auto near = [&score](ConstVectorView point) -> ValueAndGradient {
      std::shared_ptr<const SmoothScore> there = score.Near(point);
      if (there == nullptr) return {};
      return [there](ConstVectorView x, VectorView gradient) {
        return there->ValueAndGradient(x, gradient);
      };
    };
    return {[&score](const PointMatrix& x) { return score.ValuesAt(x); },
            [&score](ConstVectorView x, VectorView gradient) {
              return score.ValueAndGradient(x, gradient);
            },
            near};
  }

  std::vector<Configuration> Incumbents() const {
    return request_.model.BestConfigurations(kSearchIncumbents);
  }

  bool IsTaken(const Configuration& configuration) const {
    return request_.taken.contains(&configuration);
  }

  // Lowers the values of configurations that have noisy results; see NextPointRequest::measured.
  // Returns whether there are any.
  bool DiscountRepeats(std::vector<ScoredConfiguration>& scored) const {
    const bool discounts = request_.measured != nullptr && !request_.measured->empty() &&
                           request_.acquisition->discounts_repeats;
    if (!discounts) return false;
    std::vector<ScoredConfiguration*> repeats;
    std::vector<Configuration> configurations;
    for (ScoredConfiguration& each : scored) {
      if (!request_.measured->contains(&each.configuration)) continue;
      repeats.push_back(&each);
      configurations.push_back(each.configuration);
    }
    if (repeats.empty()) return false;
    const double noise = NoiseTogether(request_.model);
    const Vector variances =
        PredictTogether(request_.model, EncodeAll(request_.space, configurations)).variance *
        (request_.deviation_factor * request_.deviation_factor);
    for (size_t i = 0; i < repeats.size(); ++i) {
      const double ratio = variances[static_cast<Index>(i)] / noise;
      repeats[i]->value += std::log(-std::expm1(-0.5 * std::log1p(ratio)));
    }
    return true;
  }

  static void SortBestFirst(std::vector<ScoredConfiguration>& scored) {
    std::stable_sort(scored.begin(), scored.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
  }

  NextPoint FirstNotTaken(const std::vector<ScoredConfiguration>& best_first) const {
    for (const ScoredConfiguration& scored : best_first) {
      if (!IsTaken(scored.configuration)) return {scored.configuration, {}, scored.value};
    }
    NextPoint repeat{best_first.front().configuration, {}, best_first.front().value};
    repeat.is_repeat = true;
    return repeat;
  }

  absl::StatusOr<NextPoint> InTime(absl::StatusOr<NextPoint> next, bool may_be_cut_short) const {
    if (next.ok() && next->is_cut_short && !may_be_cut_short) {
      return request_.deadline.Check("no time to search the space");
    }
    return next;
  }

  struct Scores {
    Vector values;  // -infinity where there was no time for a point.
    bool are_cut_short = false;
  };

  // Part by part, from one that the seed chooses on, until the deadline. DEADLINE_EXCEEDED or
  // CANCELLED when there was no time for any part.
  absl::StatusOr<Scores> ScoresOf(const PointScore& score, const PointMatrix& x) const {
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    const SmoothScore* const smooth = score.smooth();
    if (smooth == nullptr) {  // A draw's values are comparable only together.
      SLIPSTREAM_ASSIGN_OR_RETURN(Vector values, score.Values(x));
      return Scores{std::move(values)};
    }
    Scores scores{Vector::Constant(x.rows(), kNone)};
    const Index parts = (x.rows() + kMostPredictedAtOnce - 1) / kMostPredictedAtOnce;
    const auto offset = static_cast<Index>(request_.seed % static_cast<uint64_t>(parts));
    for (Index i = 0; i < parts; ++i) {
      const Index first = (offset + i) % parts * kMostPredictedAtOnce;
      const Index count = std::min(kMostPredictedAtOnce, x.rows() - first);
      const Vector values = smooth->ValuesAt(x.middleRows(first, count));
      scores.values.segment(first, count) = values;
      if (!request_.deadline.has_passed()) continue;
      // An Acquisition gives no values where it had no time for all of its members.
      scores.are_cut_short = i + 1 < parts || values.maxCoeff() == kNone;
      break;
    }
    if (scores.are_cut_short && scores.values.maxCoeff() == kNone) {
      return request_.deadline.Check("no time to search the space");
    }
    return scores;
  }

  struct ScoredConfigurations {
    std::vector<ScoredConfiguration> all;
    bool are_cut_short = false;
  };

  absl::StatusOr<ScoredConfigurations> Scored(const PointScore& score,
                                              std::vector<Configuration> configurations) const {
    SLIPSTREAM_ASSIGN_OR_RETURN(const Scores scores,
                                ScoresOf(score, EncodeAll(request_.space, configurations)));
    ScoredConfigurations scored;
    scored.are_cut_short = scores.are_cut_short;
    for (size_t i = 0; i < configurations.size(); ++i) {
      scored.all.push_back({std::move(configurations[i]), scores.values[static_cast<Index>(i)]});
    }
    DiscountRepeats(scored.all);
    return scored;
  }

  absl::StatusOr<NextPoint> Among(const PointScore& score,
                                  std::vector<Configuration> configurations, bool is_whole) const {
    SLIPSTREAM_ASSIGN_OR_RETURN(ScoredConfigurations scored,
                                Scored(score, std::move(configurations)));
    SortBestFirst(scored.all);
    NextPoint next = FirstNotTaken(scored.all);
    next.searched_whole = is_whole;
    next.is_cut_short = scored.are_cut_short;
    return next;
  }

  absl::StatusOr<NextPoint> AmongCandidates(const PointScore& score) const {
    std::vector<int64_t> left = request_.pool->left();
    if (score.most_candidates().has_value()) Thin(*score.most_candidates(), left);
    std::vector<Configuration> configurations;
    configurations.reserve(left.size());
    for (int64_t candidate : left) {
      configurations.push_back(request_.space.candidates()[static_cast<size_t>(candidate)]);
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(ScoredConfigurations scored,
                                Scored(score, std::move(configurations)));
    const auto best = std::max_element(
        scored.all.begin(), scored.all.end(),
        [](const auto& a, const auto& b) { return a.value < b.value; });
    const int64_t candidate = left[static_cast<size_t>(best - scored.all.begin())];
    NextPoint next{std::move(best->configuration), candidate, best->value};
    next.searched_whole = true;
    next.is_cut_short = scored.are_cut_short;
    return next;
  }

  // Evenly, to at most `most`.
  void Thin(size_t most, std::vector<int64_t>& candidates) const {
    if (candidates.size() <= most) return;
    std::vector<int64_t> kept;
    const size_t offset = request_.seed % candidates.size();
    for (size_t place : FirstOfParts(candidates.size(), most)) {
      kept.push_back(candidates[(offset + place) % candidates.size()]);
    }
    std::sort(kept.begin(), kept.end());
    candidates = std::move(kept);
  }

  // Fills in what the members predict together of a trial that has a value.
  void Describe(NextPoint& next) const {
    const PointMatrix x = EncodeAll(request_.space, absl::MakeConstSpan(&next.configuration, 1));
    const Predictions there = PredictMeasured(request_.model, x);
    const OutputTransform& transform = request_.model.transform();
    const double mean = transform.Nearer(there.mean[0], request_.model.results());
    const double deviation = std::sqrt(there.variance[0]);
    next.model_deviation = deviation;
    next.mean = transform.Invert(mean);
    next.deviation = transform.InvertDeviation(mean, deviation);
    // All members have learnt the same of where trials have no value.
    const auto chances = ChancesOfValue(request_.model.member(0), x);
    if (chances.has_value()) next.chance = chances->value();
  }

  const NextPointRequest& request_;
};

class MeanScore final : public SmoothScore {
 public:
  explicit MeanScore(const Surrogate& surrogate) : surrogate_(surrogate) {}

  Vector ValuesAt(const PointMatrix& x) const override { return surrogate_.PredictMean(x); }
  double ValueAndGradient(ConstVectorView x, VectorView gradient) const override {
    const PointPrediction there = surrogate_.PredictPoint(x);
    gradient = there.mean_gradient;
    return there.mean;
  }

 private:
  const Surrogate& surrogate_;
};

}  // namespace

Screen SharedScreen(const SearchSpace& space, const SearchedModel& model, uint64_t seed,
                    bool is_small) {
  Screen screen;
  if (space.has_candidates() || AllConfigurations(space, kEnumerable).has_value()) return screen;
  MaximizerOptions options = SearchOptionsOf(model);
  if (!model.is_costly()) {
    is_small = is_small || model.size() > 1;
    options.around_incumbents = is_small ? kFewAroundIncumbents : kSharedAroundIncumbents;
    options.quasi_random = is_small ? kFewQuasiRandom : kSharedQuasiRandom;
  }
  screen.configurations =
      ScreenOf(space, model.BestConfigurations(kSearchIncumbents), seed, options);
  screen.x = EncodeAll(space, screen.configurations);
  return screen;
}

absl::StatusOr<double> LargestMean(const NextPointRequest& request, size_t member) {
  const ConfigurationIndex none;  // A mean may be looked at where there are results.
  NextPointRequest ask{request.space, request.acquisition, request.model, none, request.pool};
  ask.seed = request.seed;
  ask.deadline = request.deadline;
  ask.screen = request.screen;
  const MeanScore score(request.model.member(member));
  SLIPSTREAM_ASSIGN_OR_RETURN(const NextPoint best,
                              Chooser(ask).Search(score, /*may_be_cut_short=*/false));
  return std::max(best.value, request.model.Incumbent(member));
}

absl::StatusOr<NextPoint> ChooseNextPoint(const NextPointRequest& request) {
  return Chooser(request).Choose();
}

absl::StatusOr<NextPoint> PointAt(const NextPointRequest& request, Configuration configuration) {
  return Chooser(request).At(std::move(configuration));
}

}  // namespace slipstream
