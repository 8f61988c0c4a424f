#include "core/calibration/calibration.h"

namespace slipstream {
namespace {

class Fixed : public Calibration {
 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                         const CalibrationData&) const override {
    Calibrated result;
    result.members.push_back(model.Unpack(model.Location()));
    return result;
  }
};

}  // namespace

absl::StatusOr<Calibrated> Calibration::Calibrate(const Model& model,
                                                  const CalibrationData& input) const {
  if (input.data.y.size() > 0) return DoCalibrate(model, input);
  Calibrated result;
  result.members.push_back(model.Unpack(model.Location()));
  return result;
}

std::unique_ptr<Calibration> MakeFixed() { return std::make_unique<Fixed>(); }

}  // namespace slipstream
