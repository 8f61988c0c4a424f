// Function classes that grow until a regret that would be suspiciously small is
// no longer so (A-GP-UCB).
//
// Berkenkamp, Schoellig and Krause, "No-regret Bayesian optimization with
// unknown hyperparameters", JMLR 20(50), 2019. A process with too long
// lengthscales, or too small a norm bound B, is soon sure of itself and returns
// to a local optimum for good. So lengthscales are divided by g(t) and the bound
// multiplied by b(t) g(t)^d (equation 9), which grow where the regret that the
// current class expects falls below a reference that grows more slowly than t
// (equation 14); all in units of the kernel's deviation a, which the paper sets 1:
//
//   h(t) = min { h >= h(t-1) : R_t(h) >= p(t) },  p(t) = t^0.9,
//   h = g^d b,  b = h^lambda.
//
// R_t is the bound on the regret (equation 15),
//
//   R_t(h) = sqrt(C t beta g^d I),  C = 8 / log(1 + a^2/sigma^2),
//   sqrt(beta) = b g^d B_0 + 4 sigma/a sqrt(g^d I + 1 + log(1/delta)),
//   I = log det(1 + K/sigma^2) / 2,
//
// or the sum of what each chosen point may have cost, one step ahead (equation
// 16), s_j the deviation at the j-th point when it was chosen:
//
//   R_t(h) = 2 sum_j sqrt(beta_j) s_j/a_j + 2 sqrt(beta(h)) s(x(h))/a,
//
// x(h) being what would be chosen under h. Points are chosen by, and the one-step
// estimate counts, the multiplier of lemma 1,
//
//   sqrt(beta) = b g^d B_0 + 4 sigma/a sqrt(I(h) + 1 + log(1/delta)),
//
// I(h) being the information under the lengthscales of h. Equation 15 has g^d I in
// its place, the most that it can have grown to, so that no h takes a factorisation.
//
// Lengthscales are those of a wrapped calibration divided by g (equation 18), or at
// most l_0 / g (equation 17), or l_0 / g whatever the calibration says (equation 9).
//
// What was decided where the paper leaves it open, or its text has lost it:
//
// - Constant multipliers are the usual practice and the default: section 4.2 of the
//   paper, which guarantees nothing then. As the authors of UHE-BO have it, g = h and
//   the norm bound has no part. The theory's sqrt(beta) is an option; so is g^(d/2) in place of g^d
//   in the norm's growth, which is what Bull's lemma 4 gives for the norm itself (its square grows
//   by g^d); the paper's g^d is the more careful one.
// - The formula that divides h between g and b is lost. The text says that lambda = 0
//   leaves all growth to the lengthscales and lambda = 1 to the norm, and that for any
//   lambda in between both grow without bound as h does. So does b = h^lambda; with b =
//   1 + lambda (h - 1), which has the same limits, g would stay below lambda^(-1/d).
// - I and C are of the wrapped calibration's lengthscales where it is they that
//   are divided, and of l_0 otherwise; averages over several members.
// - For I and C (not for the model) sigma is at least 0.1 a: exact results would
//   give an information without limit, and the bound holds for any noise that is
//   no smaller than the true one. A mean of several results, and a source's point
//   with a noise of its own, count with their own sigma. The worst growth of
//   information, g^d, is the squared exponential's; it stands for the other
//   kernels, as the paper's does.
// - I is of what the model is calibrated to: with a prior these may be points of
//   sources too, and the kernel that of the difference from the sources alone,
//   whose regret is then what R estimates. t counts the study's own results in
//   the bound, and in the one-step estimate the points that were chosen under
//   this rule (not the initial ones), the next included.
// - a is the calibrated amplitude, of several members the mean of theirs: that of
//   a process which has seen little of a wide range is well above the deviation
//   of the results.
// - The bound is loose: by Cauchy and Schwarz it is no less than the one-step sum
//   and mostly several times as much, so that h leaves 1 late. With two
//   deviations in two dimensions it takes more than a hundred results where the
//   model is sure of a plane, and more on functions with bumps.
// - One step ahead h is searched on a geometric grid from h(t-1) on, as each
//   value takes a model and a search, and as R need not grow with h: under another
//   h another point is chosen. Where no h of the grid is enough, the largest is
//   taken.
// - h has a limit. With the theory it is that of g <= most (1 + log t): the paper
//   allows any that grows without end more slowly than p, and names the logarithm.
//   With a constant multiplier it is that of g <= most, as of lengthscales that
//   shrink to nothing no model is left. Where the scale limits the calibration's
//   lengthscales (equation 17), g is counted from where it reaches the shortest of
//   them: l_0 / most may be longer than all of them, and h would change nothing.
#ifndef SLIPSTREAM_CORE_CALIBRATION_EXPANDING_H_
#define SLIPSTREAM_CORE_CALIBRATION_EXPANDING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/calibration/calibrations.h"
#include "core/calibration/lengthscale_rule.h"
#include "core/gp/likelihood.h"
#include "core/gp/model.h"

namespace slipstream {

enum class RegretEstimate { kBound, kOneStep };

// How the growing scale and the wrapped calibration make lengthscales.
enum class LengthscaleCoupling { kDivided, kMinimum, kAlone };

struct ExpandingOptions {
  RegretEstimate estimate = RegretEstimate::kBound;
  LengthscaleCoupling coupling = LengthscaleCoupling::kDivided;
  // Lemma 1's multiplier instead of a constant one; the rest of these is its.
  bool theoretical = false;
  double norm = 2;          // B_0.
  double norm_share = 0.1;  // lambda.
  double failure = 0.1;     // delta.
  bool norm_by_half_power = false;

  double first_lengthscale = 1;  // l_0.
  double reference_power = 0.9;  // The power of t in p; below 1.
  double most = 10;              // The largest g.
  double grid_step = 1.1;        // The ratio of one h tried to the next.

  friend bool operator==(const ExpandingOptions&, const ExpandingOptions&) = default;
};

struct Expanded {
  std::vector<Hyperparameters> members;
  double multiplier = 0;  // Deviations that an upper confidence bound adds.
  double h = 1;
  double g = 1;
  double b = 1;
  double regret = 0;     // R(h).
  double reference = 0;  // p.
  double amplitude = 1;  // a.
};

// `dimension` is that of the study's space. `members`, at least one, are the wrapped calibration's,
// of `model` and its results `data`; `multiplier` replaces the theory's.
// `chosen_deviation` is called by the one-step estimate alone; its errors are
// passed on. FAILED_PRECONDITION when the covariance is indefinite in spite of
// all jitter.
absl::StatusOr<Expanded> Expand(const Model& model, const TrainingData& data,
                                const std::vector<Hyperparameters>& members, Index dimension,
                                double multiplier, const LengthscalePast& past,
                                const ExpandingOptions& options,
                                const ChosenDeviation& chosen_deviation);

extern const CalibrationRow kExpanding;

// log det(1 + N^(-1/2) K N^(-1/2)) / 2 of the kernel at the points, N being the
// diagonal matrix of these variances.
absl::StatusOr<double> InformationGain(const Kernel& kernel, ConstVectorView parameters,
                                       const PointMatrix& x, const Vector& noise_variances);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_EXPANDING_H_
