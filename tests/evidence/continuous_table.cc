#include <numbers>
#include <utility>

#include "core/base/counter_random.h"
#include "tests/evidence/continuous_problems.h"
#include "tests/evidence/high_problems.h"
#include "tests/evidence/paper_problems.h"
#include "tests/evidence/peaks_problems.h"
#include "tests/evidence/random_draws.h"
#include "tests/evidence/workers_problems.h"

namespace slipstream::evidence {
namespace {

// The parameters of a family's task.
class Draw {
 public:
  Draw(uint64_t seed, uint64_t task) : seed_(seed), task_(task) {}
  uint64_t Seed() const { return CounterRandomBits(seed_ ^ kSalt, 0, task_); }
  double Between(double min, double max) {
    return min + (max - min) * CounterRandomUniform(seed_ ^ kSalt, next_++, task_);
  }

 private:
  static constexpr uint64_t kSalt = 0x66616d696c79;  // Separates these draws from strategies'.
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

// The source's mean is at the origin, the target's the given number of tenths away.
template <int tenths>
Objective NormalPairTask(uint64_t, uint64_t task) {
  const double mean = task == 0 ? tenths / 10.0 : 0;
  return [=](RawPoint x) { return NormalDensity(mean, x); };
}

// DeltaBO's own model: the source is a draw g, and the target is g plus a draw of the
// difference.
Objective DeltaModelTask(uint64_t seed, uint64_t task) {
  using Kernel = ProcessShape::Kernel;
  const Objective source = DrawProcess({Kernel::kMatern52, 1.2, 1}, 2, Draw(seed, 1).Seed());
  if (task != 0) return source;
  const Objective difference =
      DrawProcess({Kernel::kSquaredExponential, 1, 0.8}, 2, Draw(seed, 0).Seed());
  return [=](RawPoint x) { return source(x) + difference(x); };
}

std::vector<Bounds> Cube(size_t dimension, double min, double max) {
  return std::vector<Bounds>(dimension, Bounds{min, max});
}

std::vector<Bounds> BraninBox() { return {{-5, 10}, {0, 15}}; }

constexpr Goal kMin = Goal::kMinimize;
constexpr Goal kMax = Goal::kMaximize;
// The optima are those from which the peers' regrets are computed.
constexpr double kBranin = 0.39788735772973816;
constexpr double kHartmann3 = -3.862779787332663;
constexpr double kHartmann6 = -3.322368011415515;
constexpr double kNormalPeak = 0.5 / std::numbers::pi;

std::vector<ContinuousProblem> ProblemsWithPeers() {
  constexpr absl::string_view kGroup = kGroupWithPeers;
  return {
      {"branin", "Three equal minima in a curved valley", kGroup, kMin, BraninBox(), BraninAlways,
       kBranin},
      {"deceptive2", "Slopes lead away from a narrow minimum", kGroup, kMin, Cube(2, 0, 1),
       Always<Deceptive>, -1},
      {"deceptive4", "The same in four dimensions", kGroup, kMin, Cube(4, 0, 1), Always<Deceptive>,
       -1},
      {"h1", "One narrow peak among many ripples", kGroup, kMax, Cube(2, -100, 100), Always<H1>, 2},
      {"hartmann3", "Four bumps", kGroup, kMin, Cube(3, 0, 1), HartmannAlways<Hartmann3>,
       kHartmann3},
      {"hartmann6", "Four bumps", kGroup, kMin, Cube(6, 0, 1), HartmannAlways<Hartmann6>,
       kHartmann6},
  };
}

std::vector<ContinuousProblem> ProblemsForDevelopment() {
  constexpr absl::string_view kGroup = kDevelopment;
  return {
      {"ackley5", "Ripples around a funnel", kGroup, kMin, Cube(5, -5, 10), Always<Ackley>, 0},
      {"levy4", "Waves", kGroup, kMin, Cube(4, -10, 10), Always<Levy>, 0},
      {"rosenbrock4", "A long curved valley", kGroup, kMin, Cube(4, -5, 10), Always<Rosenbrock>, 0},
      {"rkhs_bump", "A slope with one bump; noise of deviation 0.02", kGroup, kMax, Cube(1, 0, 1),
       Always<SlopeWithBump>, std::nullopt, 0.02},
      {"branin_noisy", "branin with noise of deviation 1", kGroup, kMin, BraninBox(), BraninAlways,
       kBranin, 1},
      {"hartmann3_noisy", "hartmann3 with noise of deviation 0.1", kGroup, kMin, Cube(3, 0, 1),
       HartmannAlways<Hartmann3>, kHartmann3, 0.1},
  };
}

struct Family {
  absl::string_view name;
  std::vector<Bounds> box;
  Objective (*task)(uint64_t seed, uint64_t task) = nullptr;
  size_t source_points = 0;
};

std::vector<ContinuousProblem> Families() {
  const Family families[] = {
      {"forrester_family", Cube(1, 0, 1), ForresterTask, 32},
      {"alpine_family", Cube(1, -10, 10), AlpineTask, 32},
      {"branin_family", BraninBox(), BraninTask, 32},
      {"hartmann3_family", Cube(3, 0, 1), HartmannTask<Hartmann3>, 32},
      {"hartmann6_family", Cube(6, 0, 1), HartmannTask<Hartmann6>, 128},
      {"quadratic_family", Cube(1, -1, 1), QuadraticTask, 32},
  };
  std::vector<ContinuousProblem> problems;
  for (const Family& family : families) {
    problems.push_back({family.name, "A task of the family for each seed", kDevelopment, kMin,
                        family.box, family.task, std::nullopt, 0, 8, family.source_points});
  }
  return problems;
}

std::vector<ContinuousProblem> Pairs() {
  return {
      {"gaussian_pair", "A wide bump; its source's is shifted", kDevelopment, kMax, Cube(2, 0, 1),
       GaussianPairTask, 1, 0, 1, 40},
      {"bohachevsky_pair", "A rippled bowl; its source has other ripples", kDevelopment, kMin,
       Cube(2, -2, 2), BohachevskyPairTask, 0, 0, 1, 40},
      // From the paper on Envelope-BO.
      {"normal_related_pair", "A bump; its source's is a little beside it", kTransfer, kMax,
       Cube(2, -3, 3), NormalPairTask<1>, kNormalPeak, 0, 1, 25},
      {"normal_mild_pair", "A bump; its source's ends where it begins", kTransfer, kMax,
       Cube(2, -3, 3), NormalPairTask<15>, kNormalPeak, 0, 1, 25},
      // From the paper on DeltaBO, which does not give the number of source points. The noise
      // has a variance of 0.01, and of 0.1 in the source.
      {"delta_model_pair", "DeltaBO's model: a draw of a process, plus a smoother one", kTransfer,
       kMax, Cube(2, -1, 1), DeltaModelTask, std::nullopt, 0.1, 1, 100, 0.31622776601683794},
  };
}

// The families as published: both results and sources are noisy, and each source has
// 32 points.
std::vector<ContinuousProblem> NoisyFamilies() {
  struct Noisy {
    absl::string_view name;
    absl::string_view summary;
    std::vector<Bounds> box;
    Objective (*task)(uint64_t seed, uint64_t task) = nullptr;
    double deviation = 0;
  };
  const Noisy families[] = {
      {"forrester_noisy_family", "Its tasks and its sources have noise of deviation 0.1",
       Cube(1, 0, 1), ForresterTask, 0.1},
      {"alpine_noisy_family", "Its tasks and its sources have noise of deviation 0.05",
       Cube(1, -10, 10), AlpineTask, 0.05},
      {"branin_noisy_family", "Its tasks and its sources have noise of deviation 1", BraninBox(),
       BraninTask, 1},
      {"hartmann3_noisy_family", "Its tasks and its sources have noise of deviation 0.1",
       Cube(3, 0, 1), HartmannTask<Hartmann3>, 0.1},
      {"hartmann6_noisy_family", "Its tasks and its sources have noise of deviation 0.1",
       Cube(6, 0, 1), HartmannTask<Hartmann6>, 0.1},
      {"quadratic_noisy_family", "Its tasks and its sources have noise of deviation 0.1",
       Cube(1, -1, 1), QuadraticTask, 0.1},
  };
  std::vector<ContinuousProblem> problems;
  for (const Noisy& family : families) {
    problems.push_back({family.name, family.summary, kTransfer, kMin, family.box, family.task,
                        std::nullopt, family.deviation, 8, 32, family.deviation});
  }
  return problems;
}

// Each problem's sources are the histories of three similar tasks. The noise of its results and of
// theirs is about a hundredth of what a random guess misses.
std::vector<ContinuousProblem> GatheredFamilies() {
  struct Gathered {
    absl::string_view name;
    std::vector<Bounds> box;
    Objective (*task)(uint64_t seed, uint64_t task) = nullptr;
    double deviation = 0;
  };
  const Gathered families[] = {
      {"branin_gathered_family", BraninBox(), BraninTask, 0.5},
      {"hartmann3_gathered_family", Cube(3, 0, 1), HartmannTask<Hartmann3>, 0.03},
      {"hartmann6_gathered_family", Cube(6, 0, 1), HartmannTask<Hartmann6>, 0.03},
      {"alpine_gathered_family", Cube(1, -10, 10), AlpineTask, 0.05},
  };
  std::vector<ContinuousProblem> problems;
  for (const Gathered& family : families) {
    problems.push_back({family.name, "Its sources are three noisy histories of an optimiser",
                        kGathered, kMin, family.box, family.task, std::nullopt, family.deviation, 3,
                        30, family.deviation, /*sources_gather=*/true});
  }
  return problems;
}

std::vector<ContinuousProblem> MakeTable() {
  std::vector<ContinuousProblem> table;
  for (const auto make : {ProblemsWithPeers, ProblemsForDevelopment, Families, Pairs, NoisyFamilies,
                          GatheredFamilies, WorkersProblems, HighProblems, PeaksProblems,
                          PaperProblems}) {
    for (ContinuousProblem& problem : make()) table.push_back(std::move(problem));
  }
  return table;
}

}  // namespace

const std::vector<ContinuousProblem>& ContinuousProblems() {
  static const auto& table = *new std::vector<ContinuousProblem>(MakeTable());
  return table;
}

}  // namespace slipstream::evidence
