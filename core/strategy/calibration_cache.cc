#include "core/strategy/calibration_cache.h"

#include <utility>

#include "core/base/status.h"

namespace slipstream {
namespace {

template <typename Numbers>
void AddNumbers(const Numbers& numbers, Fingerprint* fingerprint) {
  fingerprint->Add(static_cast<int64_t>(numbers.rows()));
  fingerprint->Add(static_cast<int64_t>(numbers.cols()));
  for (Index i = 0; i < numbers.size(); ++i) fingerprint->Add(numbers.data()[i]);
}

Fingerprint FingerprintOf(const TrainingData& data) {
  Fingerprint fingerprint;
  AddNumbers(data.x, &fingerprint);
  AddNumbers(data.y, &fingerprint);
  AddNumbers(data.repeats, &fingerprint);
  AddNumbers(data.known_noise, &fingerprint);
  for (const KnownTerm& term : data.terms) {
    AddNumbers(term.mean, &fingerprint);
    AddNumbers(term.covariance, &fingerprint);
    AddNumbers(term.variance, &fingerprint);
  }
  return fingerprint;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Calibrated>> CalibrationCache::Get(
    const Calibration& calibration, const Model& model, const CalibrationData& input) {
  const auto calibrate = [&]() -> absl::StatusOr<std::shared_ptr<const Calibrated>> {
    SLIPSTREAM_ASSIGN_OR_RETURN(Calibrated calibrated, calibration.Calibrate(model, input));
    return std::make_shared<const Calibrated>(std::move(calibrated));
  };
  return memo_.Get({&calibration, model.beliefs, FingerprintOf(input.data), input.seed}, calibrate);
}

}  // namespace slipstream
