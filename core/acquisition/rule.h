// A rule says how much a point is worth trying, given the prediction there: a
// Gaussian of mean m and deviation s, where more is better.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_ACQUISITION_RULE_H_
#define SLIPSTREAM_CORE_ACQUISITION_RULE_H_

#include <cstdint>
#include <memory>

namespace slipstream {

// A rule's value and its derivatives.
struct Utility {
  double value = 0;
  double by_mean = 0;
  double by_deviation = 0;
};

class AcquisitionRule {
 public:
  virtual ~AcquisitionRule() = default;

  // `deviation` is positive. Finite wherever (m - target)/s is within 1e150.
  Utility Evaluate(double mean, double deviation) const;

  // Whether values are logarithms, so that their average over models is the
  // logarithm of the mean of their exponentials.
  virtual bool is_logarithmic() const { return false; }

 private:
  virtual Utility DoEvaluate(double mean, double deviation) const = 0;
};

// m + multiplier s. Srinivas et al. call the multiplier sqrt(beta).
std::unique_ptr<AcquisitionRule> MakeUpperConfidenceBound(double multiplier);

// sqrt(beta_t), beta_t = 2 log(|D| t^2 pi^2 / (6 rho)): with probability 1 - rho
// the bound holds at all |D| = exp(log_points) points in all rounds t = 1, 2, ...
// (Srinivas, Krause, Kakade, Seeger, "Gaussian process optimization in the bandit
// setting", 2010, theorem 1).
double TheoreticalMultiplier(double log_points, int64_t round, double rho);

// The same on the unit cube of `dimension` dimensions, with a = b = 1 (their
// theorem 2, as Envelope-BO takes it): beta_t = 2 log(2 t^2 pi^2 / (3 rho)) +
// 2 d log(t^2 d sqrt(log(4 d / rho))).
double ContinuousMultiplier(double dimension, int64_t round, double rho);

// sqrt(0.2 d log 2t), of Kandasamy, Schneider, Poczos, "High dimensional Bayesian
// optimisation and bandits via additive models", 2015, and of RM-GP-UCB.
double DimensionMultiplier(double dimension, int64_t round);

// E max(f - incumbent, 0) = s h(u), u = (m - incumbent)/s, h(u) = phi(u) + u Phi(u).
std::unique_ptr<AcquisitionRule> MakeExpectedImprovement(double incumbent);

// Its logarithm, without under- or overflow (Ament, Daulton, Eriksson,
// Balandat, Bakshy, "Unexpected improvements to expected improvement", 2023).
std::unique_ptr<AcquisitionRule> MakeLogExpectedImprovement(double incumbent);

// (m - target)/sqrt(s^2 + noise_variance), which ranks points as the probability
// Phi of it does but does not underflow.
std::unique_ptr<AcquisitionRule> MakeProbabilityOfImprovement(double target,
                                                              double noise_variance = 0);

// `rule` for a model that errs by `factor`, positive, times as much as it says.
std::unique_ptr<AcquisitionRule> MakeWithScaledDeviation(std::unique_ptr<AcquisitionRule> rule,
                                                         double factor);

// The logarithm of the expected improvement's h(u), and its derivatives.
struct LogImprovement {
  double value = 0;    // log h(u).
  double slope = 0;    // Its derivative, Phi(u)/h(u).
  double density = 0;  // phi(u)/h(u), which is 1 - u slope.
};
LogImprovement LogExpectedImprovementOf(double u);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ACQUISITION_RULE_H_
