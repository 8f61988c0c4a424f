#include "core/acquisition/next_point.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/time/clock.h"
#include "core/base/status.h"
#include "core/optim/enumeration.h"
#include "core/optim/space_maximizer.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

// Spaces with no more configurations are searched whole.
constexpr size_t kEnumerable = 2048;
// The number of different screens that searches share where predictions are costly.
constexpr uint64_t kScreens = 4;
// Costly predictions get a smaller search, whose screen is one of a few, so that predictions at its
// points can be cached.
MaximizerOptions SearchOptionsOf(const SearchedModel& model) {
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

class Chooser {
 public:
  explicit Chooser(const NextPointRequest& request) : request_(request) {}

  absl::StatusOr<NextPoint> Choose() {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<PointScore> score,
                                request_.acquisition->score(request_));
    SLIPSTREAM_ASSIGN_OR_RETURN(NextPoint next, Search(*score));
    if (absl::Now() > request_.deadline) {
      return absl::DeadlineExceededError("no time to search the space");
    }
    Describe(next);
    return next;
  }

 private:
  absl::StatusOr<NextPoint> Search(const PointScore& score) const {
    if (request_.pool != nullptr) return AmongCandidates(score);
    std::optional<std::vector<Configuration>> all = AllConfigurations(request_.space, kEnumerable);
    if (all.has_value()) return Among(score, *std::move(all), /*is_whole=*/true);
    const SmoothScore* const smooth = score.smooth();
    if (smooth == nullptr) {
      return Among(score, ScreenOf(request_.space, Incumbents(), request_.seed),
                   /*is_whole=*/false);
    }
    const PointFunction function{[&](const PointMatrix& x) { return smooth->ValuesAt(x); },
                                 [&](ConstVectorView x, VectorView gradient) {
                                   return smooth->ValueAndGradient(x, gradient);
                                 }};
    const MaximizerResult found =
        MaximizeOverSpace(request_.space, function, Incumbents(), request_.seed, request_.deadline,
                          SearchOptionsOf(request_.model));
    if (found.deadline_passed) return absl::DeadlineExceededError("no time to search the space");
    return FirstNotTaken(found.best);
  }

  std::vector<Configuration> Incumbents() const {
    return request_.model.BestConfigurations(kSearchIncumbents);
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

  absl::StatusOr<NextPoint> Among(const PointScore& score,
                                  std::vector<Configuration> configurations, bool is_whole) const {
    SLIPSTREAM_ASSIGN_OR_RETURN(const Vector values,
                                score.Values(EncodeAll(request_.space, configurations)));
    std::vector<ScoredConfiguration> scored;
    for (size_t i = 0; i < configurations.size(); ++i) {
      scored.push_back({std::move(configurations[i]), values[static_cast<Index>(i)]});
    }
    std::stable_sort(scored.begin(), scored.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    NextPoint next = FirstNotTaken(scored);
    next.searched_whole = is_whole;
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
    SLIPSTREAM_ASSIGN_OR_RETURN(const Vector values,
                                score.Values(EncodeAll(request_.space, configurations)));
    Index best = 0;
    const double value = values.maxCoeff(&best);
    const int64_t candidate = left[static_cast<size_t>(best)];
    NextPoint next{std::move(configurations[static_cast<size_t>(best)]), candidate, value};
    next.searched_whole = true;
    return next;
  }

  // Evenly, to at most `most`.
  void Thin(size_t most, std::vector<int64_t>& candidates) const {
    if (candidates.size() <= most) return;
    std::vector<int64_t> kept;
    const size_t offset = request_.seed % candidates.size();
    for (size_t i = 0; i < most; ++i) {
      kept.push_back(candidates[(offset + i * candidates.size() / most) % candidates.size()]);
    }
    std::sort(kept.begin(), kept.end());
    candidates = std::move(kept);
  }

  // Fills in what the members predict together: the mean of their means and, by
  // the law of total variance, the deviation.
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
};

}  // namespace

absl::StatusOr<NextPoint> ChooseNextPoint(const NextPointRequest& request) {
  return Chooser(request).Choose();
}

}  // namespace slipstream
