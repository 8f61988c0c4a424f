// A Gaussian process of more observations than can be factorised together: each patch of the space
// has an exact process of its own, of its observations, of those that covary most with its middle
// and of a few from all over the space. Distant observations that are screened off by nearer ones
// say little (Vecchia 1988; Stein 2002), so each patch knows nearly what all observations say.
//
// Predict asked at a single point, and Near, look at the observations around the point itself,
// which takes longer than a patch that is fitted already and is more exact at its edges. The
// latest such points stay fitted, as searches of one batch come back to them.
//
// Until a deadline passes everything is a pure function of the observations. Patches are fitted
// when they are first asked for, each of which takes a look at all observations. Once a deadline
// has passed, those that are not fitted yet are predicted from a sample of the observations, so
// that a search which asks for many of them ends soon. Joint covariances are those of the sample.
#ifndef SLIPSTREAM_CORE_GP_PATCHED_PROCESS_H_
#define SLIPSTREAM_CORE_GP_PATCHED_PROCESS_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/base/memo.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/patches.h"
#include "core/gp/surrogate.h"

namespace slipstream {

class PatchedProcess final : public Surrogate {
 public:
  // The sizes that bound what a prediction costs.
  static constexpr Index kMostInPatch = 128;
  static constexpr Index kNearest = 192;  // To a patch's middle or to a point.
  static constexpr Index kFarther = 48;   // From all over the space.

  // Patches that are kept fitted at once, and a quarter as many single points. Each takes about
  // 1 MiB, and 2 MiB once a pending point is among its observations.
  static constexpr size_t kMostFitted = 128;

  // At least one observation. `prior` must have the form that At gives. `sample` is a process of
  // some of the observations, with the same prior; it stands in where a factorisation fails.
  // `deadline` may be changed between calls; null: there is none. FAILED_PRECONDITION when
  // something is not finite.
  static absl::StatusOr<std::unique_ptr<PatchedProcess>> Fit(
      std::shared_ptr<const GaussianPrior> prior, Observations observations, GaussianProcess sample,
      size_t most_fitted = kMostFitted, std::shared_ptr<const Deadline> deadline = nullptr);

 private:
  struct Data {
    std::shared_ptr<const GaussianPrior> prior;
    Observations observations;
    Patches patches;
    std::vector<std::unique_ptr<KernelAt>> blocks;  // The observations in order, some in each.
  };
  struct Fitted {
    GaussianProcess process;
    PointMatrix middle;  // One point.
    double reach = 0;    // Observations that covary less with the middle are left out, ...
    std::optional<size_t> patch = {};  // ... but for those in this patch, if it is one's.
  };

  PatchedProcess(std::shared_ptr<const Data> data, GaussianProcess sample, size_t most_fitted,
                 std::shared_ptr<const Deadline> deadline);

  bool IsOutOfTime() const { return deadline_ != nullptr && deadline_->has_passed(); }
  std::shared_ptr<const GaussianProcess> Sample() const;
  std::shared_ptr<const GaussianProcess> ProcessOf(size_t patch) const;
  Vector CovariancesWith(const PointMatrix& middle) const;
  // Of a patch, `rows` are its observations.
  absl::StatusOr<Fitted> FitAround(const PointMatrix& middle, std::vector<Index> rows,
                                   std::optional<size_t> patch) const;
  // The exact process around one point; null where it cannot be fitted.
  std::shared_ptr<const Fitted> FittedAt(ConstVectorView x) const;
  // What was absorbed at `fresh`, as far as it is within reach or in the patch.
  absl::Status TakeIn(const PointMatrix& fresh, Fitted& fitted) const;
  void RememberIn(size_t patch, Fitted& fitted) const;
  // The places in `x` of each patch's points.
  std::vector<std::vector<Index>> ByPatch(const PointMatrix& x) const;
  // Passes each patch's process, the places of its points in `x`, and these points.
  template <typename Take>
  void ForEachPatch(const PointMatrix& x, const Take& take) const;

  Predictions DoPredict(const PointMatrix& x) const override;
  Vector DoPredictMean(const PointMatrix& x) const override;
  PointPrediction DoPredictPoint(ConstVectorView x) const override;
  Matrix DoJointCovariance(const PointMatrix& x) const override;
  JointPredictions DoPredictJointly(const PointMatrix& x) const override;
  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const override;
  absl::StatusOr<bool> DoAbsorb(const PointMatrix& x) override;
  void DoRemember(const PointMatrix& x) override;
  std::unique_ptr<Surrogate> DoNear(ConstVectorView x) const override;

  std::shared_ptr<const Data> data_;
  GaussianProcess sample_;
  PointMatrix absorbed_;
  std::vector<PointMatrix> remembered_;  // By patch; empty before Remember.
  size_t most_fitted_;
  std::shared_ptr<const Deadline> deadline_;  // Perhaps null.
  // What is fitted knows all that was absorbed.
  mutable Memo<size_t, Fitted> fitted_;  // By patch.
  mutable Memo<Vector, Fitted> near_;    // By point.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_PATCHED_PROCESS_H_
