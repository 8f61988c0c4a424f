// An acquisition whose search takes all the time that there is.
#ifndef SLIPSTREAM_TESTS_CORE_ACQUISITION_SLOW_SCORE_H_
#define SLIPSTREAM_TESTS_CORE_ACQUISITION_SLOW_SCORE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/acquisition/acquisitions.h"
#include "core/acquisition/next_point.h"
#include "core/base/deadline.h"

namespace slipstream {

// The model's mean, whose first ascent takes all the time that is left.
class SlowScore final : public SmoothScore {
 public:
  explicit SlowScore(const NextPointRequest& request)
      : surrogate_(request.model.member(0)), deadline_(request.deadline) {}

  Vector ValuesAt(const PointMatrix& x) const override { return surrogate_.PredictMean(x); }
  double ValueAndGradient(ConstVectorView x, VectorView gradient) const override {
    while (!deadline_.has_passed()) {
    }
    const PointPrediction there = surrogate_.PredictPoint(x);
    gradient = there.mean_gradient;
    return there.mean;
  }

 private:
  const Surrogate& surrogate_;
  const Deadline deadline_;
};

inline const AcquisitionRow kSlow = {
    .about = {.name = "slow", .summary = "The mean, slowly"},
    .score = [](const NextPointRequest& request) -> absl::StatusOr<std::unique_ptr<PointScore>> {
      return std::make_unique<SlowScore>(request);
    },
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_ACQUISITION_SLOW_SCORE_H_
