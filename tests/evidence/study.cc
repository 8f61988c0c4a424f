#include "tests/evidence/study.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/sources/fitted_source.h"
#include "core/space/quasi_random.h"
#include "tests/core/space/configurations.h"
#include "tests/evidence/queued_points.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kNoiseSalt = 0x6e6f697365;
constexpr uint64_t kFillSalt = 0x66696c6c;
constexpr uint64_t kFailureSalt = 0x6661696c;

class StudyRun {
 public:
  StudyRun(const Strategy& strategy, const Problem& problem, const StudyOptions& options)
      : strategy_(strategy),
        problem_(problem),
        options_(options),
        queue_(QueuedPoints(problem, options.queued)) {}

  absl::StatusOr<std::vector<Evaluation>> Run() {
    for (const Point& point : problem_.initial) {
      Evaluation added;
      added.point = point;
      Lease(std::move(added));
      EndOldest();
    }
    Fill();
    while (suggested_ < options_.suggestions) {
      SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Evaluation> batch, Ask());
      for (Evaluation& next : batch) {
        SLIPSTREAM_RETURN_IF_ERROR(Check(next.point));
        Lease(std::move(next), /*suggested=*/true);
        ++suggested_;
      }
      const size_t left = options_.workers - std::min(options_.workers, options_.batch);
      while (open_.size() > left) EndOldest();
    }
    while (!open_.empty()) EndOldest();
    return std::move(evaluations_);
  }

 private:
  // The view that the server would pass to the strategy now. Every field of a
  // StudyView is set here and nowhere else.
  StudyView View() const {
    StudyView view;
    view.space = problem_.space.get();
    view.goal = problem_.goal;
    view.noiseless = problem_.noiseless;
    view.last_trial = last_trial_;
    view.suggested = suggested_;
    if (strategy_.ReadsHistory(*problem_.space)) {
      view.ended = ended_;
      view.open = open_;
    }
    if (options_.queued == 0) view.sources = problem_.sources;
    view.fitted_sources = &library_;
    return view;
  }

  void Fill() {
    const SearchSpace& space = *problem_.space;
    const auto count = static_cast<size_t>(options_.filled);
    for (const std::vector<double>& point :
         QuasiRandomPoints(space.dimension(), options_.seed ^ kFillSalt, 0, count)) {
      Evaluation added;
      added.point.configuration = space.Sample(point);
      Lease(std::move(added));
      EndOldest();
    }
  }

  // What is queued counts as suggested.
  std::vector<Evaluation> NextQueued() const {
    Evaluation next;
    next.suggestion = static_cast<int>(suggested_) + 1;
    next.point = queue_[static_cast<size_t>(suggested_)];
    return {std::move(next)};
  }

  // The next batch of suggestions, which one call asks for.
  absl::StatusOr<std::vector<Evaluation>> Ask() const {
    if (static_cast<size_t>(suggested_) < queue_.size()) return NextQueued();
    const StudyView view = View();
    const int count = std::min(static_cast<int>(options_.batch),
                               options_.suggestions - static_cast<int>(suggested_));
    const auto start = std::chrono::steady_clock::now();
    SLIPSTREAM_ASSIGN_OR_RETURN(
        std::vector<Suggestion> suggestions,
        strategy_.Suggest(view, count, options_.seed, Deadline::In(options_.budget)));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (suggestions.size() != static_cast<size_t>(count)) {
      return absl::InternalError(
          absl::StrCat(suggestions.size(), " suggestions instead of ", count));
    }
    std::vector<Evaluation> batch;
    for (Suggestion& suggestion : suggestions) {
      Evaluation asked;
      asked.suggestion = static_cast<int>(suggested_) + static_cast<int>(batch.size()) + 1;
      asked.point = {std::move(suggestion.configuration), suggestion.candidate};
      asked.seconds = taken.count() / count;
      asked.provenance = std::move(suggestion.provenance);
      batch.push_back(std::move(asked));
    }
    return batch;
  }

  absl::Status Check(const Point& suggestion) const {
    const SearchSpace& space = *problem_.space;
    if (!IsLegal(space, suggestion.configuration)) {
      return absl::InternalError("a suggestion is outside the space");
    }
    if (suggestion.candidate.has_value() != space.has_candidates()) {
      return absl::InternalError("a suggestion names a candidate without a list, or none of one");
    }
    if (!space.has_candidates()) return absl::OkStatus();
    if (space.CandidateIndex(suggestion.configuration) != suggestion.candidate) {
      return absl::InternalError("a suggestion's configuration is not its candidate's");
    }
    const auto has_candidate = [&suggestion](const auto& trial) {
      return trial.candidate == suggestion.candidate;
    };
    if (std::any_of(ended_.begin(), ended_.end(), has_candidate) ||
        std::any_of(open_.begin(), open_.end(), has_candidate)) {
      return absl::InternalError("a candidate was suggested twice");
    }
    return absl::OkStatus();
  }

  void Lease(Evaluation evaluation, bool suggested = false) {
    open_.push_back({++last_trial_, evaluation.point.configuration, evaluation.point.candidate,
                     evaluation.provenance.notes, suggested});
    waiting_.push_back(std::move(evaluation));
  }

  // A worker reports the outcome of the oldest pending trial.
  void EndOldest() {
    Evaluation evaluation = std::move(waiting_.front());
    waiting_.pop_front();
    const OpenTrial trial = open_.front();
    open_.erase(open_.begin());
    const auto number = static_cast<uint64_t>(trial.number);
    double exact = problem_.value(evaluation.point);
    Ending ending = std::isnan(exact) ? problem_.without_value : Ending::kMeasured;
    if (FailsByChance(problem_, options_.seed, number)) {
      ending = Ending::kFailed;
      exact = std::numeric_limits<double>::quiet_NaN();
    }
    evaluation.value = exact + NoiseOf(problem_, options_.seed, number);
    if (ending == Ending::kMeasured) regret_ = std::min(regret_, problem_.RegretOf(exact));
    evaluation.regret = regret_;
    evaluation.own_regret = problem_.RegretOf(exact);
    ended_.push_back({trial.number, trial.configuration, trial.candidate, ending, evaluation.value,
                      trial.notes, trial.suggested});
    if (ending != Ending::kMeasured) ended_.back().value.reset();
    evaluations_.push_back(std::move(evaluation));
  }

  const Strategy& strategy_;
  const Problem& problem_;
  const StudyOptions& options_;
  const std::vector<Point> queue_;
  int64_t last_trial_ = 0;
  int64_t suggested_ = 0;
  std::vector<EndedTrial> ended_;
  std::vector<OpenTrial> open_;
  std::deque<Evaluation> waiting_;  // The pending trials, oldest first.
  double regret_ = std::numeric_limits<double>::infinity();
  std::vector<Evaluation> evaluations_;
  mutable SourceLibrary library_{size_t{256} << 20};
};

}  // namespace

double NoiseOf(const Problem& problem, uint64_t study_seed, uint64_t trial) {
  if (problem.disturbance) return problem.disturbance(study_seed, trial);
  if (problem.noise_deviation == 0) return 0;
  return problem.noise_deviation * StandardNormal(study_seed ^ kNoiseSalt, trial);
}

bool FailsByChance(const Problem& problem, uint64_t study_seed, uint64_t trial) {
  return CounterRandomUniform(study_seed ^ kFailureSalt, trial, 0) < problem.failure_rate;
}

uint64_t StudySeed(absl::string_view problem, uint64_t number) {
  uint64_t hash = 0;
  for (const char letter : problem) {
    hash = CounterRandomBits(hash, static_cast<unsigned char>(letter), 0);
  }
  return CounterRandomBits(hash, number, 1);
}

absl::StatusOr<std::vector<Evaluation>> RunStudy(const Strategy& strategy, const Problem& problem,
                                                 const StudyOptions& options) {
  return StudyRun(strategy, problem, options).Run();
}

}  // namespace slipstream::evidence
