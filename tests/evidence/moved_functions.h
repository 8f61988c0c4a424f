// Standard functions, shifted and perhaps turned by the seed, so that every seed is a function of
// its own, and perhaps hidden among coordinates that have no effect.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_MOVED_FUNCTIONS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_MOVED_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "tests/evidence/continuous_problems.h"
#include "tests/evidence/functions.h"

namespace slipstream::evidence {

// The sides of the box are [-kHalfSide, kHalfSide].
inline constexpr double kHalfSide = 5;

// Functions of any dimension, of which each has its least value on all of space where the vector
// beside it says.

// Griewank 1981: 0 at the origin.
double Griewank(RawPoint z);
// Styblinski and Tang 1990: a separate quartic with two minima for each coordinate.
double StyblinskiTang(RawPoint z);
// Neumaier's Trid: a badly scaled quadratic.
double Trid(RawPoint z);
// Dixon and Price 1989: 0 in two curved valleys' ends.
double DixonPrice(RawPoint z);
// Zakharov: 0 at the origin, in a plate that rises steeply.
double Zakharov(RawPoint z);
// Powell 1962, a multiple of four coordinates: 0 at the origin, where its curvature vanishes.
double Powell(RawPoint z);
// Rastrigin 1974: 0 at the origin, among a lattice of minima.
double Rastrigin(RawPoint z);
// Salomon 1996: 0 at the origin, with ripples around it.
double Salomon(RawPoint z);
// The sum of i z_i^2: 0 at the origin.
double Ellipsoid(RawPoint z);

std::vector<double> Origin(size_t dimension);
std::vector<double> Ones(size_t dimension);
std::vector<double> StyblinskiTangOptimum(size_t dimension);
std::vector<double> TridOptimum(size_t dimension);
std::vector<double> DixonPriceOptimum(size_t dimension);

struct MovedShape {
  double (*function)(RawPoint) = nullptr;
  std::vector<double> (*optimum)(size_t dimension) = nullptr;
  size_t dimension = 0;  // The function's own.
  double scale = 1;      // Units of the function in one of the box.
  bool is_turned = true;
  // The box's, where it has more coordinates: which of them matter depends on the seed.
  size_t box_dimension = 0;

  constexpr size_t BoxDimension() const { return box_dimension > 0 ? box_dimension : dimension; }
};

// Where the function is least, in the middle six tenths of each side that matters.
std::vector<double> CentreOf(const MovedShape& shape, uint64_t seed);

// x -> function(optimum + scale * rotation * (x - centre)), on the coordinates that matter.
Objective Moved(const MovedShape& shape, uint64_t seed);

template <const MovedShape& shape>
Objective MovedTask(uint64_t seed, uint64_t) {
  return Moved(shape, seed);
}

ContinuousProblem MovedProblem(const MovedShape& shape, absl::string_view group,
                               absl::string_view name, absl::string_view summary,
                               Objective (*task)(uint64_t seed, uint64_t task));

// The problem of that shape, with a task for each seed.
template <const MovedShape& shape>
ContinuousProblem MovedProblem(absl::string_view group, absl::string_view name,
                               absl::string_view summary) {
  return MovedProblem(shape, group, name, summary, MovedTask<shape>);
}

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MOVED_FUNCTIONS_H_
