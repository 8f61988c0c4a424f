#include "core/strategy/calibration_cache.h"

#include <utility>

#include "core/base/status.h"
#include "core/gp/data_fingerprint.h"

namespace slipstream {
absl::StatusOr<std::shared_ptr<const Calibrated>> CalibrationCache::Get(
    const Calibration& calibration, const Model& model, const CalibrationData& input) {
  const auto calibrate = [&]() -> absl::StatusOr<std::shared_ptr<const Calibrated>> {
    SLIPSTREAM_ASSIGN_OR_RETURN(Calibrated calibrated, calibration.Calibrate(model, input));
    return std::make_shared<const Calibrated>(std::move(calibrated));
  };
  CalibrationKey key = {&calibration, model.beliefs, {}, input.seed};
  AddData(input.data, &key.data);
  return memo_.Get(key, calibrate);
}

}  // namespace slipstream
