// Asks what a study's model should make of trials that were stopped early, and prints CSV.
//
//   stopped_values --rules median,asha --treatments ignored,as_it_is,carried --seeds 0-9
//
// A strategy chooses among a task's recorded trainings, several at a time, while a rule stops
// trainings early. The study has steps for `--whole` whole trainings. A line is one study: the
// regret of the best value that was reported when the steps were used up, in units of the
// difference between the median training's best value and the best of all.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/near_names.h"
#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "tests/evidence/stopping/carried_value.h"
#include "tests/evidence/stopping/recorded_curves.h"
#include "tests/evidence/stopping/replay.h"
#include "tests/testing/command_flags.h"

namespace slipstream::evidence {
namespace {

enum class Treatment { kIgnored, kAsItIs, kCarried };

const std::map<std::string, Treatment>& Treatments() {
  static const auto& treatments =
      *new std::map<std::string, Treatment>{{"ignored", Treatment::kIgnored},
                                            {"as_it_is", Treatment::kAsItIs},
                                            {"carried", Treatment::kCarried}};
  return treatments;
}

struct Arguments {
  std::string folder = CurvesFolder();
  std::string preset = "gp_log_ei";
  std::string rules = "none,median,asha,curve";
  std::string treatments = "ignored,as_it_is,carried";
  std::string part = "all";
  uint64_t first_seed = 0;
  uint64_t seeds = 10;
  size_t whole = 20;
  size_t workers = 4;
};

double MedianOf(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers[numbers.size() / 2];
}

// The best value that each training ever reports.
std::vector<double> BestValues(const RecordedTask& task) {
  std::vector<double> best;
  for (const RecordedCurve& curve : task.curves) {
    best.push_back(task.goal == Goal::kMinimize
                       ? *std::min_element(curve.values.begin(), curve.values.end())
                       : *std::max_element(curve.values.begin(), curve.values.end()));
  }
  return best;
}

// A study of the task's trainings as candidates.
class TunedStudy {
 public:
  static absl::StatusOr<std::unique_ptr<TunedStudy>> Create(const RecordedTask& task,
                                                            const Strategy& strategy,
                                                            Treatment treatment, uint64_t seed) {
    std::vector<Parameter> parameters;
    for (const std::string& name : task.parameters) {
      parameters.push_back({name, DoubleDomain{0, 1, Scale::kLinear}, {}, {}});
    }
    SearchSpace::CandidateTable table;
    for (const RecordedCurve& curve : task.curves) {
      std::vector<Assignment> row;
      for (size_t i = 0; i < curve.parameters.size(); ++i) {
        row.push_back({task.parameters[i], curve.parameters[i]});
      }
      table.rows.push_back(std::move(row));
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space,
                                SearchSpace::Create(std::move(parameters), std::move(table)));
    return std::unique_ptr<TunedStudy>(
        new TunedStudy(task, std::move(space), strategy, treatment, seed));
  }

  // Empty once `most_steps` are used up, or after an error, which `status` then tells.
  std::optional<ReplayOrder::Training> Next(const ReplayedStudy& study,
                                            absl::Span<const LearningCurve> curves,
                                            int64_t most_steps) {
    if (study.steps() >= most_steps || study.trials.size() == task_.curves.size()) return {};
    std::vector<EndedTrial> ended;
    std::vector<OpenTrial> open;
    for (size_t i = 0; i < curves.size(); ++i) {
      const size_t candidate = study.trials[i].curve;
      const Configuration& configuration = space_.candidates()[candidate];
      const auto index = static_cast<int64_t>(candidate);
      if (!curves[i].ending.has_value()) {
        open.push_back({curves[i].trial, configuration, index});
        continue;
      }
      EndedTrial trial = {curves[i].trial, configuration, index, *curves[i].ending, {}};
      Treat(curves[i], curves, trial);
      ended.push_back(std::move(trial));
    }
    StudyView view;
    view.space = &space_;
    view.goal = task_.goal;
    view.last_trial = static_cast<int64_t>(curves.size());
    view.suggested = view.last_trial;
    view.ended = ended;
    view.open = open;
    const auto suggestions = strategy_.Suggest(view, 1, seed_, Deadline::Infinite());
    if (!suggestions.ok()) {
      status_ = suggestions.status();
      return {};
    }
    return ReplayOrder::Training{static_cast<size_t>(*suggestions->front().candidate), 1};
  }

  const absl::Status& status() const { return status_; }

