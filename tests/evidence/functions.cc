#include "tests/evidence/functions.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace slipstream::evidence {
namespace {

using std::numbers::pi;

double Square(double value) { return value * value; }

template <size_t dimension>
using HartmannMatrix = std::array<std::array<double, dimension>, 4>;

constexpr HartmannMatrix<3> kSlopes3 = {{{3, 10, 30}, {0.1, 10, 35}, {3, 10, 30}, {0.1, 10, 35}}};
constexpr HartmannMatrix<3> kCentres3 = {
    {{3689, 1170, 2673}, {4699, 4387, 7470}, {1091, 8732, 5547}, {381, 5743, 8828}}};
constexpr HartmannMatrix<6> kSlopes6 = {{{10, 3, 17, 3.5, 1.7, 8},
                                         {0.05, 10, 17, 0.1, 8, 14},
                                         {3, 3.5, 1.7, 10, 17, 8},
                                         {17, 8, 0.05, 10, 0.1, 14}}};
constexpr HartmannMatrix<6> kCentres6 = {{{1312, 1696, 5569, 124, 8283, 5886},
                                          {2329, 4135, 8307, 3736, 1004, 9991},
                                          {2348, 1451, 3522, 2883, 3047, 6650},
                                          {4047, 8828, 8732, 5743, 1091, 381}}};

template <size_t dimension>
double Hartmann(const HartmannWeights& alpha, const HartmannMatrix<dimension>& slopes,
                const HartmannMatrix<dimension>& centres, RawPoint x) {
  double sum = 0;
  for (size_t i = 0; i < alpha.size(); ++i) {
    double exponent = 0;
    for (size_t j = 0; j < dimension; ++j) {
      exponent += slopes[i][j] * Square(x[j] - 1e-4 * centres[i][j]);
    }
    sum += alpha[i] * std::exp(-exponent);
  }
  return -sum;
}

double DeceptiveSlope(double peak, double x) {
  if (x <= 0.8 * peak) return 0.8 - x / peak;
  if (x <= peak) return 5 * x / peak - 4;
  if (x <= (1 + 4 * peak) / 5) return 5 * (x - peak) / (peak - 1) + 1;
  return (x - 1) / (1 - peak) + 0.8;
}

}  // namespace

double Branin(const BraninShape& shape, RawPoint x) {
  const double valley = x[1] - shape.b * x[0] * x[0] + shape.c * x[0] - shape.r;
  return shape.a * valley * valley + shape.s * (1 - shape.t) * std::cos(x[0]) + shape.s;
}

double Hartmann3(const HartmannWeights& alpha, RawPoint x) {
  return Hartmann(alpha, kSlopes3, kCentres3, x);
}

double Hartmann6(const HartmannWeights& alpha, RawPoint x) {
  return Hartmann(alpha, kSlopes6, kCentres6, x);
}

double Deceptive(RawPoint x) {
  const double count = static_cast<double>(x.size());
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    sum += DeceptiveSlope(static_cast<double>(i + 1) / (count + 1), x[i]);
  }
  return -Square(sum / count);
}

double H1(RawPoint x) {
  const double waves = Square(std::sin(x[0] - x[1] / 8)) + Square(std::sin(x[1] + x[0] / 8));
  return waves / (std::hypot(x[0] - 8.6998, x[1] - 6.7665) + 1);
}

double SlopeWithBump(RawPoint x) {
  // Centres 0.1 apart with evenly rising weights make a slope. They extend beyond the ends, so
  // that it stays straight there. The bump is a centre of its own.
  constexpr double kWidth = 0.1;
  constexpr double kNorm = 2;
  struct Term {
    double centre;
    double weight;
  };
  const auto similarity = [](double a, double b) {
    return std::exp(-(a - b) * (a - b) / (2 * kWidth * kWidth));
  };
  static const std::vector<Term> kTerms = [&] {
    std::vector<Term> terms = {{0.27, 0.8}};
    for (int i = -3; i <= 13; ++i) terms.push_back({i / 10.0, 0.02 * i});
    double square = 0;
    for (const Term& a : terms) {
      for (const Term& b : terms) square += a.weight * b.weight * similarity(a.centre, b.centre);
    }
    for (Term& term : terms) term.weight *= kNorm / std::sqrt(square);
    return terms;
  }();
  double value = 0;
  for (const Term& term : kTerms) value += term.weight * similarity(x[0], term.centre);
  return value;
}

double Ackley(RawPoint x) {
  const double count = static_cast<double>(x.size());
  double squares = 0;
  double waves = 0;
  for (const double value : x) {
    squares += value * value;
    waves += std::cos(2 * pi * value);
  }
  return 20 - 20 * std::exp(-0.2 * std::sqrt(squares / count)) + std::numbers::e -
         std::exp(waves / count);
}

double Levy(RawPoint x) {
  const auto wave = [x](size_t i) { return 1 + (x[i] - 1) / 4; };
  const double last = wave(x.size() - 1);
  double sum =
      Square(std::sin(pi * wave(0))) + Square(last - 1) * (1 + Square(std::sin(2 * pi * last)));
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    sum += Square(wave(i) - 1) * (1 + 10 * Square(std::sin(pi * wave(i) + 1)));
  }
  return sum;
}

double Rosenbrock(RawPoint x) {
  double sum = 0;
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    sum += 100 * Square(x[i + 1] - x[i] * x[i]) + Square(1 - x[i]);
  }
  return sum;
}

double Forrester(double a, double b, double c, RawPoint x) {
  return a * Square(6 * x[0] - 2) * std::sin(12 * x[0] - 4) + b * (x[0] - 0.5) - c;
}

double Alpine(double s, RawPoint x) { return x[0] * std::sin(x[0] + pi + s) + x[0] / 10; }

double Quadratic(double a, double b, double c, RawPoint x) { return Square(a * (x[0] + b)) + c; }

double GaussianBump(double centre, RawPoint x) {
  double squares = 0;
  for (const double value : x) squares += Square(value - centre);
  return std::exp(-squares / 2);
}

double NormalDensity(double mean, RawPoint x) {
  return GaussianBump(mean, x) / std::pow(2 * pi, static_cast<double>(x.size()) / 2);
}

double BohachevskyProduct(RawPoint x) {
  return x[0] * x[0] + 2 * x[1] * x[1] - 0.3 * std::cos(3 * pi * x[0]) * std::cos(4 * pi * x[1]) +
         0.3;
}

double BohachevskySum(RawPoint x) {
  return x[0] * x[0] + 2 * x[1] * x[1] - 0.3 * std::cos(3 * pi * x[0]) -
         0.4 * std::cos(4 * pi * x[1]) + 0.7;
}

}  // namespace slipstream::evidence
