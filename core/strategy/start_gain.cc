#include "core/strategy/start_gain.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/space/encoded_points.h"
#include "core/strategy/quasi_random_strategy.h"
#include "core/study/candidate_pool.h"

namespace slipstream {
namespace {

constexpr absl::string_view kStart = "start";
constexpr uint64_t kDrawLane = 0x57a47;  // Of the study's random numbers.
// Joint draws of the objective, shared by the models: an end of the interval is the 25th.
constexpr double kDraws = 1000;
constexpr double kTail = 0.025;

// Configurations without repeats; a place is a row of the models' points.
class DistinctPoints {
 public:
  size_t PlaceOf(const Configuration& configuration) {
    const auto found = std::find(points_.begin(), points_.end(), configuration);
    if (found != points_.end()) return static_cast<size_t>(found - points_.begin());
    points_.push_back(configuration);
    return points_.size() - 1;
  }
  const std::vector<Configuration>& points() const { return points_; }

 private:
  std::vector<Configuration> points_;
};

// The two starts, as places of points.
struct Starts {
  DistinctPoints all;
  std::vector<size_t> with_sources;
  std::vector<size_t> without_sources;
};

// What the study would begin with without sources.
std::vector<Configuration> EvenlyFilling(const StudyView& view, size_t count, uint64_t seed) {
  StudyView empty = view;
  empty.ended = {};
  empty.open = {};
  absl::StatusOr<CandidatePool> pool;
  if (view.space->has_candidates()) pool = CandidatePool::Create(empty);
  std::vector<Configuration> points;
  for (size_t i = 0; i < count; ++i) {
    if (pool.ok() && pool->empty()) break;
    points.push_back(
        QuasiRandomSuggestion(*view.space, seed, i, pool.ok() ? &*pool : nullptr).configuration);
  }
  return points;
}

double BestOf(const std::vector<size_t>& places, ConstVectorView values) {
  double best = values[static_cast<Index>(places.front())];
  for (const size_t place : places) best = std::max(best, values[static_cast<Index>(place)]);
  return best;
}

// Draws of the gain, as often from each member of the model as it weighs.
absl::StatusOr<std::vector<double>> DrawGains(const SearchSpace& space, const SearchedModel& model,
                                              const Starts& starts, uint64_t seed) {
  const PointMatrix x = EncodeAll(space, starts.all.points());
  double all = 0;
  for (size_t i = 0; i < model.size(); ++i) all += std::exp(model.LogWeight(i));
  std::vector<double> gains;
  for (size_t i = 0; i < model.size(); ++i) {
    const double count = std::round(kDraws * std::exp(model.LogWeight(i)) / all);
    if (count < 1) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(const Matrix draws,
                                DrawJointly(model.member(i), x, static_cast<Index>(count),
                                            CounterRandomBits(seed, i, kDrawLane)));
    for (Index j = 0; j < draws.cols(); ++j) {
      const double with = BestOf(starts.with_sources, draws.col(j));
      const double without = BestOf(starts.without_sources, draws.col(j));
      const double distance =
          std::abs(model.transform().Invert(with) - model.transform().Invert(without));
      gains.push_back(with < without ? -distance : distance);
    }
  }
  return gains;
}

}  // namespace

std::vector<Fact> StartGain::Facts() const {
  return {{"start_trials", static_cast<double>(trials)},
          {"start_gain", gain},
          {"start_gain_low", gain_low},
          {"start_gain_high", gain_high}};
}

Note StartNote() { return {std::string(kStart), {1}}; }

std::optional<StartGain> GainOfStart(const StudyView& view, const SearchedModel& model, size_t most,
                                     uint64_t seed) {
  StartGain start;
  Starts starts;
  for (const EndedTrial& trial : view.ended) {
    if (start.trials == most) break;
    if (FindNote(trial.notes, kStart) == nullptr) continue;
    ++start.trials;
    if (InformsModels(trial)) {
      starts.with_sources.push_back(starts.all.PlaceOf(trial.configuration));
    }
  }
  for (const Configuration& point : EvenlyFilling(view, start.trials, seed)) {
    starts.without_sources.push_back(starts.all.PlaceOf(point));
  }
  if (starts.with_sources.empty() || starts.without_sources.empty()) return {};
  absl::StatusOr<std::vector<double>> gains = DrawGains(*view.space, model, starts, seed);
  if (!gains.ok() || gains->empty()) return {};
  std::sort(gains->begin(), gains->end());
  const auto at = [&](double part) {
    return (*gains)[static_cast<size_t>(part * static_cast<double>(gains->size() - 1))];
  };
  start.gain = at(0.5);
  start.gain_low = at(kTail);
  start.gain_high = at(1 - kTail);
  if (!std::isfinite(start.gain_low) || !std::isfinite(start.gain_high)) return {};
  return start;
}

}  // namespace slipstream
