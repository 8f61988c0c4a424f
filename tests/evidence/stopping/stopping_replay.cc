// Replays the recorded trainings under rules of early stopping and prints CSV.
//
//   stopping_replay --rules median,asha+reduction_factor=4 --part reported --seeds 0-19
//   stopping_replay --orders --seeds 0-19    # The orders, for others to replay.
//
// A line is one study: the steps that it trained, the share that it saved of all, the best value
// that any training reported and the best result of one that finished; beside these, the values
// without stopping, and the best that was reported without stopping after as many steps.
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "tests/evidence/stopping/recorded_curves.h"
#include "tests/evidence/stopping/replay.h"
#include "tests/testing/command_flags.h"

namespace slipstream::evidence {
namespace {

struct Arguments {
  std::string folder = CurvesFolder();
  std::string rules = "none,median,percentile,asha,hyperband,patience,curve";
  std::string part = "reported";
  uint64_t first_seed = 0;
  uint64_t seeds = 20;
  size_t trials = 50;
  size_t workers = 4;
  bool orders = false;
};

using NamedRule = std::pair<std::string, std::unique_ptr<const StoppingRule>>;

// The rule for a text such as "asha+reduction_factor=4+first_rung=2".
absl::StatusOr<std::unique_ptr<const StoppingRule>> RuleOf(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '+');
  std::map<std::string, double> options;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::pair<std::string, std::string> sides =
        absl::StrSplit(parts[i], absl::MaxSplits('=', 1));
    if (!absl::SimpleAtod(sides.second, &options[sides.first])) {
      return InvalidField("rules", text, "a rule's name and +OPTION=NUMBER of its options");
    }
  }
  return MakeStoppingRule(parts.front(), options);
}

absl::StatusOr<std::vector<NamedRule>> RulesOf(const std::string& texts) {
  std::vector<NamedRule> rules;
  for (const absl::string_view text : absl::StrSplit(texts, ',')) {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<const StoppingRule> rule,
                                RuleOf(std::string(text)));
    rules.emplace_back(text, std::move(rule));
  }
  return rules;
}

void PrintOrder(const RecordedTask& task, uint64_t seed, const ReplayOrder& order) {
  for (const ReplayOrder::Training& training : order.trainings) {
    std::cout << task.name << "," << seed << "," << training.curve << ","
              << FormatNumber(training.duration) << "\n";
  }
}

void PrintStudy(const RecordedTask& task, const std::string& rule, uint64_t seed,
                const ReplayedStudy& study, const ReplayedStudy& whole) {
  int64_t stopped = 0;
  for (const ReplayedStudy::Trial& trial : study.trials) stopped += trial.is_stopped ? 1 : 0;
  const size_t last = study.best_reported.size() - 1;
  std::cout << task.name << "," << task.goal_name() << "," << rule << "," << seed << ","
            << study.steps() << "," << whole.steps() << ","
            << 1 - static_cast<double>(study.steps()) / static_cast<double>(whole.steps()) << ","
            << stopped << "," << study.best_reported.back() << ","
            << (study.best_finished.has_value() ? absl::StrCat(*study.best_finished) : "") << ","
            << whole.best_reported.back() << "," << *whole.best_finished << ","
            << whole.best_reported[last] << "\n";
}

absl::Status Run(const Arguments& arguments) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<NamedRule> rules, RulesOf(arguments.rules));
  SLIPSTREAM_ASSIGN_OR_RETURN(const auto never, MakeStoppingRule("none", {}));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<RecordedTask> tasks,
                              ReadRecordedTasks(arguments.folder));
  std::cout << (arguments.orders ? "task,seed,curve,duration\n"
                                 : "task,goal,rule,seed,steps,all_steps,saved,stopped,"
                                   "best_reported,best_finished,whole_reported,whole_finished,"
                                   "whole_reported_then\n");
  for (const RecordedTask& task : tasks) {
    if (arguments.part != "all" && task.part != arguments.part) continue;
    for (uint64_t i = 0; i < arguments.seeds; ++i) {
      const uint64_t seed = arguments.first_seed + i;
      const ReplayOrder order = DrawOrder(task, arguments.trials, seed);
      if (arguments.orders) {
        PrintOrder(task, seed, order);
        continue;
      }
      const ReplayedStudy whole = Replay(task, order, *never, arguments.workers);
      for (const auto& [name, rule] : rules) {
        PrintStudy(task, name, seed, Replay(task, order, *rule, arguments.workers), whole);
      }
    }
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CommandFlags flags("Replays recorded trainings under rules of early stopping");
  flags.Value("--rules", &arguments.rules, "Names with options, such as asha+first_rung=2");
  flags.Choice("--part", &arguments.part, {"reported", "choosing", "all"}, "The tasks");
  flags.ValueFromZero("--first-seed", &arguments.first_seed, "The first order");
  flags.ValueFromZero("--seeds", &arguments.seeds, "Number of orders");
  flags.Value("--trials", &arguments.trials, "Number of trainings drawn for a study");
  flags.Value("--workers", &arguments.workers, "Number of trainings at a time");
  flags.Value("--curves", &arguments.folder, "Folder with tasks.csv and the recorded curves");
  flags.TurnOn("--orders", &arguments.orders, "Prints the orders and replays nothing");
  if (const auto code = flags.Parse(argc, argv)) return *code;
  const absl::Status status = Run(arguments);
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << status.message() << "\n";
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace slipstream::evidence

int main(int argc, char** argv) { return slipstream::evidence::Main(argc, argv); }
