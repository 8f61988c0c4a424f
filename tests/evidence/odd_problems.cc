#include "tests/evidence/odd_problems.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "tests/evidence/moved_functions.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

// Separates these draws from strategies' and from others of a study.
constexpr uint64_t kSpreadSalt = 0x737072656164;
constexpr uint64_t kDisturbanceSalt = 0x6f64646e6f697365;
constexpr uint64_t kSpread = 256;  // Points that tell how large a function's values are.

constexpr MovedShape kAckley3 = {Ackley, Origin, 3, 2};
constexpr MovedShape kStyblinskiTang4 = {StyblinskiTang, StyblinskiTangOptimum, 4, 1};

struct Base {
  absl::string_view group;
  absl::string_view suffix;
  const MovedShape& shape;
};
constexpr Base kBases[] = {{kOddDevelopment, "_ackley3", kAckley3},
                           {kOdd, "_styblinski_tang4", kStyblinskiTang4}};

// A spot of the box and the base function there: 0 at its best point, 1/2 at an average one, and
// less than 1.
struct Spot {
  RawPoint x;
  double height = 0;
  double beyond = 0;  // By how much the first coordinate is larger than the best point's.
};

using Disturbance = double (*)(uint64_t study_seed, uint64_t trial);

struct Kind {
  absl::string_view name;
  absl::string_view summary;
  double (*value)(const Spot& spot) = nullptr;  // NaN: there is none.
  double best = 0;
  Disturbance disturbance = nullptr;
  bool is_noiseless = true;
  Ending without_value = Ending::kInfeasible;
  double failure_rate = 0;
};

double Height(const Spot& spot) { return spot.height; }
double Steps(const Spot& spot) { return std::floor(6 * spot.height) / 6; }
double Constant(const Spot&) { return 1; }
double ThirtyDecades(const Spot& spot) { return std::exp(69 * spot.height); }
// All but the lowest hundredth of the heights look alike.
double Needle(const Spot& spot) { return 1 - std::exp(-1e4 * spot.height * spot.height); }
double Offset(const Spot& spot) { return 1e9 + 1e-3 * spot.height; }
// Trainings that diverge in a fifth of the box.
double Explosions(const Spot& spot) {
  return spot.x[0] > 0.6 * kHalfSide ? 1e6 * (1 + spot.height) : spot.height;
}
// There is no value on one side, which begins right behind the best point.
double InfeasibleHalf(const Spot& spot) {
  return spot.beyond > 0.1 ? std::numeric_limits<double>::quiet_NaN() : spot.height;
}
// The same where the values that there are differ by six decades.
double DecadesBesideNothing(const Spot& spot) {
  return std::exp(14 * InfeasibleHalf(spot));
}
// There is a value in a slab alone, a quarter of the box, that has the best point in its middle.
double InfeasibleSides(const Spot& spot) {
  return spot.beyond > 0.25 * kHalfSide || spot.beyond < -0.25 * kHalfSide
             ? std::numeric_limits<double>::quiet_NaN()
             : spot.height;
}

double HeavyNoise(uint64_t seed, uint64_t trial) {
  return 0.5 * StandardNormal(seed ^ kDisturbanceSalt, trial);
}
// Cauchy's: it has neither a mean nor a variance.
double HeavyTails(uint64_t seed, uint64_t trial) {
  const double uniform = CounterRandomUniform(seed ^ kDisturbanceSalt, trial, 0);
  return 0.05 * std::tan(std::numbers::pi * (uniform - 0.5));
}
double Drift(uint64_t, uint64_t trial) { return 0.01 * static_cast<double>(trial); }
double GrowingNoise(uint64_t seed, uint64_t trial) {
  return 0.005 * static_cast<double>(trial) * StandardNormal(seed ^ kDisturbanceSalt, trial);
}

