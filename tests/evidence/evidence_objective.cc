// A problem for optimisers in other languages.
//
//   evidence_objective --problem four_branches --seed 3
//
// Prints the problem as one line of JSON: its name, goal, whether it is noiseless, the
// branch parameter, the best branches (a text), the parameters (see space_text.h) and the candidate
// list, and with --sources the source tasks' configurations and values. Then answers each
// line of standard input, a configuration such as "kernel=rbf<tab>gamma=0.5", with a line
// "value<tab>regret<tab>branch", where the value has the noise of the seed and the line's number
// and the regret has none. Ends at the end of the input, or with exit code 1 after a line that is
// no legal configuration or none of the candidates. Exit code 77: the problem cannot begin like
// that.
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tests/evidence/problems.h"
#include "tests/evidence/random_draws.h"
#include "tests/evidence/space_text.h"
#include "tests/evidence/study.h"
#include "tests/testing/command_flags.h"

namespace slipstream::evidence {
namespace {

constexpr int kCannotBegin = 77;

std::string ConfigurationText(const SearchSpace& space, const Configuration& configuration) {
  std::vector<std::string> named;
  for (const Assignment& assignment : space.Name(configuration)) {
    named.push_back(absl::StrCat(JsonString(assignment.name), ": ",
                                 JsonString(NamedValueText(assignment.value))));
  }
  return absl::StrCat("{", absl::StrJoin(named, ", "), "}");
}

std::string CandidatesText(const SearchSpace& space) {
  std::vector<std::string> texts;
  for (const Configuration& candidate : space.candidates()) {
    texts.push_back(ConfigurationText(space, candidate));
  }
  return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

std::string SourceText(const SourceTaskData& source) {
  std::vector<std::string> points;
  for (const SourcePoint& point : source.points) {
    points.push_back(absl::StrFormat(
        "[%s, %.17g]", ConfigurationText(*source.space, point.configuration), *point.value));
  }
  return absl::StrCat("[", absl::StrJoin(points, ", "), "]");
}

std::string SourcesText(const Problem& problem) {
  std::vector<std::string> texts;
  for (const auto& source : problem.sources) texts.push_back(SourceText(*source));
  return absl::StrCat("[", absl::StrJoin(texts, ", "), "]");
}

std::string Description(const Problem& problem) {
  std::string branch;
  if (problem.branch.has_value()) branch = problem.space->parameters()[*problem.branch].name;
  return absl::StrCat(
      "{\"name\": ", JsonString(problem.name),
      ", \"goal\": ", problem.goal == Goal::kMinimize ? "\"minimize\"" : "\"maximize\"",
      ", \"noiseless\": ", problem.noiseless ? "true" : "false",
      ", \"branch\": ", JsonString(branch),
      ", \"best_branches\": ", JsonString(BestBranchesText(problem)),
      ", \"parameters\": ", JsonOf(*problem.space), ", \"candidates\": ",
      CandidatesText(*problem.space), ", \"sources\": ", SourcesText(problem), "}");
}

absl::StatusOr<Point> ParsePoint(const SearchSpace& space, const std::string& line) {
  const auto configuration = ParseConfiguration(space, line);
  if (!configuration.ok()) return configuration.status();
  Point point = {*configuration, space.CandidateIndex(*configuration)};
  if (space.has_candidates() && !point.candidate.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("no candidate: ", line));
  }
  return point;
}

absl::Status Answer(const Problem& problem, uint64_t study_seed) {
  std::cout << Description(problem) << std::endl;
  std::string line;
  for (uint64_t trial = 1; std::getline(std::cin, line); ++trial) {
    const auto point = ParsePoint(*problem.space, line);
    if (!point.ok()) return point.status();
    const double exact = FailsByChance(problem, study_seed, trial)
                             ? std::numeric_limits<double>::quiet_NaN()
                             : problem.value(*point);
    const double value = exact + NoiseOf(problem, study_seed, trial);
    std::cout << absl::StrFormat("%.17g\t%.17g\t%s", value, problem.RegretOf(exact),
                                 BranchText(problem, point->configuration))
              << std::endl;
  }
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  std::string name = "branin";
  Beginning beginning;
  beginning.initial_points = false;
  beginning.data_folder = DefaultDataFolder();
  CommandFlags flags("Evaluates configurations of a problem that other programs ask for");
  flags.Value("--problem", &name, "The problem");
  flags.ValueFromZero("--seed", &beginning.seed, "Determines a family's task and the noise");
  flags.TurnOn("--sources", &beginning.source_tasks, "With the problem's source tasks");
  flags.Value("--data", &beginning.data_folder, "Folder with data/ and peers/");
  if (const auto code = flags.Parse(argc, argv)) return *code;
  const absl::StatusOr<Problem> problem = MakeProblem(name, beginning);
  if (!problem.ok()) {
    std::cerr << problem.status().message() << "\n";
    return kCannotBegin;
  }
  const absl::Status status = Answer(*problem, StudySeed(name, beginning.seed));
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << status.message() << "\n";
  return EXIT_FAILURE;
}

}  // namespace
}  // namespace slipstream::evidence

int main(int argc, char** argv) { return slipstream::evidence::Main(argc, argv); }
