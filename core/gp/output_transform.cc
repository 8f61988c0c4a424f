#include "core/gp/output_transform.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cassert>
#include <cmath>
#include <limits>

#include "absl/strings/str_format.h"
#include "core/gp/normal.h"

namespace slipstream {
namespace {

// Yeo and Johnson's transformation of exponent `l`.
double YeoJohnson(double x, double l) {
  if (x >= 0) {
    return std::abs(l) < 1e-9 ? std::log1p(x) : std::expm1(l * std::log1p(x)) / l;
  }
  const double m = 2 - l;
  return std::abs(m) < 1e-9 ? -std::log1p(-x) : -std::expm1(m * std::log1p(-x)) / m;
}

double InverseYeoJohnson(double y, double l) {
  constexpr double kLeast = -1 + 1e-15;  // Where the transformation's range ends.
  if (y >= 0) {
    return std::abs(l) < 1e-9 ? std::expm1(y) : std::expm1(std::log1p(std::max(l * y, kLeast)) / l);
  }
  const double m = 2 - l;
  return std::abs(m) < 1e-9 ? -std::expm1(-y)
                            : -std::expm1(std::log1p(std::max(-m * y, kLeast)) / m);
}

// The exponent in [-1, 4] under which `x` is most likely normal.
double MostLikelyExponent(const Vector& x) {
  const auto minus_likelihood = [&x](double l) {
    Vector y(x.size());
    double log_slopes = 0;
    for (Index i = 0; i < x.size(); ++i) {
      y[i] = YeoJohnson(x[i], l);
      log_slopes += (l - 1) * std::copysign(std::log1p(std::abs(x[i])), x[i]);
    }
    const double variance = (y.array() - y.mean()).square().mean();
    if (!(variance > 0)) return std::numeric_limits<double>::max();
    return 0.5 * static_cast<double>(x.size()) * std::log(variance) - log_slopes;
  };
  return boost::math::tools::brent_find_minima(minus_likelihood, -1.0, 4.0, 20).first;
}

// The deviation of `x`, or 1 where there is none.
double DeviationOf(const Vector& x) {
  if (x.size() < 2) return 1;
  const double deviation =
      std::sqrt((x.array() - x.mean()).square().sum() / static_cast<double>(x.size() - 1));
  return deviation > 1e-14 * std::max(1.0, x.cwiseAbs().maxCoeff()) ? deviation : 1;
}

// Linear between (from[i], to[i]), with the last steps' slopes beyond them.
double Interpolate(const std::vector<double>& from, const std::vector<double>& to, double x) {
  if (from.size() == 1) return to[0] + (x - from[0]);
  const auto above = std::upper_bound(from.begin() + 1, from.end() - 1, x);
  const auto i = static_cast<size_t>(above - from.begin());
  const double part = (x - from[i - 1]) / (from[i] - from[i - 1]);
  return to[i - 1] + part * (to[i] - to[i - 1]);
}

// Different values of `x`, ascending, and the normal quantiles of their mean
// ranks.
void RankScores(const Vector& x, std::vector<double>& knots, std::vector<double>& scores) {
  std::vector<double> sorted(x.data(), x.data() + x.size());
  std::sort(sorted.begin(), sorted.end());
  const auto size = static_cast<double>(sorted.size());
  for (size_t first = 0; first < sorted.size();) {
    size_t end = first;
    while (end < sorted.size() && sorted[end] == sorted[first]) ++end;
    knots.push_back(sorted[first]);
    const double middle = 0.5 * static_cast<double>(first + end);
    scores.push_back(StandardNormalQuantile(middle / size));
    first = end;
  }
}

}  // namespace

OutputTransform OutputTransform::Fit(OutputWarp warp, const Vector& results, double sign) {
  assert(results.size() > 0 && results.allFinite());
  assert(warp != OutputWarp::kByEvidence);
  OutputTransform transform;
  transform.warp_ = warp;
  transform.sign_ = sign;
  const double largest = results.cwiseAbs().maxCoeff();
  transform.unit_ = largest > 0 ? largest : 1;
  const Vector units = sign * (results / transform.unit_);
  if (warp != OutputWarp::kCopula) {  // Where an outlier rounds all others to one number.
    transform.offset_ = units.mean();
    transform.spread_ = DeviationOf(units);
  }
  const Vector scaled = (units.array() - transform.offset_) / transform.spread_;
  if (warp == OutputWarp::kPower && scaled.size() >= 3) {
    transform.exponent_ = MostLikelyExponent(scaled);
  }
  if (warp == OutputWarp::kCopula) RankScores(scaled, transform.knots_, transform.scores_);
  Vector warped(scaled.size());
  for (Index i = 0; i < scaled.size(); ++i) warped[i] = transform.Warp(scaled[i]);
  transform.mean_ = warped.mean();
  transform.deviation_ = DeviationOf(warped);
  return transform;
}

OutputTransform OutputTransform::Identity(double sign) {
  OutputTransform transform;
  transform.sign_ = sign;
  return transform;
}

OutputTransform OutputTransform::WithSign(double sign) const {
  OutputTransform transform = *this;
  transform.sign_ = sign;
  return transform;
}

std::vector<double> OutputTransform::Numbers() const {
  std::vector<double> numbers = {
      static_cast<double>(warp_), sign_, unit_, offset_, spread_, exponent_, mean_, deviation_};
  numbers.insert(numbers.end(), knots_.begin(), knots_.end());
  numbers.insert(numbers.end(), scores_.begin(), scores_.end());
  return numbers;
}

std::optional<OutputTransform> OutputTransform::FromNumbers(absl::Span<const double> numbers) {
  constexpr size_t kFixed = 8;
  const bool is_finite = std::all_of(numbers.begin(), numbers.end(),
                                     [](double number) { return std::isfinite(number); });
  if (!is_finite || numbers.size() < kFixed || (numbers.size() - kFixed) % 2 != 0) return {};
  OutputTransform transform;
  for (OutputWarp warp : {OutputWarp::kStandardize, OutputWarp::kPower, OutputWarp::kCopula}) {
    if (numbers[0] == static_cast<double>(warp)) transform.warp_ = warp;
  }
  const bool has_knots = numbers.size() > kFixed;
  if (numbers[0] != static_cast<double>(transform.warp_) ||
      has_knots != (transform.warp_ == OutputWarp::kCopula)) {
    return {};
  }
  transform.sign_ = numbers[1];
  transform.unit_ = numbers[2];
  transform.offset_ = numbers[3];
  transform.spread_ = numbers[4];
  transform.exponent_ = numbers[5];
  transform.mean_ = numbers[6];
  transform.deviation_ = numbers[7];
  const bool divides = transform.unit_ > 0 && transform.spread_ > 0 && transform.deviation_ > 0;
  if (!divides || std::abs(transform.sign_) != 1) return {};
  const auto middle = numbers.begin() + kFixed + (numbers.size() - kFixed) / 2;
  transform.knots_.assign(numbers.begin() + kFixed, middle);
  transform.scores_.assign(middle, numbers.end());
  return transform;
}

std::string OutputTransform::Text() const {
  std::string text = absl::StrFormat("%d", static_cast<int>(warp_));
  for (double number : {sign_, unit_, offset_, spread_, exponent_, mean_, deviation_}) {
    absl::StrAppendFormat(&text, " %a", number);
  }
  for (double knot : knots_) absl::StrAppendFormat(&text, " %a", knot);
  return text;
}

double OutputTransform::Warp(double scaled) const {
  switch (warp_) {
    case OutputWarp::kStandardize:
      return scaled;
    case OutputWarp::kPower:
      return exponent_ == 1 ? scaled : YeoJohnson(scaled, exponent_);
    case OutputWarp::kCopula:
      return Interpolate(knots_, scores_, scaled);
    case OutputWarp::kByEvidence:
      break;
  }
  return scaled;
}

double OutputTransform::Unwarp(double warped) const {
  switch (warp_) {
    case OutputWarp::kStandardize:
      return warped;
    case OutputWarp::kPower:
      return exponent_ == 1 ? warped : InverseYeoJohnson(warped, exponent_);
    case OutputWarp::kCopula:
      return Interpolate(scores_, knots_, warped);
    case OutputWarp::kByEvidence:
      break;
  }
  return warped;
}

OutputTransform OutputTransform::MovedBy(double more) const {
  OutputTransform moved = *this;
  moved.mean_ -= more * deviation_;
  return moved;
}

double OutputTransform::Apply(double result) const {
  return (Warp((sign_ * (result / unit_) - offset_) / spread_) - mean_) / deviation_;
}

Vector OutputTransform::Apply(const Vector& results) const {
  return results.unaryExpr([this](double result) { return Apply(result); });
}

double OutputTransform::LogSlopeAt(double value) const {
  assert(warp_ != OutputWarp::kCopula);
  const double scaled = Unwarp(value * deviation_ + mean_);
  const double of_warp = (exponent_ - 1) * std::copysign(std::log1p(std::abs(scaled)), scaled);
  return of_warp - std::log(unit_) - std::log(spread_) - std::log(deviation_);
}

double OutputTransform::Invert(double value) const {
  const double scaled = Unwarp(value * deviation_ + mean_);
  const double result = sign_ * (scaled * spread_ + offset_) * unit_;
  return std::clamp(result, -std::numeric_limits<double>::max(),
                    std::numeric_limits<double>::max());
}

double OutputTransform::Nearer(double value, const Vector& values) const {
  if (warp_ != OutputWarp::kPower || exponent_ == 1 || values.size() == 0) return value;
  const double one_end = Invert(values.minCoeff());
  const double other_end = Invert(values.maxCoeff());
  // As a half, since the whole may overflow.
  const double half_range = 0.5 * other_end - 0.5 * one_end;
  if (half_range == 0) return value;
  const double least = Apply(one_end - half_range - half_range);
  const double most = Apply(other_end + half_range + half_range);
  return std::clamp(value, least, most);
}

double OutputTransform::InvertDeviation(double mean, double deviation) const {
  constexpr double kMostSkew = 10;
  const double middle = Invert(mean);
  const double above = Invert(mean + deviation);
  const double below = Invert(mean - deviation);
  const double nearer = std::min(std::abs(above - middle), std::abs(middle - below));
  return std::min(std::abs(0.5 * above - 0.5 * below), 0.5 * (1 + kMostSkew) * nearer);
}

}  // namespace slipstream
