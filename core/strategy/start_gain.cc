#include "core/strategy/start_gain.h"

#include <algorithm>
#include <cmath>
#include <set>
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
constexpr uint64_t kDrawLane = 0x57a47;
// Joint draws of the objective, of all models together.
constexpr double kDraws = 1000;
// Draws outside the interval, on either side.
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

// The candidate in place of the suggestion number `index`, if there are so many.
std::optional<int64_t> EvenlyFillingCandidate(const StudyView& view, uint64_t seed,
                                              uint64_t index) {
  StudyView empty = view;
  empty.ended = {};
  empty.open = {};
  absl::StatusOr<CandidatePool> pool = CandidatePool::Create(empty);
  std::optional<int64_t> candidate;
  for (uint64_t i = 0; i <= index; ++i) {
    if (!pool.ok() || pool->empty()) return {};
    candidate = QuasiRandomSuggestion(*view.space, seed, i, &*pool).candidate;
  }
  return candidate;
}

// The point in place of a trial with this note; none where the note says nothing sensible, as one
// that was imported may.
std::optional<Configuration> PointInPlaceOf(const StudyView& view, uint64_t seed,
                                            const std::vector<double>& note) {
  if (!view.space->has_candidates()) {
    return QuasiRandomSuggestion(*view.space, seed, static_cast<uint64_t>(note[0]), nullptr)
        .configuration;
  }
  const auto& candidates = view.space->candidates();
  if (note.size() < 2 || !(note[1] >= 0 && note[1] < static_cast<double>(candidates.size()))) {
    return {};
  }
  return candidates[static_cast<size_t>(note[1])];
}

// Null unless the trial is of the start.
const std::vector<double>* StartNoteOf(const EndedTrial& trial) {
  constexpr double kMostIndex = 1000;
  const std::vector<double>* const note = FindNote(trial.notes, kStart);
  const bool is_sound = note != nullptr && !note->empty() && (*note)[0] >= 0 &&
                        (*note)[0] <= kMostIndex;
  return is_sound ? note : nullptr;
}

// From the models' scale to the objective's unit. Beyond the results the way back goes on straight:
// the inverse of a power ends somewhere, and numbers are huge there.
class Units {
 public:
  explicit Units(const SearchedModel& model)
      : transform_(model.transform()),
        low_(model.results().minCoeff()),
        high_(model.results().maxCoeff()) {}

  double Of(double value) const {
    const double inside = std::clamp(value, low_, high_);
    if (value == inside) return transform_.Invert(value);
    const double step = value < inside ? kStep : -kStep;  // Towards the other results.
    const double slope = (transform_.Invert(inside + step) - transform_.Invert(inside)) / step;
    return transform_.Invert(inside) + slope * (value - inside);
  }

 private:
  static constexpr double kStep = 1e-3;

  const OutputTransform& transform_;
  double low_;
  double high_;
};

double BestOf(const std::vector<size_t>& places, ConstVectorView values) {
  double best = values[static_cast<Index>(places.front())];
  for (const size_t place : places) best = std::max(best, values[static_cast<Index>(place)]);
  return best;
}

// Draws of the gain, as often from each member of the model as it weighs.
absl::StatusOr<std::vector<double>> DrawGains(const SearchSpace& space, const SearchedModel& model,
                                              const Starts& starts, uint64_t seed) {
  const PointMatrix x = EncodeAll(space, starts.all.points());
  const Units units(model);
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
      const double distance = std::abs(units.Of(with) - units.Of(without));
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

Note StartNote(const StudyView& view, uint64_t seed, uint64_t index) {
  Note note{std::string(kStart), {static_cast<double>(index)}};
  if (!view.space->has_candidates()) return note;
  const std::optional<int64_t> candidate = EvenlyFillingCandidate(view, seed, index);
  if (candidate.has_value()) note.values.push_back(static_cast<double>(*candidate));
  return note;
}

std::optional<StartGain> GainOfStart(const StudyView& view, const SearchedModel& model,
                                     uint64_t seed) {
  Starts starts;
  std::set<double> indices;  // A configuration that was queued again has the same one.
  for (const EndedTrial& trial : view.ended) {
    const std::vector<double>* const note = StartNoteOf(trial);
    if (note == nullptr) continue;
    const bool has_value = InformsModels(trial);
    if (!has_value && trial.ending != Ending::kInfeasible) continue;
    const std::optional<Configuration> instead = PointInPlaceOf(view, seed, *note);
    if (!instead.has_value()) continue;
    if (has_value) starts.with_sources.push_back(starts.all.PlaceOf(trial.configuration));
    if (indices.insert((*note)[0]).second) {
      starts.without_sources.push_back(starts.all.PlaceOf(*instead));
    }
  }
  if (starts.with_sources.empty()) return {};
  absl::StatusOr<std::vector<double>> gains = DrawGains(*view.space, model, starts, seed);
  if (!gains.ok() || gains->empty()) return {};
  std::sort(gains->begin(), gains->end());
  const auto at = [&](double part) {
    return (*gains)[static_cast<size_t>(part * static_cast<double>(gains->size() - 1))];
  };
  const StartGain start{indices.size(), at(0.5), at(kTail), at(1 - kTail)};
  const bool is_finite = std::isfinite(start.gain_low) && std::isfinite(start.gain_high);
  return is_finite ? std::make_optional(start) : std::nullopt;
}

}  // namespace slipstream
