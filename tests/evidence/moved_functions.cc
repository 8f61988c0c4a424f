#include "tests/evidence/moved_functions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/base/counter_random.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {

using Vector = std::vector<double>;

double Griewank(RawPoint z) {
  double sum = 0;
  double product = 1;
  for (size_t i = 0; i < z.size(); ++i) {
    sum += z[i] * z[i] / 4000;
    product *= std::cos(z[i] / std::sqrt(static_cast<double>(i) + 1));
  }
  return sum - product + 1;
}

double StyblinskiTang(RawPoint z) {
  double sum = 0;
  for (const double x : z) sum += 0.5 * (x * x * x * x - 16 * x * x + 5 * x);
  return sum;
}

double Trid(RawPoint z) {
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    sum += (z[i] - 1) * (z[i] - 1);
    if (i > 0) sum -= z[i] * z[i - 1];
  }
  return sum;
}

double DixonPrice(RawPoint z) {
  double sum = (z[0] - 1) * (z[0] - 1);
  for (size_t i = 1; i < z.size(); ++i) {
    const double off = 2 * z[i] * z[i] - z[i - 1];
    sum += (static_cast<double>(i) + 1) * off * off;
  }
  return sum;
}

double Zakharov(RawPoint z) {
  double squares = 0;
  double slope = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    squares += z[i] * z[i];
    slope += 0.5 * (static_cast<double>(i) + 1) * z[i];
  }
  return squares + slope * slope + slope * slope * slope * slope;
}

double Powell(RawPoint z) {
  double sum = 0;
  for (size_t i = 0; i + 3 < z.size(); i += 4) {
    const double a = z[i] + 10 * z[i + 1];
    const double b = z[i + 2] - z[i + 3];
    const double c = z[i + 1] - 2 * z[i + 2];
    const double d = z[i] - z[i + 3];
    sum += a * a + 5 * b * b + c * c * c * c + 10 * d * d * d * d;
  }
  return sum;
}

double Rastrigin(RawPoint z) {
  double sum = 0;
  for (const double x : z) sum += x * x + 10 - 10 * std::cos(2 * std::numbers::pi * x);
  return sum;
}

double Salomon(RawPoint z) {
  double squares = 0;
  for (const double x : z) squares += x * x;
  const double norm = std::sqrt(squares);
  return 1 - std::cos(2 * std::numbers::pi * norm) + 0.1 * norm;
}

double Ellipsoid(RawPoint z) {
  double sum = 0;
  for (size_t i = 0; i < z.size(); ++i) sum += (static_cast<double>(i) + 1) * z[i] * z[i];
  return sum;
}

Vector Origin(size_t dimension) { return Vector(dimension, 0); }
Vector Ones(size_t dimension) { return Vector(dimension, 1); }
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

namespace {

// Separates these draws from strategies'.
constexpr uint64_t kRotationSalt = 0x726f746174696f6e;
constexpr uint64_t kCentreSalt = 0x63656e747265;
constexpr uint64_t kRelevantSalt = 0x72656c6576616e74;
// The optimum lies in the middle six tenths of each side.
constexpr double kShareOfCentres = 0.6;

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

// The places of `count` of the box's coordinates, ascending; all where there are no others.
std::vector<size_t> RelevantCoordinates(size_t count, size_t dimension, uint64_t seed) {
  std::vector<size_t> order(dimension);
  std::iota(order.begin(), order.end(), size_t{0});
  if (count == dimension) return order;
  std::vector<double> keys;
  for (size_t i = 0; i < dimension; ++i) {
    keys.push_back(CounterRandomUniform(seed ^ kRelevantSalt, 0, i));
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<double> CentreOf(const MovedShape& shape, uint64_t seed) {
  Vector centre;
  for (size_t i = 0; i < shape.dimension; ++i) {
    const double uniform = CounterRandomUniform(seed ^ kCentreSalt, 0, i);
    centre.push_back(kHalfSide * kShareOfCentres * (2 * uniform - 1));
  }
  return centre;
}

Objective Moved(const MovedShape& shape, uint64_t seed) {
  std::vector<Vector> rotation;
  if (shape.is_turned) rotation = RandomRotation(shape.dimension, seed ^ kRotationSalt);
  return [shape, centre = CentreOf(shape, seed), optimum = shape.optimum(shape.dimension),
          rotation = std::move(rotation),
          places = RelevantCoordinates(shape.dimension, shape.BoxDimension(), seed)](RawPoint x) {
    Vector off;
    for (size_t i = 0; i < places.size(); ++i) {
      off.push_back(shape.scale * (x[places[i]] - centre[i]));
    }
    Vector z = optimum;
    for (size_t i = 0; i < z.size(); ++i) z[i] += shape.is_turned ? Dot(rotation[i], off) : off[i];
    return shape.function(z);
  };
}

ContinuousProblem MovedProblem(const MovedShape& shape, absl::string_view group,
                               absl::string_view name, absl::string_view summary,
                               Objective (*task)(uint64_t seed, uint64_t task)) {
  ContinuousProblem problem;
  problem.name = name;
  problem.summary = summary;
  problem.group = group;
  problem.box.assign(shape.BoxDimension(), Bounds{-kHalfSide, kHalfSide});
  problem.task = task;
  problem.best = shape.function(shape.optimum(shape.dimension));
  return problem;
}

}  // namespace slipstream::evidence
