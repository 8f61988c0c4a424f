// Lengthscales that are just short enough for the next point to be uncertain.
//
// Wang and de Freitas, "Theoretical analysis of Bayesian optimisation with
// unknown Gaussian process hyper-parameters", 2014, in the form that
// Berkenkamp et al. (JMLR 20(50), 2019, section 4.1) and Ha et al. (arXiv
// 2306.06844) compare with: lengthscales of a wrapped calibration are divided by
// the smallest g >= 1 for which the deviation at the point that would then be
// chosen is at least kappa = 0.1. The original shrinks an upper limit of
// lengthscales by a constant and keeps it; here nothing is kept, and each
// suggestion's g is its own.
//
// g is searched on a geometric grid from 1 on, as the deviation need not grow
// with g: under another g another point is chosen. No g is larger than `most`,
// since where nothing is left to try none would do; then the g of the largest
// deviation is taken. The deviation is that of outputs of variance 1.
#ifndef SLIPSTREAM_CORE_CALIBRATION_SHRINKING_H_
#define SLIPSTREAM_CORE_CALIBRATION_SHRINKING_H_

#include <vector>

#include "absl/status/statusor.h"
#include "core/calibration/calibrations.h"
#include "core/calibration/lengthscale_rule.h"
#include "core/gp/likelihood.h"
#include "core/gp/model.h"

namespace slipstream {

struct ShrinkingOptions {
  double least_deviation = 0.1;  // kappa.
  double most = 10;              // The largest g.
  double grid_step = 1.1;

  friend bool operator==(const ShrinkingOptions&, const ShrinkingOptions&) = default;
};

struct Shrunk {
  std::vector<Hyperparameters> members;
  double g = 1;
  double deviation = 0;  // At the point that is chosen with these members.
};

// `members`, at least one, are the wrapped calibration's, of `model`. Errors of
// `chosen_deviation` are passed on.
absl::StatusOr<Shrunk> Shrink(const Model& model, const std::vector<Hyperparameters>& members,
                              double multiplier, const ShrinkingOptions& options,
                              const ChosenDeviation& chosen_deviation);

extern const CalibrationRow kShrinking;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_SHRINKING_H_
