#include "tests/evidence/workers_problems.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

using Vector = std::vector<double>;

// Separates these draws from strategies'.
constexpr uint64_t kRotationSalt = 0x726f746174696f6e;
constexpr uint64_t kCentreSalt = 0x63656e747265;
// The sides of the box are [-kHalfSide, kHalfSide], and its optimum lies in the middle
// six tenths of each.
constexpr double kHalfSide = 5;
constexpr double kShareOfCentres = 0.6;

// ---- The functions, of which each has its least value on all of space ----

// Griewank 1981: 0 at the origin.
double Griewank(RawPoint z) {
  double sum = 0;
  double product = 1;
  for (size_t i = 0; i < z.size(); ++i) {
    sum += z[i] * z[i] / 4000;
    product *= std::cos(z[i] / std::sqrt(static_cast<double>(i) + 1));
  }
  return sum - product + 1;
}

// Styblinski and Tang 1990: a separate quartic with two minima for each coordinate.
double StyblinskiTang(RawPoint z) {
  double sum = 0;
  for (const double x : z) sum += 0.5 * (x * x * x * x - 16 * x * x + 5 * x);
  return sum;
}

// Neumaier's Trid: a badly scaled quadratic.
double Trid(RawPoint z) {
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    sum += (z[i] - 1) * (z[i] - 1);
    if (i > 0) sum -= z[i] * z[i - 1];
  }
  return sum;
}

// Dixon and Price 1989: 0 in two curved valleys' ends.
double DixonPrice(RawPoint z) {
  double sum = (z[0] - 1) * (z[0] - 1);
  for (size_t i = 1; i < z.size(); ++i) {
    const double off = 2 * z[i] * z[i] - z[i - 1];
    sum += (static_cast<double>(i) + 1) * off * off;
  }
  return sum;
}

// Zakharov: 0 at the origin, in a plate that rises steeply.
double Zakharov(RawPoint z) {
  double squares = 0;
  double slope = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    squares += z[i] * z[i];
    slope += 0.5 * (static_cast<double>(i) + 1) * z[i];
  }
  return squares + slope * slope + slope * slope * slope * slope;
}

// Powell 1962, four coordinates: 0 at the origin, where its curvature vanishes.
double Powell(RawPoint z) {
  const double a = z[0] + 10 * z[1];
  const double b = z[2] - z[3];
  const double c = z[1] - 2 * z[2];
  const double d = z[0] - z[3];
  return a * a + 5 * b * b + c * c * c * c + 10 * d * d * d * d;
}

// Rastrigin 1974: 0 at the origin, among a lattice of minima.
double Rastrigin(RawPoint z) {
  double sum = 0;
  for (const double x : z) sum += x * x + 10 - 10 * std::cos(2 * std::numbers::pi * x);
  return sum;
}

// Salomon 1996: 0 at the origin, with ripples around it.
double Salomon(RawPoint z) {
  double squares = 0;
  for (const double x : z) squares += x * x;
  const double norm = std::sqrt(squares);
  return 1 - std::cos(2 * std::numbers::pi * norm) + 0.1 * norm;
}

// ---- Where each is least ----

Vector Origin(size_t dimension) { return Vector(dimension, 0); }
Vector StyblinskiTangOptimum(size_t dimension) { return Vector(dimension, -2.903534027771177); }

Vector TridOptimum(size_t dimension) {
  Vector optimum;
  for (size_t i = 1; i <= dimension; ++i) {
    optimum.push_back(static_cast<double>(i * (dimension + 1 - i)));
  }
  return optimum;
}

Vector DixonPriceOptimum(size_t dimension) {
  Vector optimum = {1};
  while (optimum.size() < dimension) optimum.push_back(std::sqrt(optimum.back() / 2));
  return optimum;
}

// ---- Turned and shifted ----

double Dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Orthonormal rows: independent normal ones by Gram and Schmidt.
std::vector<Vector> RandomRotation(size_t dimension, uint64_t seed) {
  std::vector<Vector> rows;
  for (size_t r = 0; r < dimension; ++r) {
    Vector row;
    for (size_t i = 0; i < dimension; ++i) row.push_back(StandardNormal(seed, i, r));
    for (const Vector& earlier : rows) {
      const double part = Dot(row, earlier);
      for (size_t i = 0; i < dimension; ++i) row[i] -= part * earlier[i];
    }
    const double length = std::sqrt(Dot(row, row));
    for (double& each : row) each /= length;
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Shape {
  double (*function)(RawPoint) = nullptr;
  Vector (*optimum)(size_t dimension) = nullptr;
  size_t dimension = 0;
  double scale = 1;  // Units of the function in one of the box.
};

// x -> function(optimum + scale * rotation * (x - centre)).
Objective Moved(const Shape& shape, uint64_t seed) {
  Vector centre;
  for (size_t i = 0; i < shape.dimension; ++i) {
    const double uniform = CounterRandomUniform(seed ^ kCentreSalt, 0, i);
    centre.push_back(kHalfSide * kShareOfCentres * (2 * uniform - 1));
  }
  return [shape, centre = std::move(centre), optimum = shape.optimum(shape.dimension),
          rotation = RandomRotation(shape.dimension, seed ^ kRotationSalt)](RawPoint x) {
    Vector off;
    for (size_t i = 0; i < x.size(); ++i) off.push_back(shape.scale * (x[i] - centre[i]));
    Vector z = optimum;
    for (size_t i = 0; i < z.size(); ++i) z[i] += Dot(rotation[i], off);
    return shape.function(z);
  };
}

constexpr Shape kGriewank = {Griewank, Origin, 5, 2};
constexpr Shape kStyblinskiTang = {StyblinskiTang, StyblinskiTangOptimum, 5, 1};
constexpr Shape kTrid = {Trid, TridOptimum, 6, 7};
constexpr Shape kDixonPrice = {DixonPrice, DixonPriceOptimum, 4, 2};
constexpr Shape kZakharov = {Zakharov, Origin, 5, 1.5};
constexpr Shape kPowell = {Powell, Origin, 4, 1};
constexpr Shape kRastrigin = {Rastrigin, Origin, 4, 0.5};
constexpr Shape kSalomon = {Salomon, Origin, 5, 0.5};

template <const Shape& shape>
Objective Task(uint64_t seed, uint64_t) {
  return Moved(shape, seed);
}

template <const Shape& shape>
ContinuousProblem Named(absl::string_view name, absl::string_view summary) {
  ContinuousProblem problem;
  problem.name = name;
  problem.summary = summary;
  problem.group = kWorkers;
  problem.box.assign(shape.dimension, Bounds{-kHalfSide, kHalfSide});
  problem.task = Task<shape>;
  problem.best = shape.function(shape.optimum(shape.dimension));
  return problem;
}

}  // namespace

std::vector<ContinuousProblem> WorkersProblems() {
  return {
      Named<kGriewank>("turned_griewank5", "Waves on a wide bowl, turned and shifted by the seed"),
      Named<kStyblinskiTang>("turned_styblinski_tang5",
                             "32 minima, of which one is deepest; turned by the seed"),
      Named<kTrid>("turned_trid6", "A badly scaled bowl, turned and shifted by the seed"),
      Named<kDixonPrice>("turned_dixon_price4", "Curved valleys, turned and shifted by the seed"),
      Named<kZakharov>("turned_zakharov5", "A flat plate between steep walls, turned by the seed"),
      Named<kPowell>("turned_powell4", "A valley that is flat at its end, turned by the seed"),
      Named<kRastrigin>("turned_rastrigin4", "A lattice of minima, turned and shifted by the seed"),
      Named<kSalomon>("turned_salomon5", "Rings around the minimum, shifted by the seed"),
  };
}

}  // namespace slipstream::evidence
