#include "core/stopping/freeze_thaw.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

constexpr double kAlphas[] = {0.5, 1, 2};
constexpr double kBetas[] = {0.03, 0.1, 0.3, 1};
constexpr double kAsymptotes[] = {0.01, 0.03, 0.1, 0.3, 1, 3};
constexpr double kNoises[] = {1e-4, 1e-3, 1e-2, 1e-1};

// Thetas whose likelihood is less than this share of the largest are left out.
constexpr double kLeastWeight = 1e-3;

// The sums over all curves' leading points, by whitened columns.
struct Sums {
  Matrix a = Matrix::Zero(2, 2);
  Vector b = Vector::Zero(2);
  double squares = 0;
  double log_determinants = 0;
  double points = 0;
};

Sums SumUp(const ObservedCurves& curves, const Cholesky& factor, Matrix basis) {
  Matrix values = curves.values;
  factor.SolveLower(basis);
  factor.SolveLower(values);
  // Row n has the sums over the first n points, which is what curves of that length need.
  const Index rows = curves.times.size();
  Matrix products = Matrix::Zero(rows + 1, 3);
  Vector log_determinants = Vector::Zero(rows + 1);
  for (Index i = 0; i < rows; ++i) {
    const double one = basis(i, 0);
    const double decay = basis(i, 1);
    products(i + 1, 0) = products(i, 0) + one * one;
    products(i + 1, 1) = products(i, 1) + one * decay;
    products(i + 1, 2) = products(i, 2) + decay * decay;
    log_determinants[i + 1] = log_determinants[i] + 2 * std::log(factor.At(i, i));
  }
  Sums sums;
  for (Index j = 0; j < values.cols(); ++j) {
    const Index length = curves.lengths[static_cast<size_t>(j)];
    const auto known = values.col(j).head(length);
    sums.a(0, 0) += products(length, 0);
    sums.a(0, 1) += products(length, 1);
    sums.a(1, 1) += products(length, 2);
    sums.b += basis.topRows(length).transpose() * known;
    sums.squares += known.squaredNorm();
    sums.log_determinants += log_determinants[length];
    sums.points += static_cast<double>(length);
  }
  sums.a(1, 0) = sums.a(0, 1);
  return sums;
}

}  // namespace

std::vector<FreezeThaw::Theta> FreezeThaw::Grid() {
  std::vector<Theta> grid;
  for (const double alpha : kAlphas) {
    for (const double beta : kBetas) {
      for (const double asymptote : kAsymptotes) {
        for (const double noise : kNoises) grid.push_back({alpha, beta, asymptote, noise});
      }
    }
  }
  return grid;
}

Matrix FreezeThaw::Covariance(const Theta& theta, const Vector& times) {
  const Index size = times.size();
  Matrix k(size, size);
  for (Index j = 0; j < size; ++j) {
    for (Index i = j; i < size; ++i) {
      const double ratio = theta.beta / (times[i] + times[j] + theta.beta);
      k(i, j) = theta.asymptote + std::pow(ratio, theta.alpha) + (i == j ? theta.noise : 0);
    }
  }
  return k;
}

Vector FreezeThaw::Decay(const Theta& theta, const Vector& times) {
  return (theta.beta / (times.array() + theta.beta)).pow(theta.alpha);
}

bool FreezeThaw::Fit(const ObservedCurves& curves, const Theta& theta, Fitted& fitted) {
  const absl::StatusOr<Cholesky> factor = Cholesky::Of(Covariance(theta, curves.times));
  if (!factor.ok()) return false;
  Matrix basis = Matrix::Ones(curves.times.size(), 2);
  basis.col(1) = Decay(theta, curves.times);
  const Sums sums = SumUp(curves, *factor, std::move(basis));
  const double determinant = sums.a(0, 0) * sums.a(1, 1) - sums.a(0, 1) * sums.a(1, 0);
  if (!(determinant > 1e-12 * sums.a(0, 0) * sums.a(1, 1)) || !(sums.points > 2)) return false;
  fitted.mean = (sums.a(1, 1) * sums.b[0] - sums.a(0, 1) * sums.b[1]) / determinant;
  fitted.decay = (sums.a(0, 0) * sums.b[1] - sums.a(1, 0) * sums.b[0]) / determinant;
  const double rest = sums.squares - sums.b[0] * fitted.mean - sums.b[1] * fitted.decay;
  if (!(rest > 1e-12 * sums.squares)) return false;
  fitted.theta = theta;
  fitted.variance = rest / (sums.points - 2);
  fitted.likelihood =
      -0.5 * ((sums.points - 2) * std::log(rest) + sums.log_determinants + std::log(determinant));
  return std::isfinite(fitted.likelihood);
}

FreezeThaw::FreezeThaw(const ObservedCurves& curves) {
  double best = 0;
  for (const Theta& theta : Grid()) {
    Fitted fitted;
    if (!Fit(curves, theta, fitted)) continue;
    if (fitted_.empty() || fitted.likelihood > best) best = fitted.likelihood;
    fitted_.push_back(fitted);
  }
  for (Fitted& fitted : fitted_) fitted.likelihood = std::exp(fitted.likelihood - best);
  const auto is_light = [](const Fitted& each) { return each.likelihood < kLeastWeight; };
  fitted_.erase(std::remove_if(fitted_.begin(), fitted_.end(), is_light), fitted_.end());
}

bool FreezeThaw::Believe(const Fitted& fitted, const ObservedCurve& curve, CurveBelief& belief) {
  const Index size = curve.times.size();
  Vector times(size + 1);
  times << curve.times, 1.0;
  const Matrix k = Covariance(fitted.theta, times);
  const Vector means = fitted.mean + fitted.decay * Decay(fitted.theta, times).array();
  const absl::StatusOr<Cholesky> factor = Cholesky::Of(k.topLeftCorner(size, size));
  if (!factor.ok()) return false;
  // The last row of the lower triangle: the end's covariances with what is known.
  const Vector with_end = k.row(size).head(size).transpose();
  const Vector weights = factor->Solve(with_end);
  belief.weight = fitted.likelihood;
  belief.mean = means[size] + weights.dot(curve.values - means.head(size));
  const double left = std::max(k(size, size) - weights.dot(with_end), fitted.theta.noise);
  belief.deviation = std::sqrt(fitted.variance * left);
  return std::isfinite(belief.mean) && belief.deviation > 0 && std::isfinite(belief.deviation);
}

std::vector<CurveBelief> FreezeThaw::BeliefsAtEnd(const ObservedCurve& curve) const {
  std::vector<CurveBelief> beliefs;
  double sum = 0;
  for (const Fitted& fitted : fitted_) {
    CurveBelief belief;
    if (!Believe(fitted, curve, belief)) continue;
    beliefs.push_back(belief);
    sum += belief.weight;
  }
  for (CurveBelief& belief : beliefs) belief.weight /= sum;
  return beliefs;
}

}  // namespace slipstream
