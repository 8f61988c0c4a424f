// Functions that each are the one below and a difference of their own,
//
//   f_1 = m + g_1,  f_l = f_{l-1} + g_l,  g_l ~ GP(0, a_l k_l) independent,
//
// given data of each of them: one joint Gaussian over levels and points with
//
//   cov(f_l(x), f_l'(x')) = sum_{i <= min(l, l')} a_i k_i(x, x').
//
// Levels are added from the lowest on, which grows one Cholesky factor by blocks;
// what comes out is what conditioning level after level gives, each level's
// prior being the posterior of the one below (Tighineanu et al., "Transfer
// learning with Gaussian processes for Bayesian optimization", 2022, SHGP).
//
// A prediction takes O(n^2) for n points on all levels together.
#ifndef SLIPSTREAM_CORE_PRIOR_LEVEL_STACK_H_
#define SLIPSTREAM_CORE_PRIOR_LEVEL_STACK_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/kernel.h"
#include "core/prior/blocks/added_process.h"
#include "core/prior/blocks/transfer_surrogate.h"

namespace slipstream {

struct StackedLevel {
  std::shared_ptr<const Kernel> kernel;
  Vector parameters;
  double factor = 1;  // a_l; not negative.
};

// What is believed of the top function f. A const LevelStack is thread-safe.
class LevelStack {
 public:
  // Without levels yet; `mean` is m.
  explicit LevelStack(double mean) : mean_(mean) {}

  // A level on top, and what was observed of it (at least one point).
  // FAILED_PRECONDITION, and nothing has changed, when its covariance is
  // indefinite in spite of all jitter or something is not finite.
  absl::Status Add(StackedLevel level, const Observations& observations);

  const std::vector<StackedLevel>& levels() const { return levels_; }
  double mean() const { return mean_; }
  Index size() const { return points_.rows(); }

  // f at the points.
  KnownTerm At(const PointMatrix& x) const;

  // The parts that At is made of, P being all levels' points and c(P, P) with
  // noise having the lower factor L:
  //   mean = m + c(x, P) weights, covariance = c(x, x') - C^T C', C = L^-1 c(P, x).
  double PriorVariance() const;
  Matrix PriorCovariance(const PointMatrix& a, const PointMatrix& b) const;
  Matrix Cross(const PointMatrix& x) const;  // c(P, x).
  const Vector& weights() const { return weights_; }
  void SolveLower(MatrixView b) const;
  void SolveLowerTransposed(MatrixView b) const;

  // Adds sum_i weights[i] dc(x, b_i)/dx, f at both points, and
  // sum_i weights[i] dc(P_i, x)/dx.
  void AddPriorGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                        VectorView gradient) const;
  void AddCrossGradient(ConstVectorView x, const Vector& weights, VectorView gradient) const;

 private:
  double mean_;
  std::vector<StackedLevel> levels_;
  std::vector<Index> first_;  // Where each level's points begin in points_.
  PointMatrix points_;
  Matrix factor_;    // L; what lies above its diagonal is 0.
  Vector whitened_;  // L^-1 (y - m).
  Vector weights_;
};

// The stack's top function and a difference of the target's own, given the
// observations. FAILED_PRECONDITION when something is not finite or the
// covariance is indefinite in spite of all jitter.
absl::StatusOr<std::unique_ptr<TransferSurrogate>> FitOnStack(
    std::shared_ptr<const LevelStack> stack, OwnPart own, const Observations& observations);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_LEVEL_STACK_H_
