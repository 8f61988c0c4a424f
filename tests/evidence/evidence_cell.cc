// One cell of a comparison: a study of one preset on one problem with one seed.
//
//   evidence_cell --preset quasi_random --problem branin --seed 3 --output cell.csv
//
// Writes a line of CSV for each evaluation. Exit codes: 0 for success, 1 for an error,
// 77 if the problem cannot begin like that, for example because nothing was recorded
// for the seed. Standard error then says why.
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/near_names.h"
#include "core/base/status.h"
#include "core/recipe/presets.h"
#include "core/recipe/recipe_names.h"
#include "core/strategy/make_strategy.h"
#include "tests/evidence/csv.h"
#include "tests/evidence/problems.h"
#include "tests/evidence/space_text.h"
#include "tests/evidence/study.h"
#include "tests/testing/command_flags.h"

namespace slipstream::evidence {
namespace {

constexpr int kCannotBegin = 77;

struct Arguments {
  std::string preset = "quasi_random";
  std::string problem = "branin";
  Beginning beginning;
  StudyOptions study;
  double budget_seconds = absl::ToDoubleSeconds(StudyOptions{}.budget);
  std::string output;
  bool list_problems = false;
  bool list_presets = false;
};

absl::string_view RungName(Rung rung) {
  switch (rung) {
    case Rung::kRecipe:
      return "recipe";
    case Rung::kWithoutTransfer:
      return "without_transfer";
    case Rung::kQuasiRandom:
      return "quasi_random";
  }
  return "";
}

std::string ConfigurationText(const SearchSpace& space, const Configuration& configuration) {
  return absl::StrJoin(
      space.Name(configuration), " ", [](std::string* out, const Assignment& assignment) {
        absl::StrAppend(out, assignment.name, "=", NamedValueText(assignment.value));
      });
}

std::string FactsText(const Provenance& provenance) {
  std::vector<std::string> facts;
  if (!provenance.rung_reason.empty()) {
    facts.push_back(absl::StrCat("rung_reason=", provenance.rung_reason));
  }
  for (const Fact& fact : provenance.facts) {
    const auto* number = std::get_if<double>(&fact.value);
    facts.push_back(absl::StrCat(
        fact.name, "=", number ? FormatNumber(*number) : std::get<std::string>(fact.value)));
  }
  for (const SourceWeight& source : provenance.sources) {
    facts.push_back(absl::StrCat(source.source, "=", FormatNumber(source.weight)));
  }
  return absl::StrJoin(facts, "; ");
}

std::string CellText(const Arguments& arguments, const Problem& problem,
                     const std::vector<Evaluation>& evaluations) {
  std::string text =
      "preset,problem,seed,study_seed,evaluation,suggestion,value,regret,own_regret,"
      "worst_regret,mean_regret,seconds,rung,branch,best_branches,configuration,facts\n";
  const std::string best_branches = BestBranchesText(problem);
  const std::string scales = absl::StrCat(FormatNumber(problem.RegretOf(problem.worst)), ",",
                                          FormatNumber(problem.RegretOf(problem.mean)));
  int number = 0;
  for (const Evaluation& evaluation : evaluations) {
    const bool suggested = evaluation.suggestion > 0;
    absl::StrAppend(&text, arguments.preset, ",", problem.name, ",", arguments.beginning.seed, ",",
                    arguments.study.seed, ",", ++number, ",", evaluation.suggestion, ",",
                    FormatNumber(evaluation.value), ",", FormatNumber(evaluation.regret), ",",
                    FormatNumber(evaluation.own_regret), ",", scales, ",",
                    suggested ? FormatNumber(evaluation.seconds) : "", ",",
                    suggested ? RungName(evaluation.provenance.rung) : "", ",",
                    BranchText(problem, evaluation.point.configuration), ",", best_branches, ",",
                    CsvField(ConfigurationText(*problem.space, evaluation.point.configuration)),
                    ",", CsvField(FactsText(evaluation.provenance)), "\n");
  }
  return text;
}

// What a method's name ends with where its studies are to have other seeds of their own on the same
// problems: how much two runs of one method differ is luck.
constexpr absl::string_view kLuck = "~luck";
constexpr uint64_t kOtherSeeds = 1000000;
// And where its studies begin with the sources' three best configurations instead of learning from
// sources, as people do by hand.
constexpr absl::string_view kQueued = "~queued";
constexpr size_t kQueuedPoints = 3;

// The recipe for a text such as "gp_log_ei+calibration=hmc+smoothness=3": the preset's
// with these values replaced.
absl::StatusOr<std::unique_ptr<Strategy>> StrategyOf(const std::string& text) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::StripSuffix(absl::StripSuffix(text, kLuck), kQueued), '+');
  const Preset* preset = FindPreset(parts.front());
  if (preset == nullptr) {
    return InvalidField("preset", parts.front(),
                        absl::StrCat("one of ", NearNames(parts.front(), PresetNames())));
  }
  RecipeChange change;
  const std::map<std::string, std::string*> axes = {{"prior", &change.prior},
                                                    {"calibration", &change.calibration},
                                                    {"acquisition", &change.acquisition},
                                                    {"initial", &change.initial},
                                                    {"exploration", &change.exploration}};
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::pair<std::string, std::string> sides =
        absl::StrSplit(parts[i], absl::MaxSplits('=', 1));
    const auto axis = axes.find(sides.first);
    double number = 0;
    if (axis != axes.end()) {
      *axis->second = sides.second;
    } else if (absl::SimpleAtod(sides.second, &number)) {
      change.options[sides.first] = number;
    } else {
      return InvalidField("preset", text, "a preset's name and +NAME=VALUE of its recipe");
    }
  }
  return MakeStrategy(*preset, change);
}

