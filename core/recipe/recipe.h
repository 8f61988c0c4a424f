// A method as a choice on each axis. Presets are recipes with a name.
#ifndef SLIPSTREAM_CORE_RECIPE_RECIPE_H_
#define SLIPSTREAM_CORE_RECIPE_RECIPE_H_

#include "core/calibration/consistent.h"
#include "core/calibration/expanding.h"
#include "core/calibration/shrinking.h"
#include "core/gp/kernel.h"
#include "core/gp/output_transform.h"
#include "core/prior/cluster/cluster_prior.h"
#include "core/prior/collaborative.h"
#include "core/prior/corrected_sources.h"
#include "core/prior/deviation.h"
#include "core/prior/pooled_sources.h"
#include "core/prior/pretrained/pretrained.h"
#include "core/prior/rgpe.h"
#include "core/prior/rm_gp.h"
#include "core/prior/source_stack.h"
#include "core/prior/source_sum.h"
#include "core/exploration/exploration.h"
#include "core/sources/fitted_source.h"

namespace slipstream {

// What the source tasks say beforehand.
enum class PriorKind {
  kNone,
  kDelta,       // DeltaBO.
  kStacked,     // The exact posterior under DeltaBO's assumption.
  kScaml,       // Sources with weights of their own.
  kCluster,     // Prototypes of clustered sources, weighted (cm-BO).
  kEnvelope,    // Sources' points as noisy results, how noisy by their errors.
  kEnvGp,       // The same with a fixed noise.
  kDiffGp,      // Sources' points corrected by what is known of the difference.
  kRgpe,        // Ranking-weighted ensemble of the sources' and the target's models.
  kRmGp,        // The same weighted by their gaps, which fades out.
  kPretrained,  // HyperBO.
  kScot,        // Latent scores from the order of results (Collaborative-BO).
  kDeviation,   // Deviations from each task's mean, over points and tasks.
};

// Where hyperparameters come from.
enum class CalibrationKind { kFixed, kMaximumLikelihood, kMaximumPosterior, kHamiltonian };

// What becomes of the lengthscales that a calibration found.
enum class LengthscaleRule {
  kAsCalibrated,
  kExpanding,  // A-GP-UCB.
  kShrinking,  // Wang and de Freitas.
};

// What a good next point is.
enum class AcquisitionKind {
  kUpperConfidenceBound,  // With the multiplier of ucb_schedule.
  kExpectedImprovement,
  kLogExpectedImprovement,
  kProbabilityOfImprovement,
  kMaxValueOfResults,  // Probability of improvement on the best result and a margin.
  kMaxValueOfDraws,    // ... on the estimated maximum.
  kThompson,
};

// How many deviations an upper confidence bound adds.
enum class UcbSchedule {
  kConstant,    // ucb_multiplier.
  kFinite,      // Srinivas's for finitely many points.
  kContinuous,  // Srinivas's for the cube.
  kDimension,   // sqrt(0.2 d log 2t).
};

// What is tried before there are results for a model.
enum class InitialDesign { kQuasiRandom, kZeroShot };

struct Recipe {
  PriorKind prior = PriorKind::kNone;
  InitialDesign initial = InitialDesign::kQuasiRandom;
  CalibrationKind calibration = CalibrationKind::kMaximumPosterior;
  bool is_consistent = false;  // Calibrated to evenly spread pseudo points (UHE-BO).
  LengthscaleRule lengthscale_rule = LengthscaleRule::kAsCalibrated;
  AcquisitionKind acquisition = AcquisitionKind::kLogExpectedImprovement;
  UcbSchedule ucb_schedule = UcbSchedule::kConstant;
  double ucb_multiplier = 1.8;
  ExplorationKind exploration = ExplorationKind::kNone;
  Smoothness smoothness = Smoothness::kMatern52;
  OutputWarp warp = OutputWarp::kPower;
  bool warps_inputs = false;  // Only without a prior.
  ConsistentOptions consistent = {};
  ExpandingOptions expanding = {};
  ShrinkingOptions shrinking = {};
  ExplorationOptions exploration_options = {};
  // Of the prior, as far as it is theirs.
  SourceFitOptions sources = {};
  SourceSumOptions source_sum = {};
  SourceStackOptions source_stack = {};
  ClusterOptions cluster = {};
  PooledOptions pooled = {};
  CorrectedOptions corrected = {};
  CollaborativeOptions collaborative = {};
  DeviationOptions deviation = {};
  RgpeOptions rgpe = {};
  RmGpOptions rm_gp = {};
  PretrainedOptions pretrained = {};

  friend bool operator==(const Recipe&, const Recipe&) = default;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_RECIPE_RECIPE_H_
