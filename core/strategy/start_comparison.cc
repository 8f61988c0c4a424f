#include "core/strategy/start_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/space/encoded_points.h"
#include "core/space/even_configurations.h"
#include "core/space/nearest_candidate.h"
#include "core/strategy/model_free_strategies.h"
#include "core/study/candidate_pool.h"

namespace slipstream {
namespace {

constexpr absl::string_view kStart = "start_index";
constexpr uint64_t kDrawLane = 0x57a47;
constexpr uint64_t kOtherLane = 0x07e45;
// Number of joint draws, summed over all models.
constexpr double kDraws = 100;

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

// A start, trial by trial, as places in a list of points; an infeasible trial has none.
using PlacesOfStart = std::vector<std::optional<size_t>>;

// All starts have the same length.
struct Starts {
  DistinctPoints all;
  PlacesOfStart with_sources;
  std::vector<PlacesOfStart> without_sources;
};

// A trial of the study's start that is compared.
struct TrialOfStart {
  uint64_t index = 0;
  // Null if it is infeasible.
  const Configuration* configuration = nullptr;
  // What the study would have begun with in its place.
  Configuration instead;
};

// Those trials that are not of the start, such as people's own.
template <typename Trial>
std::vector<Trial> Others(absl::Span<const Trial> trials) {
  std::vector<Trial> others;
  for (const Trial& trial : trials) {
    if (FindNote(trial.notes, kStart) == nullptr) others.push_back(trial);
  }
  return others;
}

// The candidate in place of the suggestion number `index`, if there are so many.
std::optional<int64_t> EvenlyFillingCandidate(const StudyView& view, uint64_t seed,
                                              uint64_t index) {
  const std::vector<EndedTrial> ended = Others(view.ended);
  const std::vector<OpenTrial> open = Others(view.open);
  StudyView without = view;
  without.ended = ended;
  without.open = open;
  absl::StatusOr<CandidatePool> pool = CandidatePool::Create(without);
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
  const std::vector<double>* const note = FindNote(trial.notes, kStart);
  if (note == nullptr || note->empty()) return nullptr;
  const double index = note->front();  // Of a trial that was imported it may be any number.
  const bool is_sound =
      index >= 0 && index < static_cast<double>(kMostOfStart) && index == std::floor(index);
  return is_sound ? note : nullptr;
}

std::vector<TrialOfStart> TrialsOfStart(const StudyView& view, uint64_t seed) {
  std::vector<TrialOfStart> trials;
  // A configuration that was queued again has the same index, and counts once.
  std::set<uint64_t> indices;
  for (const EndedTrial& trial : view.ended) {
    const std::vector<double>* const note = StartNoteOf(trial);
    if (note == nullptr) continue;
    const bool has_value = InformsModels(trial);
    if (!has_value && trial.ending != Ending::kInfeasible) continue;
    std::optional<Configuration> instead = PointInPlaceOf(view, seed, *note);
    if (!instead.has_value()) continue;
    const auto index = static_cast<uint64_t>((*note)[0]);
    if (!indices.insert(index).second) continue;
    trials.push_back({index, has_value ? &trial.configuration : nullptr, *std::move(instead)});
  }
  return trials;
}

// The candidates that people had left when the study began.
std::vector<int64_t> CandidatesAtFirst(const StudyView& view) {
  std::vector<EndedTrial> before;
  for (const EndedTrial& trial : view.ended) {
    if (StartNoteOf(trial) != nullptr) break;
    before.push_back(trial);
  }
  StudyView first = view;
  first.ended = before;
  first.open = {};
  const absl::StatusOr<CandidatePool> pool = CandidatePool::Create(first);
  return pool.ok() ? pool->left() : std::vector<int64_t>();
}

// Starts without sources on one space.
class EvenlyFillingStarts {
 public:
  explicit EvenlyFillingStarts(const StudyView& view) : space_(*view.space), nearest_(space_) {
    if (space_.has_candidates()) candidates_ = CandidatesAtFirst(view);
  }

  // The first `count` configurations of that of a seed; fewer where there are no more candidates.
  std::vector<Configuration> Of(uint64_t seed, size_t count) {
    std::vector<Configuration> points = EvenConfigurations(space_, seed, 0, count);
    if (!space_.has_candidates()) return points;
    std::vector<Configuration> start;
    std::vector<int64_t> left = candidates_;
    for (const Configuration& point : points) {
      if (left.empty()) return {};
      const size_t place = nearest_.PlaceAmong(left, point);
      start.push_back(space_.candidates()[static_cast<size_t>(left[place])]);
      if (!space_.allow_repeats()) left.erase(left.begin() + static_cast<ptrdiff_t>(place));
    }
    return start;
  }

