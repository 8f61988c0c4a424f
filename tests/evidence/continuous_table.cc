#include "core/base/counter_random.h"
#include "tests/evidence/continuous_problems.h"

namespace slipstream::evidence {
namespace {

// The parameters of a family's task.
class Draw {
 public:
  Draw(uint64_t seed, uint64_t task) : seed_(seed), task_(task) {}
  double Between(double min, double max) {
    return min + (max - min) * CounterRandomUniform(seed_ ^ kSalt, next_++, task_);
  }

 private:
  static constexpr uint64_t kSalt = 0x66616d696c79;  // Unlike what strategies draw from the seed.
  uint64_t seed_;
  uint64_t task_;
  uint64_t next_ = 0;
};

template <double (*function)(RawPoint)>
Objective Always(uint64_t, uint64_t) {
  return function;
}

Objective BraninAlways(uint64_t, uint64_t) {
  return [](RawPoint x) { return Branin({}, x); };
}

template <double (*function)(const HartmannWeights&, RawPoint)>
Objective HartmannAlways(uint64_t, uint64_t) {
  return [](RawPoint x) { return function(kHartmannWeights, x); };
}

Objective ForresterTask(uint64_t seed, uint64_t task) {
  Draw draw(seed, task);
  const double a = draw.Between(0.2, 3);
  const double b = draw.Between(-5, 15);
  const double c = draw.Between(-5, 5);
  return [=](RawPoint x) { return Forrester(a, b, c, x); };
}

Objective AlpineTask(uint64_t seed, uint64_t task) {
  const double s = Draw(seed, task).Between(0, std::numbers::pi / 2);
  return [=](RawPoint x) { return Alpine(s, x); };
}

Objective BraninTask(uint64_t seed, uint64_t task) {
  Draw draw(seed, task);
  BraninShape shape;
  shape.a = draw.Between(0.5, 1.5);
  shape.b = draw.Between(0.1, 0.15);
  shape.c = draw.Between(1, 2);
  shape.r = draw.Between(5, 7);
  shape.s = draw.Between(8, 12);
  shape.t = draw.Between(0.03, 0.05);
  return [=](RawPoint x) { return Branin(shape, x); };
}

template <double (*function)(const HartmannWeights&, RawPoint)>
Objective HartmannTask(uint64_t seed, uint64_t task) {
  Draw draw(seed, task);
  HartmannWeights alpha = {};
  alpha[0] = draw.Between(1, 1.02);
  alpha[1] = draw.Between(1.18, 1.2);
  alpha[2] = draw.Between(2.8, 3);
  alpha[3] = draw.Between(3.2, 3.4);
  return [=](RawPoint x) { return function(alpha, x); };
}

Objective QuadraticTask(uint64_t seed, uint64_t task) {
  Draw draw(seed, task);
  const double a = draw.Between(0.5, 1.5);
  const double b = draw.Between(-0.9, 0.9);
  const double c = draw.Between(-1, 1);
  return [=](RawPoint x) { return Quadratic(a, b, c, x); };
}

// The source's bump is one unit away from the target's.
Objective GaussianPairTask(uint64_t seed, uint64_t task) {
  const double centre = Draw(seed, 0).Between(0.2, 0.8);
  const double shift = task == 0 ? 0 : 1 / std::numbers::sqrt2;
  return [=](RawPoint x) { return GaussianBump(centre + shift, x); };
}

Objective BohachevskyPairTask(uint64_t, uint64_t task) {
  return task == 0 ? BohachevskyProduct : BohachevskySum;
}

std::vector<Bounds> Cube(size_t dimension, double min, double max) {
  return std::vector<Bounds>(dimension, Bounds{min, max});
}

std::vector<ContinuousProblem> MakeTable() {
  constexpr Goal kMin = Goal::kMinimize;
  constexpr Goal kMax = Goal::kMaximize;
  const std::vector<Bounds> branin_box = {{-5, 10}, {0, 15}};
  // The optima are those that the peers' regrets are counted from.
  constexpr double kBranin = 0.39788735772973816;
  constexpr double kHartmann3 = -3.862779787332663;
  constexpr double kHartmann6 = -3.322368011415515;
  return {
      {"branin", "Three equal minima in a curved valley", true, kMin, branin_box, BraninAlways,
       kBranin},
      {"deceptive2", "Slopes lead away from a narrow minimum", true, kMin, Cube(2, 0, 1),
       Always<Deceptive>, -1},
      {"deceptive4", "The same in four dimensions", true, kMin, Cube(4, 0, 1), Always<Deceptive>,
       -1},
      {"h1", "One narrow peak among many ripples", true, kMax, Cube(2, -100, 100), Always<H1>, 2},
      {"hartmann3", "Four bumps", true, kMin, Cube(3, 0, 1), HartmannAlways<Hartmann3>, kHartmann3},
      {"hartmann6", "Four bumps", true, kMin, Cube(6, 0, 1), HartmannAlways<Hartmann6>, kHartmann6},

      {"ackley5", "Ripples around a funnel", false, kMin, Cube(5, -5, 10), Always<Ackley>, 0},
      {"levy4", "Waves", false, kMin, Cube(4, -10, 10), Always<Levy>, 0},
      {"rosenbrock4", "A long curved valley", false, kMin, Cube(4, -5, 10), Always<Rosenbrock>, 0},
      {"branin_noisy", "branin with noise of deviation 1", false, kMin, branin_box, BraninAlways,
       kBranin, 1},
      {"hartmann3_noisy", "hartmann3 with noise of deviation 0.1", false, kMin, Cube(3, 0, 1),
       HartmannAlways<Hartmann3>, kHartmann3, 0.1},

      {"forrester_family",
       "A task of the family for each seed",
       false,
       kMin,
       Cube(1, 0, 1),
       ForresterTask,
       {},
       0,
       8,
       32},
      {"alpine_family",
       "A task of the family for each seed",
       false,
       kMin,
       Cube(1, -10, 10),
       AlpineTask,
       {},
       0,
       8,
       32},
      {"branin_family",
       "A task of the family for each seed",
       false,
       kMin,
       branin_box,
       BraninTask,
       {},
       0,
       8,
       32},
      {"hartmann3_family",
       "A task of the family for each seed",
       false,
       kMin,
       Cube(3, 0, 1),
       HartmannTask<Hartmann3>,
       {},
       0,
       8,
       32},
      {"hartmann6_family",
       "A task of the family for each seed",
       false,
       kMin,
       Cube(6, 0, 1),
       HartmannTask<Hartmann6>,
       {},
       0,
       8,
       128},
      {"quadratic_family",
       "A task of the family for each seed",
       false,
       kMin,
       Cube(1, -1, 1),
       QuadraticTask,
       {},
       0,
       8,
       32},
      {"gaussian_pair", "A wide bump; its source's is shifted", false, kMax, Cube(2, 0, 1),
       GaussianPairTask, 1, 0, 1, 40},
      {"bohachevsky_pair", "A rippled bowl; its source has other ripples", false, kMin,
       Cube(2, -2, 2), BohachevskyPairTask, 0, 0, 1, 40},
  };
}

}  // namespace

const std::vector<ContinuousProblem>& ContinuousProblems() {
  static const auto& table = *new std::vector<ContinuousProblem>(MakeTable());
  return table;
}

}  // namespace slipstream::evidence
