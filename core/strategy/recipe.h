// A method as a choice on each axis. Presets are recipes with a name.
#ifndef SLIPSTREAM_CORE_STRATEGY_RECIPE_H_
#define SLIPSTREAM_CORE_STRATEGY_RECIPE_H_

#include "core/gp/kernel.h"
#include "core/gp/output_transform.h"

namespace slipstream {

// Where hyperparameters come from.
enum class CalibrationKind { kFixed, kMaximumLikelihood, kMaximumPosterior, kHamiltonian };

// What a good next point is.
enum class AcquisitionKind {
  kUpperConfidenceBound,             // With ucb_multiplier.
  kTheoreticalUpperConfidenceBound,  // With Srinivas's beta.
  kExpectedImprovement,
  kLogExpectedImprovement,
  kProbabilityOfImprovement,
  kMaxValueOfResults,  // Probability of improvement on the best result and a margin.
  kMaxValueOfDraws,    // ... on the estimated maximum.
  kThompson,
};

// What is tried before there are results for a model.
enum class InitialDesign { kQuasiRandom, kSourcePortfolio };

struct Recipe {
  InitialDesign initial = InitialDesign::kQuasiRandom;
  CalibrationKind calibration = CalibrationKind::kMaximumPosterior;
  AcquisitionKind acquisition = AcquisitionKind::kLogExpectedImprovement;
  double ucb_multiplier = 1.8;
  Smoothness smoothness = Smoothness::kMatern52;
  OutputWarp warp = OutputWarp::kPower;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_RECIPE_H_