 private:
  const SearchSpace& space_;
  NearestCandidate nearest_;
  std::vector<int64_t> candidates_;
};

// The study's start and the others, less those for which there are not enough candidates.
Starts AllStarts(const StudyView& view, uint64_t seed, const std::vector<TrialOfStart>& trials) {
  Starts starts;
  PlacesOfStart& own = starts.without_sources.emplace_back();
  size_t count = 0;
  for (const TrialOfStart& trial : trials) {
    std::optional<size_t>& place = starts.with_sources.emplace_back();
    if (trial.configuration != nullptr) place = starts.all.PlaceOf(*trial.configuration);
    own.emplace_back(starts.all.PlaceOf(trial.instead));
    count = std::max(count, static_cast<size_t>(trial.index) + 1);
  }
  EvenlyFillingStarts evenly_filling(view);
  for (size_t number = 1; number < kOtherStarts; ++number) {
    const std::vector<Configuration> points =
        evenly_filling.Of(SeedOfOtherStart(seed, number), count);
    if (points.size() < count) continue;
    PlacesOfStart& other = starts.without_sources.emplace_back();
    for (const TrialOfStart& trial : trials) {
      other.emplace_back(starts.all.PlaceOf(points[static_cast<size_t>(trial.index)]));
    }
  }
  return starts;
}

double LeastOf(const PlacesOfStart& places, ConstVectorView values) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::optional<size_t> place : places) {
    if (place.has_value()) least = std::min(least, values[static_cast<Index>(*place)]);
  }
  return least;
}

// The best value so far, on average over the trials. `least` stands for it until a trial has a
// value.
double MeanBestOf(const PlacesOfStart& places, ConstVectorView values, double least) {
  double best = least;
  double sum = 0;
  for (const std::optional<size_t> place : places) {
    if (place.has_value()) best = std::max(best, values[static_cast<Index>(*place)]);
    sum += best;
  }
  return sum / static_cast<double>(places.size());
}

// Counts beside how many of the others the study's start is the better one.
void CountBetter(const Starts& starts, ConstVectorView values, StartComparison& comparison) {
  const double least_with = LeastOf(starts.with_sources, values);
  for (const PlacesOfStart& other : starts.without_sources) {
    const double least = std::min(least_with, LeastOf(other, values));
    const double with = MeanBestOf(starts.with_sources, values, least);
    const double without = MeanBestOf(other, values, least);
    comparison.better += with > without ? 1 : 0;
    comparison.worse += with < without ? 1 : 0;
  }
}

// Draws the objective as often from each member of the model as it weighs, and counts in which of
// the draws either start is the better one.
absl::StatusOr<StartComparison> Draw(const SearchSpace& space, const SearchedModel& model,
                                     const Starts& starts, uint64_t seed) {
  const PointMatrix x = EncodeAll(space, starts.all.points());
  double all = 0;
  for (size_t i = 0; i < model.size(); ++i) all += std::exp(model.LogWeight(i));
  StartComparison comparison;
  double made = 0;
  for (size_t i = 0; i < model.size(); ++i) {
    const double count = std::round(kDraws * std::exp(model.LogWeight(i)) / all);
    if (count < 1) continue;
    SLIPSTREAM_ASSIGN_OR_RETURN(const Matrix draws,
                                DrawJointly(model.member(i), x, static_cast<Index>(count),
                                            CounterRandomBits(seed, i, kDrawLane)));
    for (Index j = 0; j < draws.cols(); ++j) CountBetter(starts, draws.col(j), comparison);
    made += count * static_cast<double>(starts.without_sources.size());
  }
  if (made == 0) return absl::FailedPreconditionError("no model weighs enough to be asked");
  comparison.better /= made;
  comparison.worse /= made;
  return comparison;
}

}  // namespace

uint64_t SeedOfOtherStart(uint64_t seed, size_t number) {
  return number == 0 ? seed : CounterRandomBits(seed, number, kOtherLane);
}

std::vector<Fact> StartComparison::Facts() const {
  return {{"start_trials", static_cast<double>(trials)},
          {"start_better", better},
          {"start_worse", worse}};
}

Note StartNote(const StudyView& view, uint64_t seed, uint64_t index) {
  Note note{std::string(kStart), {static_cast<double>(index)}};
  if (!view.space->has_candidates()) return note;
  const std::optional<int64_t> candidate = EvenlyFillingCandidate(view, seed, index);
  if (candidate.has_value()) note.values.push_back(static_cast<double>(*candidate));
  return note;
}

std::optional<StartComparison> CompareStarts(const StudyView& view, const SearchedModel& model,
                                             uint64_t seed) {
  const std::vector<TrialOfStart> trials = TrialsOfStart(view, seed);
  const auto has_value = [](const TrialOfStart& trial) { return trial.configuration != nullptr; };
  if (std::none_of(trials.begin(), trials.end(), has_value)) return {};
  absl::StatusOr<StartComparison> comparison =
      Draw(*view.space, model, AllStarts(view, seed, trials), seed);
  if (!comparison.ok()) return {};
  comparison->trials = trials.size();
  return *comparison;
}

}  // namespace slipstream
