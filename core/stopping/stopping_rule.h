// Rules of early stopping: whether a training that is under way should end, judged by what it has
// reported so far and by what the study's other trainings reported.
//
//   SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<const StoppingRule> rule,
//                               MakeStoppingRule("asha", {{"reduction_factor", 3}}));
//   const StoppingAdvice advice = rule->Advise({Goal::kMinimize, running, others});
//   if (advice.stop) End(trial, advice.reason);
//
// Rules are pure: the same view gives the same advice, in whichever order the other curves come,
// and whichever caller asks, how often, and when. What a rule needs to know beyond the reports,
// such as a trial's Hyperband bracket, follows from the trial's number. Minimising a metric and
// maximising its negative are the same.
#ifndef SLIPSTREAM_CORE_STOPPING_STOPPING_RULE_H_
#define SLIPSTREAM_CORE_STOPPING_STOPPING_RULE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/base/ingredient.h"
#include "core/study/study_view.h"

namespace slipstream {

// One report of a training.
struct StepValue {
  int64_t step = 0;  // Not negative.
  double value = 0;  // The study's metric, in its own unit; finite.
};

// All that is known of one training.
struct LearningCurve {
  int64_t trial = 0;                         // The trial's number; no two curves share one.
  std::optional<Ending> ending = {};         // Empty while it is running.
  absl::Span<const StepValue> reports = {};  // Steps ascend strictly.
  std::optional<double> final_value = {};    // The trial's result if it has one; finite.
};

// A study's trainings at one moment. What it points to must outlive the call that it is passed to.
struct StoppingView {
  Goal goal = Goal::kMaximize;
  LearningCurve running;
  absl::Span<const LearningCurve> others;  // In any order; without the running one.
};

struct StoppingAdvice {
  bool stop = false;
  std::string reason;  // One sentence for people, with numbers; also when the training goes on.
};

// Immutable, hence thread-safe.
class StoppingRule {
 public:
  virtual ~StoppingRule() = default;

  // Advises to go on as long as the running trial has reported nothing.
  StoppingAdvice Advise(const StoppingView& view) const;

 private:
  // Called with at least one report of the running trial.
  virtual StoppingAdvice DoAdvise(const StoppingView& view) const = 0;
};

struct StoppingRow {
  Ingredient about;
  std::unique_ptr<const StoppingRule> (*make)(const OptionSet& options) = nullptr;
};

// All of them, in the order in which people should meet them.
absl::Span<const StoppingRow* const> StoppingRows();

// The rule of that name with the given options, others at their defaults.
// INVALID_ARGUMENT, an InvalidField on "rule" or "options[grace_steps]", that names what would be
// accepted: for an unknown name, an option that the rule does not have, and a value out of bounds.
absl::StatusOr<std::unique_ptr<const StoppingRule>> MakeStoppingRule(
    absl::string_view name, const std::map<std::string, double>& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_STOPPING_RULE_H_
