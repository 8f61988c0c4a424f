#include "tests/evidence/high_problems.h"

#include <utility>

#include "tests/evidence/moved_functions.h"

namespace slipstream::evidence {
namespace {

constexpr bool kTurned = true;
constexpr bool kStraight = false;

// The minimum that is used is the one at the right end of the valley.
double BraninOfTwo(RawPoint z) { return Branin({}, z); }
std::vector<double> BraninOptimum(size_t) { return {9.42477796076938, 2.475}; }

double Hartmann6OfCube(RawPoint z) { return Hartmann6(kHartmannWeights, z); }
std::vector<double> Hartmann6Optimum(size_t) {
  return {0.20168951, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730053};
}

constexpr MovedShape kAckley20 = {Ackley, Origin, 20, 3, kStraight};
constexpr MovedShape kLevy50 = {Levy, Ones, 50, 1.5, kStraight};
constexpr MovedShape kRosenbrock20 = {Rosenbrock, Ones, 20, 0.5, kTurned};
constexpr MovedShape kHartmann6Of100 = {Hartmann6OfCube, Hartmann6Optimum, 6, 0.1, kStraight, 100};

constexpr MovedShape kGriewank20 = {Griewank, Origin, 20, 20, kTurned};
constexpr MovedShape kStyblinskiTang20 = {StyblinskiTang, StyblinskiTangOptimum, 20, 0.6,
                                          kStraight};
constexpr MovedShape kDixonPrice20 = {DixonPrice, DixonPriceOptimum, 20, 1, kTurned};
constexpr MovedShape kRastrigin20 = {Rastrigin, Origin, 20, 0.3, kStraight};
constexpr MovedShape kSalomon50 = {Salomon, Origin, 50, 0.2, kTurned};
constexpr MovedShape kPowell52 = {Powell, Origin, 52, 0.6, kStraight};
constexpr MovedShape kBraninOf50 = {BraninOfTwo, BraninOptimum, 2, 1, kStraight, 50};
constexpr MovedShape kEllipsoid100 = {Ellipsoid, Origin, 100, 1, kTurned};
constexpr MovedShape kStyblinskiTang10Of100 = {StyblinskiTang, StyblinskiTangOptimum, 10, 0.6,
                                               kStraight,      100};

std::vector<ContinuousProblem> Development() {
  constexpr absl::string_view kGroup = kHighDevelopment;
  return {
      MovedProblem<kAckley20>(kGroup, "shifted_ackley20", "Ripples around a funnel"),
      MovedProblem<kRosenbrock20>(kGroup, "turned_rosenbrock20", "A curved valley"),
      MovedProblem<kLevy50>(kGroup, "shifted_levy50", "Waves"),
      MovedProblem<kHartmann6Of100>(kGroup, "hartmann6_of_100",
                                    "Four bumps of six coordinates among a hundred"),
  };
}

std::vector<ContinuousProblem> Reported() {
  constexpr absl::string_view kGroup = kHigh;
  return {
      MovedProblem<kGriewank20>(kGroup, "turned_griewank20", "Waves on a wide bowl"),
      MovedProblem<kStyblinskiTang20>(kGroup, "styblinski_tang20",
                                      "Two minima in each coordinate"),
      MovedProblem<kDixonPrice20>(kGroup, "turned_dixon_price20", "Curved valleys"),
      MovedProblem<kRastrigin20>(kGroup, "rastrigin20", "A lattice of minima"),
      MovedProblem<kSalomon50>(kGroup, "turned_salomon50", "Rings around the minimum"),
      MovedProblem<kPowell52>(kGroup, "powell52", "Thirteen valleys that are flat at their ends"),
      MovedProblem<kBraninOf50>(kGroup, "branin_of_50", "Two coordinates among fifty"),
      MovedProblem<kEllipsoid100>(kGroup, "turned_ellipsoid100", "A bowl a hundred times as steep "
                                  "one way as the other"),
      MovedProblem<kStyblinskiTang10Of100>(kGroup, "styblinski_tang_10_of_100",
                                           "Two minima in each of ten coordinates among a hundred"),
  };
}

}  // namespace

std::vector<ContinuousProblem> HighProblems() {
  std::vector<ContinuousProblem> problems = Development();
  for (ContinuousProblem& problem : Reported()) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace slipstream::evidence