absl::Status RunCell(const Arguments& arguments) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<Strategy> strategy,
                              StrategyOf(arguments.preset));
  SLIPSTREAM_ASSIGN_OR_RETURN(const Problem problem,
                              MakeProblem(arguments.problem, arguments.beginning));
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<Evaluation> evaluations,
                              RunStudy(*strategy, problem, arguments.study));
  const std::string text = CellText(arguments, problem, evaluations);
  if (!arguments.output.empty()) return WriteWholeFile(arguments.output, text);
  std::cout << text;
  return absl::OkStatus();
}

void ListAllProblems(const std::string& data_folder) {
  std::cout << "group,problem,source_tasks,summary\n";
  for (const ProblemListing& listing : ListProblems(data_folder)) {
    std::cout << listing.group << "," << listing.name << "," << listing.source_tasks << ","
              << CsvField(listing.summary) << "\n";
  }
}

// Lists presets with their priors: a preset whose prior is not "none" learns from source
// tasks.
void ListAllPresets() {
  std::cout << "preset,prior,summary\n";
  for (const Preset& preset : Presets()) {
    const std::string prior = NamesOf(preset.recipe).prior;
    std::cout << preset.name << "," << prior << "," << CsvField(preset.summary) << "\n";
  }
}

void Declare(CommandFlags& flags, Arguments& arguments) {
  Beginning& beginning = arguments.beginning;
  StudyOptions& study = arguments.study;
  flags.Value("--preset", &arguments.preset,
              "The algorithm; gp_ei+smoothness=3+calibration=hmc overrides a preset, gp_ei~luck is "
              "gp_ei with other seeds, and gp_ei~queued begins with the sources' three best "
              "configurations and learns from no source");
  flags.Value("--problem", &arguments.problem, "The problem to optimise");
  flags.ValueFromZero("--seed", &beginning.seed,
                      "Determines the study's own seed, initial points, and a family's task");
  flags.Value("--suggestions", &study.suggestions, "Number of suggestions");
  flags.TurnOff("--from-nothing", &beginning.initial_points,
                "Without the usual five initial points");
  flags.ValueFromZero(
      "--filled", &study.filled,
      "Evenly filling points that are measured first, on a space without candidates");
  flags.TurnOn("--sources", &beginning.source_tasks, "With the problem's source tasks");
  flags.Value("--workers", &study.workers, "Number of workers, all busy but one");
  flags.Value("--batch", &study.batch, "Number of workers that ask together, at most all");
  flags.Value("--budget", &arguments.budget_seconds, "Maximum seconds for a suggestion");
  flags.Value("--data", &beginning.data_folder, "Folder with data/ and peers/");
  flags.Value("--output", &arguments.output,
              "File for the result, written at the end (default: standard output)");
  flags.TurnOn("--list-problems", &arguments.list_problems, "Prints the values of --problem");
  flags.TurnOn("--list-presets", &arguments.list_presets, "Prints the values of --preset");
}

int Main(int argc, char** argv) {
  Arguments arguments;
  arguments.beginning.data_folder = DefaultDataFolder();
  CommandFlags flags("Runs one study of a preset on a problem and reports its results");
  Declare(flags, arguments);
  if (const auto code = flags.Parse(argc, argv)) return *code;
  if (arguments.list_problems) ListAllProblems(arguments.beginning.data_folder);
  if (arguments.list_presets) ListAllPresets();
  if (arguments.list_problems || arguments.list_presets) return EXIT_SUCCESS;
  const uint64_t others = absl::EndsWith(arguments.preset, kLuck) ? kOtherSeeds : 0;
  arguments.study.seed = StudySeed(arguments.problem, arguments.beginning.seed + others);
  if (absl::EndsWith(arguments.preset, kQueued)) arguments.study.queued = kQueuedPoints;
  arguments.study.budget = absl::Seconds(arguments.budget_seconds);
  const absl::Status status = RunCell(arguments);
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << status.message() << "\n";
  return absl::IsNotFound(status) ? kCannotBegin : EXIT_FAILURE;
}

}  // namespace
}  // namespace slipstream::evidence

int main(int argc, char** argv) { return slipstream::evidence::Main(argc, argv); }
