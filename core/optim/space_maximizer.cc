#include "core/optim/space_maximizer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/ascent/bounded_ascent.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/optim/neighbours.h"
#include "core/optim/stepped_domain.h"
#include "core/space/candidate_list.h"
#include "core/space/encoded_points.h"
#include "core/space/quasi_random.h"

namespace slipstream {
namespace {

class SpaceMaximizer {
 public:
  SpaceMaximizer(const SearchSpace& space, const PointFunction& function, uint64_t seed,
                 Deadline deadline, const MaximizerOptions& options)
      : space_(space),
        function_(function),
        seed_(seed),
        deadline_(deadline),
        options_(options),
        neighbours_(space, options.values_per_sweep) {}

  MaximizerResult Run(std::vector<Configuration> configurations, const PointMatrix& x,
                      std::vector<Configuration> more = {}) {
    MaximizerResult result;
    std::vector<ScoredConfiguration> screen = Score(std::move(configurations), x);
    if (!more.empty()) {
      std::vector<ScoredConfiguration> scored = Score(std::move(more));
      std::move(scored.begin(), scored.end(), std::back_inserter(screen));
    }
    SortBestFirst(screen);
    ScoreAgain(screen);
    for (size_t start : SpreadOut(screen)) {
      if (OutOfTime()) break;
      result.best.push_back(Improve(screen[start]));
    }
    std::move(screen.begin(), screen.end(), std::back_inserter(result.best));
    SortBestFirst(result.best);
    result.best = WithoutRepeats(std::move(result.best));
    result.evaluations = evaluations_;
    result.deadline_passed = deadline_passed_;
    return result;
  }

 private:
  bool OutOfTime() {
    deadline_passed_ = deadline_passed_ || deadline_.has_passed();
    return deadline_passed_;
  }

  std::vector<ScoredConfiguration> Score(std::vector<Configuration> configurations) {
    const PointMatrix x = EncodeAll(space_, configurations);
    return Score(std::move(configurations), x);
  }

  std::vector<ScoredConfiguration> Score(std::vector<Configuration> configurations,
                                         const PointMatrix& x) {
    const Vector values = function_.values(x);
    evaluations_ += static_cast<int>(values.size());
    std::vector<ScoredConfiguration> scored;
    scored.reserve(configurations.size());
    for (size_t i = 0; i < configurations.size(); ++i) {
      scored.push_back({std::move(configurations[i]), values[static_cast<Index>(i)]});
    }
    return scored;
  }

