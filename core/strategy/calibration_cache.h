// The last few calibrations of a strategy: between results, models need no new ones.
#ifndef SLIPSTREAM_CORE_STRATEGY_CALIBRATION_CACHE_H_
#define SLIPSTREAM_CORE_STRATEGY_CALIBRATION_CACHE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/fingerprint.h"
#include "core/base/memo.h"
#include "core/calibration/calibration.h"
#include "core/gp/model.h"

namespace slipstream {

// All that a calibration depends on, but for the kernel's structure: that is the same for all that
// one strategy calibrates in one dimension.
struct CalibrationKey {
  const Calibration* calibration = nullptr;
  std::vector<HyperparameterBelief> beliefs;
  Fingerprint data;  // Stands for the results, which may have a square matrix for each source.
  uint64_t seed = 0;

  friend bool operator==(const CalibrationKey&, const CalibrationKey&) = default;
};

// Thread-safe.
class CalibrationCache {
 public:
  // What `calibration`, which must outlive the cache, finds. Errors are those of
  // Calibration::Calibrate.
  absl::StatusOr<std::shared_ptr<const Calibrated>> Get(const Calibration& calibration,
                                                        const Model& model,
                                                        const CalibrationData& input);

 private:
  static constexpr size_t kMost = 6;
  Memo<CalibrationKey, const Calibrated> memo_{kMost};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_CALIBRATION_CACHE_H_
