// f = m + sum_i w_i g_i + d: the target is its sources' functions, weighted, and
// a difference of its own.
//
// - DeltaBO ("transfer through a difference function"): one source, w = 1, and
//   the source's errors independent at each result; its equation 5 gives
//   residuals y_j - mu_g(x_j), whose noise is var_g(x_j) + noise. That is line 5
//   of its algorithm 1; equation 6 as printed takes var_g at the point that is
//   predicted, for all results alike, which is no regression with noise. It is
//   there as kAsPrinted. The paper has no constant m, so its preset fixes it at 0.
// - Stacked, the exact posterior under the same assumption (SHGP of Tighineanu
//   et al., "Transfer learning with Gaussian processes for Bayesian
//   optimization", 2022): one source, w = 1, its errors as they are.
// - ScaML (Tighineanu et al., "Scalable meta-learning with Gaussian processes",
//   2024): w >= 0 learnt, under an exponential belief, which makes most of them
//   exactly 0. w = 0 is no transfer, w = 1 with a single source is the above.
//
// On request a weight may also be below 0, for sources with the opposite sign of the target's.
// The belief in it is then an exponential one on either side.
#ifndef SLIPSTREAM_CORE_PRIOR_SOURCE_SUM_H_
#define SLIPSTREAM_CORE_PRIOR_SOURCE_SUM_H_

#include <memory>
#include <optional>
#include <vector>

#include "core/prior/blocks/added_process.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

enum class WeightLearning {
  kSeveral,  // Weights of several sources are learnt; a single one weighs 1.
  kAlways,
};

enum class WeightSigns { kPositive, kEither };

enum class DifferenceNoise { kPerResult, kAsPrinted };

struct SourceSumOptions {
  SourceErrors errors = SourceErrors::kCorrelated;
  WeightLearning weights = WeightLearning::kSeveral;
  WeightSigns signs = WeightSigns::kPositive;  // Of weights that are learnt.
  // Matters where errors are independent. kAsPrinted takes the likelihood of kPerResult.
  DifferenceNoise noise = DifferenceNoise::kPerResult;
  // d's amplitude (tau): fixed, or log-normal around what ScaML takes.
  std::optional<double> amplitude = {};
  Smoothness difference = Smoothness::kMatern52;
  // The rate of the exponential belief in a weight; if absent, 1 up to 10 sources, then
  // growing as the root of their number, so that what they weigh together does
  // not grow as fast as they do.
  std::optional<double> weight_rate = {};
  // More sources are screened to this many by how well they rank the results. Where errors are
  // correlated each takes a matrix over the results: beside 1,000 of them, 33 sources at most
  // (MostKnownParts).
  size_t most_sources = 8;
  // A source with less than this part of the mean weight is left out.
  double least_weight_part = 1e-3;

  friend bool operator==(const SourceSumOptions&, const SourceSumOptions&) = default;
};

// Tells people when sources of total weight `weight` help with their sign reversed.
void RemarkOnReversal(double weight, std::vector<Remark>& remarks);

std::unique_ptr<Prior> MakeSourceSum(const SourceSumOptions& options);

extern const PriorRow kDeltaPrior;
extern const PriorRow kScamlPrior;

// The options of the priors delta, stacked and scaml, at their defaults.
OptionSet SourceSumOptionSet();

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_SOURCE_SUM_H_
