// A source task as models see it: fitted once, in the space of the studies that
// use it, and shared by them.
//
// Immutable but for its cache, and thread-safe.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_MODEL_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_MODEL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/kernel.h"
#include "core/gp/kernel_expansion.h"
#include "core/gp/likelihood.h"
#include "core/prior/blocks/prediction_cache.h"

namespace slipstream {

// All prediction caches of a process together may use this many bytes in addition to what each of
// them may use by itself.
inline constexpr size_t kSharedCacheBytes = size_t{256} << 20;

struct SourceModel {
  std::string name;
  // Its points in the target's unit cube, and its results on the scale of
  // models, more being better: its own, of mean 0 and variance 1, or the one that
  // the prior's tasks share (TaskScale). At least one row; no terms.
  TrainingData data;
  std::shared_ptr<const Kernel> kernel;
  Hyperparameters hyperparameters;
  // The process of all of `data`, in two forms.
  std::shared_ptr<const GaussianProcess> process;
  std::shared_ptr<const KernelExpansion> expansion;
  // What `expansion` predicts at points that come again.
  std::shared_ptr<PredictionCache> cache;
};

using SourceModels = std::vector<std::shared_ptr<const SourceModel>>;

// The source with these hyperparameters. FAILED_PRECONDITION when its covariance
// is indefinite in spite of all jitter.
absl::StatusOr<std::shared_ptr<const SourceModel>> FitSourceModel(
    std::string name, TrainingData data, std::shared_ptr<const Kernel> kernel,
    Hyperparameters hyperparameters);

// Approximate, for caches; grows with the source's own cache.
size_t MemoryBytes(const SourceModel& source);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_SOURCE_MODEL_H_
