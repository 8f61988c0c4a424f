#include "tests/evidence/mixed_families.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

constexpr uint64_t kFamilySalt = 0x66616d696c79;
constexpr size_t kHistoryLength = 40;
// An optimiser's history: after a third at random, each point is beside the best one so far, so far
// away as deviation, and each choice is drawn again as often as this.
constexpr double kHistoryStep = 0.05;
constexpr double kOtherChoice = 0.15;
// So many tasks are drawn at most to find one with another best branch.
constexpr uint64_t kMostDraws = 100;

struct KinshipWords {
  Kinship kinship;
  absl::string_view suffix;
  absl::string_view summary;
};

constexpr KinshipWords kKinships[] = {
    {Kinship::kAkin, "_family", "Its sources are histories on tasks that resemble it"},
    {Kinship::kMoved, "_moved_family", "The same, but other branches are the sources' best"},
    {Kinship::kStrangers, "_strangers", "Its sources are histories on tasks unlike it"},
};

uint64_t SeedOf(uint64_t seed, uint64_t source, uint64_t draw) {
  return CounterRandomBits(seed ^ kFamilySalt, source, draw);
}

Value BestBranchOf(const MixedTask& task, const SearchSpace& space) {
  return task.optimum.values[space.IndexOf(task.branch).value()];
}

std::vector<double> PlaceBeside(const std::vector<double>& best, const SearchSpace& space,
                                uint64_t seed, uint64_t index) {
  std::vector<double> place = RandomPlace(space, seed, index);
  for (size_t i = 0; i < place.size(); ++i) {
    const uint64_t lane = place.size() + i;
    if (!space.IsUnordered(i)) {
      place[i] = std::clamp(best[i] + kHistoryStep * StandardNormal(seed, index, lane), 0.0, 1.0);
    } else if (CounterRandomUniform(seed, index, lane) >= kOtherChoice) {
      place[i] = best[i];
    }
  }
  return place;
}

std::shared_ptr<const SourceTaskData> HistoryOf(const MixedTask& task, std::string name,
                                                std::shared_ptr<const SearchSpace> space,
                                                uint64_t seed) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = std::move(name);
  source->goal = Goal::kMinimize;
  std::vector<double> best;
  double best_value = 0;
  for (size_t i = 0; i < kHistoryLength; ++i) {
    std::vector<double> place = 3 * i < kHistoryLength ? RandomPlace(*space, seed, i)
                                                      : PlaceBeside(best, *space, seed, i);
    Configuration configuration = space->Sample(place);
    const double value = task.value(Setting(*space, configuration));
    source->points.push_back({std::move(configuration), Ending::kMeasured, value});
    if (!best.empty() && value >= best_value) continue;
    best = std::move(place);
    best_value = value;
  }
  source->space = std::move(space);
  return source;
}

}  // namespace

const std::vector<MixedFamily>& MixedFamilies() {
  static const auto& families = *new std::vector<MixedFamily>([] {
    std::vector<MixedFamily> all;
    for (const MixedProblem& problem : MixedProblems()) {
      if (problem.group != kMixed && problem.group != kMixedDevelopment) continue;
      const bool is_reported = problem.group == kMixed;
      for (const KinshipWords& words : kKinships) {
        all.push_back({absl::StrCat(problem.name, words.suffix), std::string(words.summary),
                       is_reported ? kMixedFamily : kMixedFamilyDevelopment, &problem,
                       words.kinship});
      }
    }
    return all;
  }());
  return families;
}

MixedTask SourceTaskOf(const MixedFamily& family, const SearchSpace& space, uint64_t seed,
                       uint64_t source) {
  if (family.kinship == Kinship::kStrangers) {
    return MixedTaskOf(*family.problem, space, SeedOf(seed, source, 0));
  }
  const auto draw = [&](uint64_t index) {
    Draws draws = Draws(seed).Resembling(SeedOf(seed, source, index));
    return family.problem->task(space, draws);
  };
  MixedTask task = draw(0);
  if (family.kinship == Kinship::kAkin) return task;
  const Value branch = BestBranchOf(MixedTaskOf(*family.problem, space, seed), space);
  for (uint64_t i = 1; i < kMostDraws && BestBranchOf(task, space) == branch; ++i) task = draw(i);
  return task;
}

absl::StatusOr<Problem> MakeMixedFamilyProblem(const MixedFamily& family,
                                               const Beginning& beginning) {
  Beginning alone = beginning;
  alone.source_tasks = false;
  SLIPSTREAM_ASSIGN_OR_RETURN(Problem made, MakeMixedProblem(*family.problem, alone));
  made.name = family.name;
  for (uint64_t i = 0; beginning.source_tasks && i < kMixedSources; ++i) {
    made.sources.push_back(HistoryOf(SourceTaskOf(family, *made.space, beginning.seed, i),
                                     absl::StrCat("sourceTasks/", family.name, "-", i + 1),
                                     made.space, SeedOf(beginning.seed, i, kMostDraws)));
  }
  return made;
}

}  // namespace slipstream::evidence
