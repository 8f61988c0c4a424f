// Trainings made by hand for tests of rules of early stopping.
#ifndef SLIPSTREAM_TESTS_CORE_STOPPING_HAND_MADE_STUDY_H_
#define SLIPSTREAM_TESTS_CORE_STOPPING_HAND_MADE_STUDY_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/stopping/stopping_rule.h"

namespace slipstream {

// Reports at the steps 1, 2, ...
inline std::vector<StepValue> StepByStep(const std::vector<double>& values) {
  std::vector<StepValue> reports;
  for (const double value : values) {
    reports.push_back({static_cast<int64_t>(reports.size()) + 1, value});
  }
  return reports;
}

// The same value at the steps 1 to `steps`.
inline std::vector<StepValue> Level(double value, size_t steps) {
  return StepByStep(std::vector<double>(steps, value));
}

// A study with one running trial that is asked about. Values are what a study that minimises sees;
// one that maximises sees their negatives. Not to be copied, as views refer to it.
class HandMadeStudy {
 public:
  explicit HandMadeStudy(Goal goal = Goal::kMinimize) : goal_(goal) {}
  HandMadeStudy(const HandMadeStudy&) = delete;
  HandMadeStudy& operator=(const HandMadeStudy&) = delete;

  void Running(std::vector<StepValue> reports, int64_t trial = 1000) {
    running_ = {trial, std::nullopt, Keep(std::move(reports))};
  }
  // With the next number, from 1 on. A measured one has the last report's value as its result.
  void Other(std::vector<StepValue> reports, std::optional<Ending> ending = Ending::kMeasured) {
    const auto trial = static_cast<int64_t>(others_.size()) + 1;
    const absl::Span<const StepValue> kept = Keep(std::move(reports));
    others_.push_back({trial, ending, kept});
    if (ending == Ending::kMeasured && !kept.empty()) {
      others_.back().final_value = kept.back().value;
    }
  }
  std::vector<LearningCurve>& others() { return others_; }

  StoppingView View() const { return {goal_, running_, others_}; }
  // The advice of that rule with these options.
  StoppingAdvice Ask(absl::string_view rule, const std::map<std::string, double>& options) const {
    const auto made = MakeStoppingRule(rule, options);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? (*made)->Advise(View()) : StoppingAdvice();
  }
  bool Stops(absl::string_view rule, const std::map<std::string, double>& options = {}) const {
    return Ask(rule, options).stop;
  }

 private:
  absl::Span<const StepValue> Keep(std::vector<StepValue> reports) {
    if (goal_ == Goal::kMaximize) {
      for (StepValue& report : reports) report.value = -report.value;
    }
    return kept_.emplace_back(std::move(reports));
  }

  Goal goal_;
  LearningCurve running_;
  std::vector<LearningCurve> others_;
  std::deque<std::vector<StepValue>> kept_;  // Keeps its elements where they are.
};

inline constexpr Goal kBothGoals[] = {Goal::kMinimize, Goal::kMaximize};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_STOPPING_HAND_MADE_STUDY_H_
