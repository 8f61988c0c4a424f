#include "core/prior/blocks/source_model.h"

#include <algorithm>
#include <utility>

#include "core/base/status.h"

namespace slipstream {
namespace {

// The cache of a source's predictions may take as much as its model, and at least so much.
constexpr size_t kLeastCacheBytes = size_t{2} << 20;

// The budget of kSharedCacheBytes, which lives as long as the process.
const std::shared_ptr<ByteBudget>& SharedCacheBytes() {
  static const auto& budget = *new auto(std::make_shared<ByteBudget>(kSharedCacheBytes));
  return budget;
}

size_t ModelBytes(const SourceModel& source) {
  const auto rows = static_cast<size_t>(source.data.y.size());
  const auto columns = static_cast<size_t>(source.data.x.cols());
  // The factor and the reduction; the points in `data`, both processes and,
  // scaled, the kernel.
  return sizeof(SourceModel) + source.name.size() +
         sizeof(double) * (2 * rows * rows + rows * (4 * columns + 8));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const SourceModel>> FitSourceModel(
    std::string name, TrainingData data, std::shared_ptr<const Kernel> kernel,
    Hyperparameters hyperparameters) {
  SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process, FitProcess(kernel, data, hyperparameters));
  SLIPSTREAM_ASSIGN_OR_RETURN(KernelExpansion expansion,
                              KernelExpansion::Of(kernel, data, hyperparameters));
  auto source = std::make_shared<SourceModel>();
  source->name = std::move(name);
  source->data = std::move(data);
  source->kernel = std::move(kernel);
  source->hyperparameters = std::move(hyperparameters);
  source->process = std::make_shared<const GaussianProcess>(std::move(process));
  source->expansion = std::make_shared<const KernelExpansion>(std::move(expansion));
  source->cache = std::make_shared<PredictionCache>(
      source->expansion, std::max(kLeastCacheBytes, ModelBytes(*source)), SharedCacheBytes());
  return source;
}

size_t MemoryBytes(const SourceModel& source) { return ModelBytes(source) + source.cache->bytes(); }

}  // namespace slipstream
