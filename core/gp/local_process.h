// A process as it looks around one point: its mean is the whole one's, its variance what the
// observations that covary most with the point leave of it. Asked at single points on the way of a
// search, a process of a thousand observations then costs what one of a few hundred does. The
// variance is never less than the whole one's, but for rounding.
#ifndef SLIPSTREAM_CORE_GP_LOCAL_PROCESS_H_
#define SLIPSTREAM_CORE_GP_LOCAL_PROCESS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/kernel.h"
#include "core/gp/surrogate.h"
#include "core/linalg/cholesky.h"

namespace slipstream {

class LocalProcess final : public Surrogate {
 public:
  // The observations that are looked at, and how many there must be for it to pay.
  static constexpr Index kNearest = 256;
  static constexpr Index kLeastSize = 450;

  // Null where the process is small, its prior has no quick form, or a factorisation fails. `whole`
  // must outlive it.
  static std::unique_ptr<LocalProcess> Around(const GaussianProcess& whole, ConstVectorView x);

 private:
  LocalProcess(const GaussianProcess& whole, std::unique_ptr<KernelAt> at_observations,
               std::vector<Index> nearest, Cholesky factor);

  PointPrediction DoPredictPoint(ConstVectorView x) const override;
  // The rest is the whole process's.
  Predictions DoPredict(const PointMatrix& x) const override { return whole_.Predict(x); }
  Matrix DoJointCovariance(const PointMatrix& x) const override {
    return whole_.JointCovariance(x);
  }
  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const override {
    return whole_.Fantasize(x);
  }

  const GaussianProcess& whole_;
  std::unique_ptr<KernelAt> at_observations_;
  std::vector<Index> nearest_;
  Cholesky factor_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_LOCAL_PROCESS_H_
