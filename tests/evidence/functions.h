// Test functions in raw units, each on its own box.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_FUNCTIONS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_FUNCTIONS_H_

#include <array>
#include <numbers>

#include "absl/types/span.h"

namespace slipstream::evidence {

using RawPoint = absl::Span<const double>;

// a (x2 - b x1^2 + c x1 - r)^2 + s (1 - t) cos(x1) + s on [-5, 10] x [0, 15].
// The defaults are Branin's own function, with three minima of 0.397887.
struct BraninShape {
  double a = 1;
  double b = 5.1 / (4 * std::numbers::pi * std::numbers::pi);
  double c = 5 / std::numbers::pi;
  double r = 6;
  double s = 10;
  double t = 1 / (8 * std::numbers::pi);
};
double Branin(const BraninShape& shape, RawPoint x);

// -sum_i alpha_i exp(-sum_j A_ij (x_j - P_ij)^2) on the unit cube; Hartmann's
// own functions have the alpha below and minima of -3.862780 and -3.322368.
using HartmannWeights = std::array<double, 4>;
inline constexpr HartmannWeights kHartmannWeights = {1, 1.2, 3, 3.2};
double Hartmann3(const HartmannWeights& alpha, RawPoint x);
double Hartmann6(const HartmannWeights& alpha, RawPoint x);

// -[mean of g_i(x_i)]^2 on the unit cube, where the slopes of g_i lead away from its
// narrow peak of 1 at i / (n + 1): the minimum is -1 there, and -0.64 in the corners.
// The published formula's third and fourth branches lack a summand; here g_i is
// continuous.
double Deceptive(RawPoint x);

// [sin^2(x1 - x2/8) + sin^2(x2 + x1/8)] / (1 + distance to (8.6998, 6.7665)) on
// [-100, 100]^2 (van Soest and Casius 2003): maximum 2 at that point. The 1 is outside
// the distance's square root.
double H1(RawPoint x);

// A slope with one bump, which is the maximum: sum_i a_i exp(-(x - x_i)^2 / (2 * 0.1^2)) on [0, 1]
// with sqrt(a^T K a) = 2, in the manner of Berkenkamp et al. 2019 (figure 1), who print neither a
// nor x. Its processes' lengthscale is 0.1 and its norm is 2, but most of it looks smoother.
double SlopeWithBump(RawPoint x);

// Ackley 1987: minimum 0 at the origin, any dimension.
double Ackley(RawPoint x);
// Levy and Montalvo 1985: minimum 0 at ones, any dimension.
double Levy(RawPoint x);
// Rosenbrock 1960: minimum 0 at ones, two dimensions or more.
double Rosenbrock(RawPoint x);

// a (6x - 2)^2 sin(12x - 4) + b (x - 1/2) - c on [0, 1] (Forrester 2008).
double Forrester(double a, double b, double c, RawPoint x);
// x sin(x + pi + s) + x / 10 on [-10, 10].
double Alpine(double s, RawPoint x);
// a^2 (x + b)^2 + c on [-1, 1].
double Quadratic(double a, double b, double c, RawPoint x);
// exp(-|x - centre|^2 / 2), with all of the centre's coordinates the same.
double GaussianBump(double centre, RawPoint x);
// The density of the normal distribution with that mean in all coordinates and
// unit covariance; in two dimensions its maximum is 1 / (2 pi).
double NormalDensity(double mean, RawPoint x);
// x1^2 + 2 x2^2 - 0.3 cos(3 pi x1) cos(4 pi x2) + 0.3: minimum 0 at the origin.
double BohachevskyProduct(RawPoint x);
// x1^2 + 2 x2^2 - 0.3 cos(3 pi x1) - 0.4 cos(4 pi x2) + 0.7: the same minimum.
double BohachevskySum(RawPoint x);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_FUNCTIONS_H_
