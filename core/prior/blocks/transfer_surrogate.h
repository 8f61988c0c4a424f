// A surrogate that knows the covariance of its function at any two points, from
// which joint draws and the effect of pending trials follow.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_TRANSFER_SURROGATE_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_TRANSFER_SURROGATE_H_

#include <memory>
#include <utility>
#include <vector>

#include "core/gp/surrogate.h"

namespace slipstream {

// A pending trial counts as a result with this part of its variance as noise.
inline constexpr double kPendingNoisePart = 1e-6;

class TransferSurrogate : public Surrogate {
 public:
  // cov(f(a_i), f(b_j)).
  Matrix Covariance(const PointMatrix& a, const PointMatrix& b) const;
  // Adds sum_i weights[i] d cov(f(x), f(b_i))/dx, the b_i held.
  void AddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                             VectorView gradient) const;

  // Cheap: large parts are shared.
  virtual std::unique_ptr<TransferSurrogate> Clone() const = 0;

  // Announces that predictions at exactly these points are asked for repeatedly, as at results.
  void Expect(PointMatrix x) { expected_.push_back(std::move(x)); }

 protected:
  using Surrogate::Surrogate;

  // Whether predictions at the points should be cached. Such points were announced, or their number
  // shows that they are candidates or the points that a search begins with; smaller batches come
  // from the steps of a search.
  bool AreExpected(const PointMatrix& x) const;

 private:
  // Called with points of the right dimension.
  virtual Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const = 0;
  virtual void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                       ConstVectorView weights, VectorView gradient) const = 0;

  Matrix DoJointCovariance(const PointMatrix& x) const final;
  // The variance given that f was seen at `x`, and the same mean. The result absorbs more points.
  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const override;

  std::vector<PointMatrix> expected_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_TRANSFER_SURROGATE_H_
