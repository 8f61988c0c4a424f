#include "core/strategy/start_comparison.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/space/encoded_points.h"
#include "core/strategy/quasi_random_strategy.h"
#include "core/study/candidate_pool.h"

namespace slipstream {
namespace {

constexpr absl::string_view kStart = "start_index";
constexpr uint64_t kDrawLane = 0x57a47;
// Number of joint draws, summed over all models.
constexpr double kDraws = 1000;

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

// Both starts, trial by trial, as places in `all`; an infeasible trial has none. The two vectors
// have the same length.
struct Starts {
  DistinctPoints all;
  std::vector<std::optional<size_t>> with_sources;
  std::vector<std::optional<size_t>> without_sources;
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

// The best value so far, on average over the trials. Until a trial has a value, the least of
// `values` stands for it.
double MeanBestOf(const std::vector<std::optional<size_t>>& places, ConstVectorView values) {
  double best = values.minCoeff();
  double sum = 0;
  for (const std::optional<size_t> place : places) {
    if (place.has_value()) best = std::max(best, values[static_cast<Index>(*place)]);
    sum += best;
  }
  return sum / static_cast<double>(places.size());
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
    for (Index j = 0; j < draws.cols(); ++j) {
      const double with = MeanBestOf(starts.with_sources, draws.col(j));
      const double without = MeanBestOf(starts.without_sources, draws.col(j));
      comparison.better += with > without ? 1 : 0;
      comparison.worse += with < without ? 1 : 0;
    }
    made += count;
  }
  if (made == 0) return absl::FailedPreconditionError("no model weighs enough to be asked");
  comparison.better /= made;
  comparison.worse /= made;
  return comparison;
}

}  // namespace

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
  Starts starts;
  // A configuration that was queued again has the same one, and counts once.
  std::set<double> indices;
  for (const EndedTrial& trial : view.ended) {
    const std::vector<double>* const note = StartNoteOf(trial);
    if (note == nullptr) continue;
    const bool has_value = InformsModels(trial);
    if (!has_value && trial.ending != Ending::kInfeasible) continue;
    const std::optional<Configuration> instead = PointInPlaceOf(view, seed, *note);
    if (!instead.has_value()) continue;
    if (!indices.insert((*note)[0]).second) continue;
    starts.without_sources.emplace_back(starts.all.PlaceOf(*instead));
    auto& place = starts.with_sources.emplace_back();
    if (has_value) place = starts.all.PlaceOf(trial.configuration);
  }
  const auto has_place = [](const std::optional<size_t> place) { return place.has_value(); };
  if (std::none_of(starts.with_sources.begin(), starts.with_sources.end(), has_place)) return {};
  absl::StatusOr<StartComparison> comparison = Draw(*view.space, model, starts, seed);
  if (!comparison.ok()) return {};
  comparison->trials = indices.size();
  return *comparison;
}

}  // namespace slipstream
