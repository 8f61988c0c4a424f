// The sources as draws of the process that the target is a draw of (empirical Bayes):
//
//   f = m + w mu + sum_k a_k phi_k + d,   a_k ~ N(0, s^2),
//   mu = mean of the sources' functions g_k,   phi_k = (g_k - mu) / sqrt(K - 1),
//
// with d a process of the target's own. mu is what tasks have in common, and the sample covariance
// sum_k phi_k(x) phi_k(x') is how they differ: the first step of the estimation by EM of a process
// from its draws ("Empirical Gaussian processes", 2026), where each g_k is the mean of its source's
// own process, so that it is known everywhere and not on a grid alone. w and s are learnt, with 1
// expected of both; d takes up what no source shows. Unlike a weighted sum of sources with weights
// that are learnt one by one, it takes any number of sources.
//
// The uncertainty of each g_k is left out: mu's shrinks with the number of sources, and d learns
// the rest. Of few sources it matters, and a covariance from few draws says little; these are a
// weighted sum instead (source_sum.h).
//
// w may be below 0: sources with the opposite sign, such as ones that were recorded for a
// negated objective, help too, once a few results reveal it.
//
// A search evaluates all of the sources' points at each of its steps, so that of many sources those
// are left out that agree least with the results (source_screen.h).
#ifndef SLIPSTREAM_CORE_PRIOR_EMPIRICAL_H_
#define SLIPSTREAM_CORE_PRIOR_EMPIRICAL_H_

#include <memory>

#include "core/base/memo.h"
#include "core/gp/gaussian_prior.h"
#include "core/linalg/types.h"
#include "core/prior/blocks/source_model.h"
#include "core/prior/blocks/source_screen.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

// f above, before any result.
class EmpiricalProcess final : public GaussianPrior {
 public:
  // At least one source; `kernel` with `parameters` is that of d.
  EmpiricalProcess(SourceModels sources, std::shared_ptr<const Kernel> kernel, Vector parameters,
                   double mean, double mean_weight, double difference_weight);

 private:
  class Kept;

  Vector DoMean(const PointMatrix& x) const override;
  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override;
  Vector DoVariance(const PointMatrix& x) const override;
  void DoAddMeanGradient(ConstVectorView x, double weight, VectorView gradient) const override;
  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override;
  void DoAddVarianceGradient(ConstVectorView x, double weight, VectorView gradient) const override;
  std::unique_ptr<KernelAt> DoAt(const PointMatrix& points) const override;

  // The sources at some points.
  struct There {
    Matrix means;        // A row for each point, a column for each source.
    Matrix differences;  // phi_k(x_i).
    Matrix slopes;       // At a single point: the gradients of the means, one a column.
  };
  // A prediction asks for the same point and the same results several times: so few are kept, and
  // none of them takes more bytes.
  static constexpr size_t kMostThere = 4;
  static constexpr size_t kMostBytesThere = 4 << 20;

  std::shared_ptr<const There> At(const PointMatrix& x) const;
  There MakeThere(const PointMatrix& x) const;
  // Adds sum_k weights[k] dphi_k(x)/dx.
  void AddDifferencesGradient(ConstVectorView x, const Vector& weights, VectorView gradient) const;

  SourceModels sources_;
  std::shared_ptr<const Kernel> kernel_;
  Vector parameters_;
  double mean_;
  double mean_weight_;
  double difference_weight_;
  mutable Memo<PointsKey, const There> there_{kMostBytesThere};
};

struct EmpiricalOptions {
  // Fewer sources are a weighted sum.
  size_t least_sources = 5;
  // Sources with more points together are screened (source_screen.h).
  Index most_points = ScreenLimits().most_points;

  friend bool operator==(const EmpiricalOptions&, const EmpiricalOptions&) = default;
};

std::unique_ptr<Prior> MakeEmpirical(const EmpiricalOptions& options);

extern const PriorRow kEmpiricalPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_EMPIRICAL_H_