 private:
  TunedStudy(const RecordedTask& task, SearchSpace space, const Strategy& strategy,
             Treatment treatment, uint64_t seed)
      : task_(task),
        space_(std::move(space)),
        strategy_(strategy),
        treatment_(treatment),
        seed_(seed) {}

  void Treat(const LearningCurve& curve, absl::Span<const LearningCurve> curves,
             EndedTrial& trial) const {
    trial.value = curve.final_value;
    if (trial.ending != Ending::kStopped || treatment_ == Treatment::kIgnored) return;
    trial.value = treatment_ == Treatment::kCarried ? CarriedValue(task_.goal, curve, curves)
                                                    : curve.reports.back().value;
  }

  const RecordedTask& task_;
  const SearchSpace space_;
  const Strategy& strategy_;
  const Treatment treatment_;
  const uint64_t seed_;
  absl::Status status_;
};

absl::Status RunStudy(const RecordedTask& task, const Strategy& strategy, const std::string& rule,
                      const std::string& treatment, uint64_t seed, const Arguments& arguments) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const auto stopping, MakeStoppingRule(rule, {}));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<TunedStudy> tuned,
                              TunedStudy::Create(task, strategy, Treatments().at(treatment), seed));
  const size_t steps = arguments.whole * task.curves.front().values.size();
  const NextTraining next = [&](const ReplayedStudy& study,
                                absl::Span<const LearningCurve> curves) {
    return tuned->Next(study, curves, static_cast<int64_t>(steps));
  };
  const ReplayedStudy study = Replay(task, next, *stopping, arguments.workers);
  SLIPSTREAM_RETURN_IF_ERROR(tuned->status());
  std::vector<double> best = BestValues(task);
  const double found = study.best_reported[std::min(steps, study.best_reported.size()) - 1];
  const double least = task.goal == Goal::kMinimize ? *std::min_element(best.begin(), best.end())
                                                    : *std::max_element(best.begin(), best.end());
  const double regret = (found - least) / (MedianOf(std::move(best)) - least);
  std::cout << task.name << "," << arguments.preset << "," << rule << "," << treatment << ","
            << seed << "," << study.trials.size() << "," << found << "," << regret << std::endl;
  return absl::OkStatus();
}

// All studies of one task.
absl::Status RunTask(const RecordedTask& task, const Strategy& strategy,
                     const Arguments& arguments) {
  const std::vector<std::string> rules = absl::StrSplit(arguments.rules, ',');
  const std::vector<std::string> treatments = absl::StrSplit(arguments.treatments, ',');
  for (uint64_t i = 0; i < arguments.seeds; ++i) {
    for (const std::string& rule : rules) {
      for (const std::string& treatment : treatments) {
        if (rule == "none" && treatment != "ignored") continue;
        SLIPSTREAM_RETURN_IF_ERROR(
            RunStudy(task, strategy, rule, treatment, arguments.first_seed + i, arguments));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  const Preset* const preset = FindPreset(arguments.preset);
  if (preset == nullptr) {
    return InvalidField("preset", arguments.preset,
                        absl::StrCat("one of ", NearNames(arguments.preset, PresetNames())));
  }
  const std::unique_ptr<Strategy> strategy = MakeStrategy(*preset);
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<RecordedTask> tasks,
                              ReadRecordedTasks(arguments.folder));
  std::cout << "task,preset,rule,treatment,seed,trials,found,regret\n";
  for (const RecordedTask& task : tasks) {
    if (arguments.part != "all" && task.part != arguments.part) continue;
    SLIPSTREAM_RETURN_IF_ERROR(RunTask(task, *strategy, arguments));
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  Arguments arguments;
  CommandFlags flags("Compares what models may make of trials that were stopped early");
  flags.Value("--preset", &arguments.preset, "The algorithm");
  flags.Value("--rules", &arguments.rules, "Names of rules");
  flags.Value("--treatments", &arguments.treatments, "What stopped trials count as");
  flags.Choice("--part", &arguments.part, {"reported", "choosing", "all"}, "The tasks");
  flags.ValueFromZero("--first-seed", &arguments.first_seed, "The first study");
  flags.ValueFromZero("--seeds", &arguments.seeds, "Number of studies of each kind");
  flags.Value("--whole", &arguments.whole, "A study has the steps of so many whole trainings");
  flags.Value("--workers", &arguments.workers, "Number of trainings at a time");
  if (const auto code = flags.Parse(argc, argv)) return *code;
  const absl::Status status = Run(arguments);
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << status.message() << "\n";
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace slipstream::evidence

int main(int argc, char** argv) { return slipstream::evidence::Main(argc, argv); }
