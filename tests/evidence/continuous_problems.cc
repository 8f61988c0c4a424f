#include "tests/evidence/continuous_problems.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "tests/evidence/csv.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

// Boxes with more sides are not searched for the worst value.
constexpr size_t kMostSearched = 8;
// Keeps these draws different from those of a strategy with the same seed.
constexpr uint64_t kSourceSalt = 0x736f75726365;
constexpr uint64_t kSourceNoiseSalt = 0x6e6f6973652d6f66;
constexpr uint64_t kGatheringSalt = 0x676174686572;

absl::StatusOr<std::vector<Point>> RecordedInitialPoints(const ContinuousProblem& problem,
                                                         const SearchSpace& space,
                                                         const Beginning& beginning) {
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const CsvTable table,
      CsvTable::Read(absl::StrCat(beginning.data_folder, "/peers/continuous_initial.csv")));
  std::vector<Point> points;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (!table.Matches(row, "problem", problem.name)) continue;
    if (!table.Matches(row, "seed", absl::StrCat(beginning.seed))) continue;
    std::vector<Assignment> assignments;
    for (const Parameter& parameter : space.parameters()) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const double number, table.Number(row, parameter.name));
      assignments.push_back({parameter.name, number});
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(Configuration configuration, space.Resolve(assignments));
    points.push_back({std::move(configuration), {}});
  }
  if (!points.empty()) return points;
  return absl::NotFoundError(absl::StrCat("no initial points were recorded for ", problem.name,
                                          " and seed ", beginning.seed));
}

absl::StatusOr<std::vector<Point>> InitialPoints(const ContinuousProblem& problem,
                                                 const SearchSpace& space,
                                                 const Beginning& beginning) {
  if (problem.group == kGroupWithPeers) return RecordedInitialPoints(problem, space, beginning);
  return RandomInitialPoints(space, beginning.seed);
}

// A twentieth of each side away, as deviation, and within the box.
Configuration BesideOf(const Configuration& centre, const std::vector<Bounds>& box, uint64_t seed,
                       uint64_t index) {
  constexpr double kStep = 0.05;
  Configuration beside = centre;
  for (size_t i = 0; i < box.size(); ++i) {
    const double step = kStep * (box[i].max - box[i].min) * StandardNormal(seed, index, i);
    beside.values[i] =
        Value::Double(std::clamp(centre.values[i].number() + step, box[i].min, box[i].max));
  }
  return beside;
}

std::shared_ptr<const SourceTaskData> SourceTask(const ContinuousProblem& problem,
                                                 std::shared_ptr<const SearchSpace> space,
                                                 uint64_t seed, uint64_t task) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = absl::StrCat("sourceTasks/", problem.name, "-", task);
  source->goal = problem.goal;
  const Objective objective = problem.task(seed, task);
  const uint64_t points_seed = CounterRandomBits(seed ^ kSourceSalt, task, 0);
  const SourcePoint* best = nullptr;
  source->points.reserve(problem.source_points);
  for (size_t i = 0; i < problem.source_points; ++i) {
    const bool gathers = problem.sources_gather && 3 * i >= problem.source_points;
    Configuration configuration =
        gathers ? BesideOf(best->configuration, problem.box, points_seed ^ kGatheringSalt, i)
                : RandomConfiguration(*space, points_seed, i);
    double value = objective(NumbersOf(configuration));
    if (problem.source_noise_deviation != 0) {
      value += problem.source_noise_deviation * StandardNormal(points_seed ^ kSourceNoiseSalt, i);
    }
    source->points.push_back({std::move(configuration), Ending::kMeasured, value});
    const SourcePoint& last = source->points.back();
    const bool is_better = best == nullptr || (problem.goal == Goal::kMinimize
                                                   ? *last.value < *best->value
                                                   : *last.value > *best->value);
    if (is_better) best = &last;
  }
  source->space = std::move(space);
  return source;
}

std::vector<double> ValuesOf(const Bounds& side, size_t levels) {
  std::vector<double> values;
  for (size_t i = 0; i < levels; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(levels - 1);
    values.push_back(side.min + share * (side.max - side.min));
  }
  return values;
}

Domain DomainOf(const Bounds& side, size_t levels) {
  if (levels == 0) return DoubleDomain{side.min, side.max, Scale::kLinear};
  return DiscreteDomain{ValuesOf(side, levels), Scale::kLinear};
}

// The same on the points of a square grid.
void SetRangeOnGrid(const ContinuousProblem& problem, const Objective& objective, Problem& made) {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -lowest;
  double sum = 0;
  const std::vector<double> first = ValuesOf(problem.box[0], problem.levels);
  const std::vector<double> second = ValuesOf(problem.box[1], problem.levels);
  for (const double x1 : first) {
    for (const double x2 : second) {
      const double value = objective(std::vector<double>{x1, x2});
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
      sum += value;
    }
  }
  const bool minimises = problem.goal == Goal::kMinimize;
  made.best = minimises ? lowest : highest;
  made.worst = minimises ? highest : lowest;
  made.mean = sum / static_cast<double>(first.size() * second.size());
}

// Sets the known statistics of the objective's values over the box.
void SetRange(const ContinuousProblem& problem, const Objective& objective, Problem& made) {
  if (problem.levels > 0) return SetRangeOnGrid(problem, objective, made);
  const Objective negative = [&objective](RawPoint x) { return -objective(x); };
  const auto search = problem.box.size() <= kMostSearched ? MinimumOf : LowestOfSpread;
  const auto lowest = [&] { return search(objective, problem.box); };
  const auto highest = [&] { return -search(negative, problem.box); };
  const bool minimises = problem.goal == Goal::kMinimize;
  made.best = problem.best.has_value() ? *problem.best : minimises ? lowest() : highest();
  made.worst = minimises ? highest() : lowest();
  made.mean = MeanOf(objective, problem.box);
}

}  // namespace

absl::StatusOr<SearchSpace> SpaceOfBox(const std::vector<Bounds>& box, size_t levels) {
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < box.size(); ++i) {
    parameters.push_back({absl::StrCat("x", i + 1), DomainOf(box[i], levels), {}, {}});
  }
  return SearchSpace::Create(std::move(parameters));
}

std::vector<double> NumbersOf(const Configuration& configuration) {
  std::vector<double> numbers;
  for (const Value& value : configuration.values) numbers.push_back(value.number());
  return numbers;
}

absl::StatusOr<Problem> MakeContinuousProblem(const ContinuousProblem& problem,
                                              const Beginning& beginning) {
  if (beginning.source_tasks && problem.source_tasks == 0) {
    return absl::NotFoundError(absl::StrCat(problem.name, " has no source tasks"));
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SpaceOfBox(problem.box, problem.levels));
  const Objective objective = problem.task(beginning.seed, 0);
  Problem made;
  made.name = std::string(problem.name);
  made.space = std::make_shared<const SearchSpace>(std::move(space));
  made.goal = problem.goal;
  made.noiseless = problem.noise_deviation == 0;
  made.noise_deviation = problem.noise_deviation;
  made.value = [objective](const Point& point) {
    return objective(NumbersOf(point.configuration));
  };
  SetRange(problem, objective, made);
  if (beginning.initial_points) {
    SLIPSTREAM_ASSIGN_OR_RETURN(made.initial, InitialPoints(problem, *made.space, beginning));
  }
  for (uint64_t task = 1; beginning.source_tasks && task <= problem.source_tasks; ++task) {
    made.sources.push_back(SourceTask(problem, made.space, beginning.seed, task));
  }
  return made;
}

}  // namespace slipstream::evidence
