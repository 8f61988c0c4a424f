#include "core/acquisition/rule.h"

#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/gp/normal.h"

namespace slipstream {
namespace {

// log(1 - exp(w)) for w < 0 (Maechler, "Accurately computing log(1 - exp(-|a|))", 2012).
double LogOneMinusExp(double w) {
  return w > -std::numbers::ln2 ? std::log(-std::expm1(w)) : std::log1p(-std::exp(w));
}

// 1/(x + 2/(x + 3/(x + ...))), to the last digits for x of at least 5.
double TailFraction(double x) {
  double fraction = x;
  for (int k = 25; k >= 2; --k) fraction = x + k / fraction;
  return 1 / fraction;
}

class UpperConfidenceBound : public AcquisitionRule {
 public:
  explicit UpperConfidenceBound(double multiplier) : multiplier_(multiplier) {}

 private:
  Utility DoEvaluate(double mean, double deviation) const override {
    return {mean + multiplier_ * deviation, 1, multiplier_};
  }

  double multiplier_;
};

class ExpectedImprovement : public AcquisitionRule {
 public:
  explicit ExpectedImprovement(double incumbent) : incumbent_(incumbent) {}

 private:
  // dEI/dm = Phi(u), dEI/ds = phi(u).
  Utility DoEvaluate(double mean, double deviation) const override {
    const double u = (mean - incumbent_) / deviation;
    const double below = StandardNormalDistribution(u);
    const double density = StandardNormalDensity(u);
    // phi + u Phi cancels to nothing far below; there the logarithm knows better.
    const double value = u > -1 ? deviation * (density + u * below)
                                : deviation * std::exp(LogExpectedImprovementOf(u).value);
    return {value, below, density};
  }

  double incumbent_;
};

class LogExpectedImprovement : public AcquisitionRule {
 public:
  explicit LogExpectedImprovement(double incumbent) : incumbent_(incumbent) {}

  bool is_logarithmic() const override { return true; }

 private:
  Utility DoEvaluate(double mean, double deviation) const override {
    const double u = (mean - incumbent_) / deviation;
    const LogImprovement log = LogExpectedImprovementOf(u);
    return {std::log(deviation) + log.value, log.slope / deviation, log.density / deviation};
  }

  double incumbent_;
};

class ProbabilityOfImprovement : public AcquisitionRule {
 public:
  ProbabilityOfImprovement(double target, double noise_variance)
      : target_(target), noise_deviation_(std::sqrt(noise_variance)) {}

 private:
  Utility DoEvaluate(double mean, double deviation) const override {
    const double whole = std::hypot(deviation, noise_deviation_);
    const double u = (mean - target_) / whole;
    return {u, 1 / whole, -u / whole * (deviation / whole)};
  }

  double target_;
  double noise_deviation_;
};

class WithScaledDeviation : public AcquisitionRule {
 public:
  WithScaledDeviation(std::unique_ptr<AcquisitionRule> rule, double factor)
      : rule_(std::move(rule)), factor_(factor) {}

  bool is_logarithmic() const override { return rule_->is_logarithmic(); }

 private:
  Utility DoEvaluate(double mean, double deviation) const override {
    Utility utility = rule_->Evaluate(mean, factor_ * deviation);
    utility.by_deviation *= factor_;
    return utility;
  }

  std::unique_ptr<AcquisitionRule> rule_;
  double factor_;
};

}  // namespace

Utility AcquisitionRule::Evaluate(double mean, double deviation) const {
  assert(deviation > 0);
  return DoEvaluate(mean, deviation);
}

LogImprovement LogExpectedImprovementOf(double u) {
  constexpr double kHalfLogHalfPi = 0.22579135264472743236;  // log(pi / 2) / 2
  if (u > -1) {
    const double below = StandardNormalDistribution(u);
    const double density = StandardNormalDensity(u);
    const double h = density + u * below;
    return {std::log(h), below / h, density / h};
  }
  if (u > -5) {
    // h = phi(u) (1 - |u| r), r = Phi(u)/phi(u) = sqrt(pi/2) erfcx(|u|/sqrt 2).
    const double ratio = ScaledComplementaryError(-u / std::numbers::sqrt2);
    const double w = std::log(ratio * -u) + kHalfLogHalfPi;
    const double rest = LogOneMinusExp(w);
    return {LogStandardNormalDensity(u) + rest, std::exp(std::log(ratio) + kHalfLogHalfPi - rest),
            std::exp(-rest)};
  }
  // There 1 - |u| r loses 2 log10 |u| digits. With Laplace's r = 1/(|u| + t) it is t/(|u| + t).
  const double t = TailFraction(-u);
  return {LogStandardNormalDensity(u) + std::log(t / (t - u)), 1 / t, (t - u) / t};
}

double TheoreticalMultiplier(double log_points, int64_t round, double rho) {
  // Summed, since t^2 / rho may overflow.
  const double of_round = 2 * std::log(static_cast<double>(round) * std::numbers::pi);
  return std::sqrt(2 * (log_points + of_round - std::log(6 * rho)));
}

std::unique_ptr<AcquisitionRule> MakeUpperConfidenceBound(double multiplier) {
  return std::make_unique<UpperConfidenceBound>(multiplier);
}

double ContinuousMultiplier(double dimension, int64_t round, double rho) {
  const double log_t = 2 * std::log(static_cast<double>(round));
  const double of_time = log_t + std::log(2 * std::numbers::pi * std::numbers::pi / (3 * rho));
  const double of_space =
      log_t + std::log(dimension) + 0.5 * std::log(std::log(4 * dimension / rho));
  return std::sqrt(std::max(0.0, 2 * of_time + 2 * dimension * of_space));
}

double DimensionMultiplier(double dimension, int64_t round) {
  return std::sqrt(0.2 * dimension * std::log(2 * static_cast<double>(round)));
}

std::unique_ptr<AcquisitionRule> MakeExpectedImprovement(double incumbent) {
  return std::make_unique<ExpectedImprovement>(incumbent);
}

std::unique_ptr<AcquisitionRule> MakeLogExpectedImprovement(double incumbent) {
  return std::make_unique<LogExpectedImprovement>(incumbent);
}

std::unique_ptr<AcquisitionRule> MakeProbabilityOfImprovement(double target,
                                                              double noise_variance) {
  return std::make_unique<ProbabilityOfImprovement>(target, noise_variance);
}

std::unique_ptr<AcquisitionRule> MakeWithScaledDeviation(std::unique_ptr<AcquisitionRule> rule,
                                                         double factor) {
  return std::make_unique<WithScaledDeviation>(std::move(rule), factor);
}

}  // namespace slipstream
