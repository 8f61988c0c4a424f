// A target that is a sum of known processes and one of its own:
//
//   f = m + sum_i p_i + d,
//
// where p_i has a_i times the mean and b_i times the covariance of a known
// process (the posteriors of source tasks, as they are), and d is a process of
// the target's own kernel; given the target's results. With a = w, b = w^2 this
// is f = m + sum_i w_i g_i + d.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_ADDED_PROCESS_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_ADDED_PROCESS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/kernel_expansion.h"
#include "core/prior/blocks/prediction_cache.h"
#include "core/prior/blocks/transfer_surrogate.h"

namespace slipstream {

struct AddedTerm {
  std::shared_ptr<const KernelExpansion> process;
  double mean_factor = 1;
  double covariance_factor = 1;  // Not negative.
  // The cache of what `process` predicts; may be null.
  std::shared_ptr<PredictionCache> cache = nullptr;
};

// How the errors of the known processes are taken.
enum class SourceErrors {
  // Errors are correlated between points, and results teach about them.
  kCorrelated,
  // Like DeltaBO: as if new at each result, so as noise of variance
  // sum_i b_i var_i(x_j) on result j; what is left of them never shrinks.
  kIndependent,
};

// d, and the noise-free constant.
struct OwnPart {
  std::shared_ptr<const Kernel> kernel;
  Vector parameters;
  double mean = 0;
};

// f given the observations. FAILED_PRECONDITION when something is not finite or
// the covariance is indefinite in spite of all jitter.
absl::StatusOr<std::unique_ptr<TransferSurrogate>> FitAddedProcess(
    std::vector<AddedTerm> terms, OwnPart own, SourceErrors errors,
    const Observations& observations);

// How many known parts of correlated errors, each a square matrix at `results`, a model may have:
// as many as fit into 256 MiB, but at least 16.
size_t MostKnownParts(Index results);

// sum_i a_i mean_i and the covariance (or only the variances) of sum_i p_i at
// the points: how the known part enters a likelihood.
KnownTerm KnownPartAt(const std::vector<AddedTerm>& terms, SourceErrors errors,
                      const PointMatrix& x);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_ADDED_PROCESS_H_