  // The others stay behind those that are scored again.
  void ScoreAgain(std::vector<ScoredConfiguration>& best_first) {
    const size_t count = std::min(options_.scored_again, best_first.size());
    for (size_t i = 0; i < count && !OutOfTime(); ++i) {
      best_first[i] = std::move(Score({best_first[i].configuration}).front());
    }
    std::stable_sort(best_first.begin(), best_first.begin() + static_cast<ptrdiff_t>(count),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
    for (size_t i = count; count > 0 && i < best_first.size(); ++i) {
      best_first[i].value = std::min(best_first[i].value, best_first[count - 1].value);
    }
  }

  static void SortBestFirst(std::vector<ScoredConfiguration>& scored) {
    std::stable_sort(scored.begin(), scored.end(),
                     [](const auto& a, const auto& b) { return a.value > b.value; });
  }

  // Keeps the first of equal configurations: a small space's screen has many, and
  // ascents may end where they began.
  static std::vector<ScoredConfiguration> WithoutRepeats(std::vector<ScoredConfiguration> scored) {
    std::vector<ScoredConfiguration> different;
    different.reserve(scored.size());  // Keeps the elements that `seen` points to in place.
    ConfigurationIndex seen;
    for (ScoredConfiguration& one : scored) {
      if (seen.contains(&one.configuration)) continue;
      different.push_back(std::move(one));
      seen.emplace(&different.back().configuration, 0);
    }
    return different;
  }

  // Indexes of the best configurations, as far as possible no two close together.
  std::vector<size_t> SpreadOut(const std::vector<ScoredConfiguration>& best_first) const {
    const double least = 0.05 * 0.05 * static_cast<double>(space_.dimension());
    std::vector<size_t> chosen;
    std::vector<Vector> places;
    for (size_t i = 0; i < best_first.size() && chosen.size() < options_.ascents; ++i) {
      Vector place = Coordinates(best_first[i].configuration);
      const bool near = std::any_of(places.begin(), places.end(), [&](const Vector& other) {
        return (other - place).squaredNorm() < least;
      });
      if (near) continue;
      chosen.push_back(i);
      places.push_back(std::move(place));
    }
    return chosen;
  }

  Vector Coordinates(const Configuration& configuration) const {
    Vector coordinates(static_cast<Index>(space_.dimension()));
    space_.EncodeCoordinates(configuration, absl::MakeSpan(coordinates.data(), space_.dimension()));
    return coordinates;
  }

  ScoredConfiguration Improve(ScoredConfiguration start) {
    ScoredConfiguration best = Ascend(std::move(start));
    for (size_t round = 0; round < options_.sweeps; ++round) {
      const double before = best.value;
      best = Sweep(std::move(best));
      if (!(best.value > before) || OutOfTime()) break;
      best = Ascend(std::move(best));
    }
    return best;
  }

  // Ascends along all numbers that are active in the configuration, with integers
  // as if they were continuous; then, after rounding those, along the others only.
  ScoredConfiguration Ascend(ScoredConfiguration start) {
    const std::vector<Index> numbers = neighbours_.Numbers(start.configuration);
    ScoredConfiguration best = AscendAlong(numbers, std::move(start));
    const std::vector<Index> real = RealNumbers(best.configuration);
    return real.size() < numbers.size() ? AscendAlong(real, std::move(best)) : best;
  }

  std::vector<Index> RealNumbers(const Configuration& configuration) const {
    std::vector<Index> numbers = neighbours_.Numbers(configuration);
    std::erase_if(numbers, [this](Index i) {
      return IsStepped(space_.parameters()[static_cast<size_t>(i)].domain);
    });
    return numbers;
  }

  // The result is legal and at least as good.
  ScoredConfiguration AscendAlong(const std::vector<Index>& free, ScoredConfiguration start) {
    if (free.empty() || OutOfTime()) return start;
    Vector point = Coordinates(start.configuration);
    Vector whole_gradient(point.size());
    const ValueAndGradient climbed_function = Climbed(point);
    const SmoothFunction along_free = [&](ConstVectorView x,
                                          VectorView gradient) -> std::optional<double> {
      for (size_t i = 0; i < free.size(); ++i) point[free[i]] = x[static_cast<Index>(i)];
      const double value = climbed_function(point, whole_gradient);
      for (size_t i = 0; i < free.size(); ++i) {
        gradient[static_cast<Index>(i)] = whole_gradient[free[i]];
      }
      return value;
    };
    const auto count = static_cast<Index>(free.size());
    Vector from(count);
    for (Index i = 0; i < count; ++i) from[i] = point[free[static_cast<size_t>(i)]];
    AscentOptions ascent;
    ascent.max_evaluations = options_.evaluations_per_ascent;
    ascent.value_tolerance = options_.value_tolerance;
    ascent.deadline = deadline_;
    const AscentResult climbed =
        AscendWithinBounds(along_free, from, Vector::Zero(count), Vector::Ones(count), ascent);
    evaluations_ += climbed.evaluations;
    deadline_passed_ = deadline_passed_ || climbed.deadline_passed;
    for (size_t i = 0; i < free.size(); ++i) point[free[i]] = climbed.x[static_cast<Index>(i)];
    std::vector<ScoredConfiguration> scored =
        Score({space_.Decode(absl::MakeConstSpan(point.data(), space_.dimension()))});
    return scored.front().value > start.value ? std::move(scored.front()) : std::move(start);
  }

  ValueAndGradient Climbed(const Vector& start) const {
    ValueAndGradient near;
    if (options_.climbs_nearby && function_.near) near = function_.near(start);
    return near ? near : function_.value_and_gradient;
  }

  // Makes the best single change of each stepped number or category in turn.
  ScoredConfiguration Sweep(ScoredConfiguration best) {
    for (size_t parameter : neighbours_.Stepped()) {
      if (OutOfTime()) break;
      std::vector<Configuration> changed = neighbours_.Change(
          best.configuration, parameter, seed_ + static_cast<uint64_t>(++draws_));
      if (changed.empty()) continue;
      for (ScoredConfiguration& scored : Score(std::move(changed))) {
        if (scored.value > best.value) best = std::move(scored);
      }
    }
    return best;
  }

  const SearchSpace& space_;
  const PointFunction& function_;
  uint64_t seed_;
  Deadline deadline_;
  const MaximizerOptions& options_;
  Neighbours neighbours_;
  int draws_ = 0;
  int evaluations_ = 0;
  bool deadline_passed_ = false;
};

}  // namespace

MaximizerResult MaximizeOverSpace(const SearchSpace& space, const PointFunction& function,
                                  absl::Span<const Configuration> incumbents, uint64_t seed,
                                  Deadline deadline, const MaximizerOptions& options) {
  std::vector<Configuration> screen = ScreenOf(space, incumbents, seed, options);
  const PointMatrix x = EncodeAll(space, screen);
  return SpaceMaximizer(space, function, seed, deadline, options).Run(std::move(screen), x);
}

MaximizerResult MaximizeFromScreen(const SearchSpace& space, const PointFunction& function,
                                   const Screen& screen, absl::Span<const Configuration> incumbents,
                                   uint64_t seed, Deadline deadline,
                                   const MaximizerOptions& options) {
  return SpaceMaximizer(space, function, seed, deadline, options)
      .Run(screen.configurations, screen.x, ScreenOf(space, incumbents, seed, options));
}

namespace {

// A seed for each configuration, whatever its place among others.
uint64_t SeedOf(const SearchSpace& space, const Configuration& configuration, uint64_t seed) {
  std::vector<double> coordinates(space.dimension());
  space.EncodeCoordinates(configuration, absl::MakeSpan(coordinates));
  for (double coordinate : coordinates) {
    seed = CounterRandomBits(seed, std::bit_cast<uint64_t>(coordinate + 0.0), 0);
  }
  return seed;
}

}  // namespace

std::vector<Configuration> ScreenOf(const SearchSpace& space,
                                    absl::Span<const Configuration> incumbents, uint64_t seed,
                                    const MaximizerOptions& options) {
  const bool is_shared = options.different_screens > 0;
  const uint64_t screen_seed = is_shared ? seed % options.different_screens : seed;
  std::vector<Configuration> screen;
  screen.reserve(options.quasi_random + options.around_incumbents);
  for (const std::vector<double>& point :
       QuasiRandomPoints(space.dimension(), screen_seed, 0, options.quasi_random)) {
    screen.push_back(space.Sample(point));
  }
  if (incumbents.empty()) return screen;
  std::vector<uint64_t> seeds;
  for (const Configuration& incumbent : incumbents) {
    seeds.push_back(is_shared ? SeedOf(space, incumbent, screen_seed) : seed);
  }
  for (size_t i = 0; i < options.around_incumbents; ++i) {
    // Each incumbent has all sizes of steps, one after the other.
    const size_t place = i % incumbents.size();
    const size_t step = i / incumbents.size();
    const size_t index = is_shared ? step : (place << 20) + step;
    screen.push_back(PerturbedBy(space, incumbents[place], seeds[place], index));
  }
  return screen;
}

}  // namespace slipstream
