// A model of learning curves that were followed for different lengths: what is the value of one of
// them at the end, as far as it and the others tell?
//
// Swersky, Snoek, Adams, "Freeze-Thaw Bayesian Optimization", 2014: a curve is an asymptote of its
// own and a process that decays towards it,
//   y(t) = f + g(t) + noise,  cov(g(t), g(t')) = k(t, t') = beta^alpha / (t + t' + beta)^alpha,
// with t in (0, 1], the share of the whole training. Beyond the paper, g has the mean
// c kappa(t), kappa(t) = beta^alpha / (t + beta)^alpha, as trainings improve on the whole. Given
// the hyperparameters theta = (alpha, beta, a, v), curves are independent,
//   y ~ Normal(m + c kappa, s^2 (a + k + v I)).
// With flat priors on m, c and log s these three are integrated out in closed form: with
// H = (1, kappa), sums over the curves' own leading points, and N points in all,
//   A = sum H^T K^-1 H, b = sum H^T K^-1 y, Q = sum y^T K^-1 y - b^T A^-1 b,
//   log p(y | theta) = -((N - 2) log Q + sum log|K| + log|A|) / 2 + constant.
// theta is integrated out over a grid. Curves that were stopped for what they had shown by then do
// not bias this: that is missing at random.
#ifndef SLIPSTREAM_CORE_STOPPING_FREEZE_THAW_H_
#define SLIPSTREAM_CORE_STOPPING_FREEZE_THAW_H_

#include <vector>

#include "core/linalg/types.h"

namespace slipstream {

// Curves at common times, each known up to some of them.
struct ObservedCurves {
  Vector times;                // Ascending, in (0, 1].
  Matrix values;               // A column for each curve; unknown ones are 0.
  std::vector<Index> lengths;  // How many leading values of each curve are known.
};

// One curve, known at some times, which may be others.
struct ObservedCurve {
  Vector times;
  Vector values;
};

// What is believed of a value: a Normal distribution for each theta of some weight.
struct CurveBelief {
  double weight = 0;
  double mean = 0;
  double deviation = 0;
};

// An immutable model, hence thread-safe.
class FreezeThaw {
 public:
  // O(thetas (times^3 + curves times^2)). Without a spread among the values there is nothing to
  // learn, and beliefs are empty.
  explicit FreezeThaw(const ObservedCurves& curves);

  // The beliefs in what `curve` reports at the time 1; weights add up to 1. Empty if nothing is
  // known. Values of a size that no arithmetic holds leave out those thetas that overflow.
  std::vector<CurveBelief> BeliefsAtEnd(const ObservedCurve& curve) const;

 private:
  struct Theta {
    double alpha = 0;
    double beta = 0;
    double asymptote = 0;  // a.
    double noise = 0;      // v.
  };
  struct Fitted {
    Theta theta;
    double mean = 0;        // m.
    double decay = 0;       // c.
    double variance = 0;    // s^2.
    double likelihood = 0;  // Its logarithm.
  };

  static std::vector<Theta> Grid();
  static Matrix Covariance(const Theta& theta, const Vector& times);
  static Vector Decay(const Theta& theta, const Vector& times);
  static bool Fit(const ObservedCurves& curves, const Theta& theta, Fitted& fitted);
  static bool Believe(const Fitted& fitted, const ObservedCurve& curve, CurveBelief& belief);

  std::vector<Fitted> fitted_;  // Those whose weight is worth their time, likelihoods relative.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_FREEZE_THAW_H_
