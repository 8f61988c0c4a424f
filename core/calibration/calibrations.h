// The axis "calibration": where hyperparameters come from. One row for each member.
//
// A calibration stands alone ("map"), explains other data with what it wraps ("consistent(map)"),
// or is a rule for the lengthscales that come out ("expanding(map)").
#ifndef SLIPSTREAM_CORE_CALIBRATION_CALIBRATIONS_H_
#define SLIPSTREAM_CORE_CALIBRATION_CALIBRATIONS_H_

#include <memory>

#include "absl/types/span.h"
#include "core/base/ingredient.h"
#include "core/calibration/calibration.h"
#include "core/calibration/lengthscale_rule.h"

namespace slipstream {

struct CalibrationRow {
  Ingredient about;
  // Exactly one of these is given.
  std::unique_ptr<Calibration> (*make)(const QuasiNewtonOptions& ascents) = nullptr;
  std::unique_ptr<Calibration> (*wrap)(std::unique_ptr<Calibration> wrapped,
                                       const OptionSet& options) = nullptr;
  std::unique_ptr<LengthscaleRule> (*rule)(const OptionSet& options) = nullptr;
  bool reads_notes = false;          // Whether earlier suggestions' notes matter.
  bool finds_most_probable = false;  // Whether alone it finds the most probable hyperparameters.
};

// All of them, in the order in which people should meet them.
absl::Span<const CalibrationRow* const> CalibrationRows();

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_CALIBRATIONS_H_