constexpr Kind kKinds[] = {
    {"heavy_noise", "Noise as large as the differences", Height, 0, HeavyNoise, false},
    {"heavy_tails", "Noise without a variance", Height, 0, HeavyTails, false},
    {"growing_noise", "Noise that grows from trial to trial", Height, 0, GrowingNoise, false},
    {"drift", "Each result is a hundredth higher than the same one before", Height, 0, Drift,
     false},
    {"steps", "Six plateaus", Steps},
    {"constant", "One value everywhere", Constant, 1},
    {"needle", "A plain with a narrow hole", Needle},
    {"infeasible_half", "One side has no value, from right behind the best point on",
     InfeasibleHalf},
    {"failing_half", "The same, where workers fail instead", InfeasibleHalf, 0, nullptr, true,
     Ending::kFailed},
    {"failing_half_and_chance", "The same, and a fifth of all others fail by chance",
     InfeasibleHalf, 0, nullptr, true, Ending::kFailed, 0.2},
    {"infeasible_sides", "A value in a quarter of the box alone", InfeasibleSides},
    {"decades_beside_nothing", "Six decades of values beside a half without any",
     DecadesBesideNothing, 1},
    {"chance_failures", "Two fifths of all trials fail by chance", Height, 0, nullptr, true,
     Ending::kFailed, 0.4},
    {"thirty_decades", "Values from 1 to 1e30", ThirtyDecades, 1},
    {"explosions", "Values a million times larger in a fifth of the box", Explosions},
    {"offset", "Differences of a thousandth on top of 1e9", Offset, 1e9},
};

std::string NameOf(const Kind& kind, const Base& base) {
  return absl::StrCat(kind.name, base.suffix);
}

absl::StatusOr<Problem> Make(const Kind& kind, const Base& base, uint64_t seed) {
  const std::vector<Bounds> box(base.shape.BoxDimension(), Bounds{-kHalfSide, kHalfSide});
  SLIPSTREAM_ASSIGN_OR_RETURN(SearchSpace space, SpaceOfBox(box));
  Problem made;
  made.name = NameOf(kind, base);
  made.space = std::make_shared<const SearchSpace>(std::move(space));
  made.noiseless = kind.is_noiseless;
  made.best = kind.best;
  made.without_value = kind.without_value;
  made.failure_rate = kind.failure_rate;
  if (kind.disturbance != nullptr) made.disturbance = kind.disturbance;
  const Objective function = Moved(base.shape, seed);
  const double lowest = base.shape.function(base.shape.optimum(base.shape.dimension));
  double middle = 0;
  for (uint64_t i = 0; i < kSpread; ++i) {
    const Configuration drawn = RandomConfiguration(*made.space, seed ^ kSpreadSalt, i);
    middle += (function(NumbersOf(drawn)) - lowest) / static_cast<double>(kSpread);
  }
  const double best_place = CentreOf(base.shape, seed).front();
  made.value = [function, lowest, middle, best_place, value = kind.value](const Point& point) {
    const std::vector<double> x = NumbersOf(point.configuration);
    const double above = std::max(0.0, function(x) - lowest);
    return value({x, above / (above + middle), x.front() - best_place});
  };
  SetRangeByDraws(seed ^ kSpreadSalt, kSpread, made);
  return made;
}

std::vector<OddProblem> ListAll() {
  std::vector<OddProblem> all;
  for (const Base& base : kBases) {
    for (const Kind& kind : kKinds) {
      all.push_back({NameOf(kind, base), base.group, std::string(kind.summary)});
    }
  }
  return all;
}

}  // namespace

const std::vector<OddProblem>& OddProblems() {
  static const auto& all = *new std::vector<OddProblem>(ListAll());
  return all;
}

absl::StatusOr<Problem> MakeOddProblem(const OddProblem& problem, const Beginning& beginning) {
  if (beginning.source_tasks) {
    return absl::NotFoundError(absl::StrCat(problem.name, " has no source tasks"));
  }
  for (const Base& base : kBases) {
    for (const Kind& kind : kKinds) {
      if (NameOf(kind, base) != problem.name) continue;
      SLIPSTREAM_ASSIGN_OR_RETURN(Problem made, Make(kind, base, beginning.seed));
      if (beginning.initial_points) {
        made.initial = RandomInitialPoints(*made.space, beginning.seed);
      }
      return made;
    }
  }
  return InvalidField("problem", problem.name, "one of OddProblems");
}

}  // namespace slipstream::evidence
