#include "tests/evidence/stopping/replay.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <utility>

#include "core/base/counter_random.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kOrderLane = 0x0de5;
constexpr uint64_t kDurationLane = 0xd05a;

class ReplayRun {
 public:
  ReplayRun(const RecordedTask& task, const NextTraining& next, const StoppingRule& rule)
      : task_(task), next_(next), rule_(rule) {}

  ReplayedStudy Run(size_t workers) {
    for (size_t worker = 0; worker < workers; ++worker) TakeNext(0);
    while (true) {
      const auto next = std::min_element(
          busy_.begin(), busy_.end(), [](const Busy& a, const Busy& b) { return a.time < b.time; });
      if (next == busy_.end() || std::isinf(next->time)) break;
      Report(*next);
    }
    return std::move(study_);
  }

 private:
  // One worker: its trial, and when it reports next; never if it has none.
  struct Busy {
    size_t trial = 0;
    double time = INFINITY;
    double duration = 0;  // The time that a step takes.
  };

  void TakeNext(double time) { busy_.push_back(NextTrial(time)); }

  Busy NextTrial(double time) {
    const std::optional<ReplayOrder::Training> next = next_(study_, curves_);
    if (!next.has_value()) return {};
    study_.trials.push_back({next->curve});
    curves_.push_back({static_cast<int64_t>(curves_.size()) + 1});
    reports_.emplace_back();
    return {curves_.size() - 1, time + next->duration, next->duration};
  }

  void Report(Busy& worker) {
    const size_t trial = worker.trial;
    ReplayedStudy::Trial& training = study_.trials[trial];
    const std::vector<double>& values = task_.curves[training.curve].values;
    const double value = values[static_cast<size_t>(training.steps)];
    reports_[trial].push_back({++training.steps, value});
    curves_[trial].reports = reports_[trial];
    const bool is_best =
        study_.best_reported.empty() || task_.IsBetter(value, study_.best_reported.back());
    study_.best_reported.push_back(is_best ? value : study_.best_reported.back());
    if (training.steps == static_cast<int64_t>(values.size())) {
      Finish(trial, value);
    } else if (IsToStop(trial)) {
      training.is_stopped = true;
      curves_[trial].ending = Ending::kStopped;
    } else {
      worker.time += worker.duration;
      return;
    }
    worker = NextTrial(worker.time);
  }

  void Finish(size_t trial, double value) {
    curves_[trial].ending = Ending::kMeasured;
    curves_[trial].final_value = value;
    const std::optional<double>& best = study_.best_finished;
    if (!best.has_value() || task_.IsBetter(value, *best)) study_.best_finished = value;
  }

  bool IsToStop(size_t trial) const {
    std::vector<LearningCurve> others = curves_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(trial));
    return rule_.Advise({task_.goal, curves_[trial], others}).stop;
  }

  const RecordedTask& task_;
  const NextTraining& next_;
  const StoppingRule& rule_;
  ReplayedStudy study_;
  std::deque<std::vector<StepValue>> reports_;  // Curves refer to them.
  std::vector<LearningCurve> curves_;
  std::vector<Busy> busy_;
};

}  // namespace

ReplayOrder DrawOrder(const RecordedTask& task, size_t count, uint64_t seed) {
  std::vector<size_t> curves(task.curves.size());
  std::iota(curves.begin(), curves.end(), size_t{0});
  std::sort(curves.begin(), curves.end(), [seed](size_t a, size_t b) {
    return CounterRandomBits(seed, a, kOrderLane) < CounterRandomBits(seed, b, kOrderLane);
  });
  curves.resize(std::min(count, curves.size()));
  ReplayOrder order;
  for (const size_t curve : curves) {
    const double place = CounterRandomUniform(seed, curve, kDurationLane);
    order.trainings.push_back({curve, std::exp2(2 * place - 1)});
  }
  return order;
}

ReplayedStudy Replay(const RecordedTask& task, const ReplayOrder& order, const StoppingRule& rule,
                     size_t workers) {
  const NextTraining next =
      [&order](const ReplayedStudy& study,
               absl::Span<const LearningCurve>) -> std::optional<ReplayOrder::Training> {
    const size_t trial = study.trials.size();
    if (trial == order.trainings.size()) return std::nullopt;
    return order.trainings[trial];
  };
  return Replay(task, next, rule, workers);
}

ReplayedStudy Replay(const RecordedTask& task, const NextTraining& next, const StoppingRule& rule,
                     size_t workers) {
  return ReplayRun(task, next, rule).Run(workers);
}

}  // namespace slipstream::evidence
