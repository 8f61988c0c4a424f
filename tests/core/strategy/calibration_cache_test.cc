#include "core/strategy/calibration_cache.h"

#include <atomic>

#include "core/gp/model.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

// Counts its calls and finds the beliefs' locations.
class CountedCalibration final : public Calibration {
 public:
  int calls() const { return calls_; }

 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                         const CalibrationData&) const override {
    ++calls_;
    Calibrated calibrated;
    calibrated.members.push_back(model.Unpack(model.Location()));
    return calibrated;
  }

  mutable std::atomic<int> calls_ = 0;
};

TrainingData OnePoint(double y) {
  return {PointMatrix::Constant(1, 1, 0.5), Vector::Constant(1, y), Vector::Ones(1)};
}

TEST(CalibrationCache, CalibratesAnewOnlyWhereSomethingIsDifferent) {
  const Model model = DefaultModel(Numbers(1), {});
  Model noiseless = DefaultModel(Numbers(1), {.noiseless = true});
  const CountedCalibration calibration;
  const CountedCalibration other;
  CalibrationCache cache;
  const TrainingData data = OnePoint(1);
  const TrainingData changed = OnePoint(2);
  const auto first = cache.Get(calibration, model, {data, 1});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*cache.Get(calibration, model, {data, 1}), *first);
  EXPECT_EQ(calibration.calls(), 1);
  EXPECT_NE(*cache.Get(calibration, model, {changed, 1}), *first);
  EXPECT_NE(*cache.Get(calibration, model, {data, 2}), *first);
  EXPECT_NE(*cache.Get(calibration, noiseless, {data, 1}), *first);
  EXPECT_EQ(calibration.calls(), 4);
  EXPECT_NE(*cache.Get(other, model, {data, 1}), *first);
  EXPECT_EQ(other.calls(), 1);
  EXPECT_EQ(*cache.Get(calibration, model, {data, 1}), *first);
  EXPECT_EQ(calibration.calls(), 4);
}

}  // namespace
}  // namespace slipstream
