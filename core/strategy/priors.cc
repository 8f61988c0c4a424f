#include "core/strategy/priors.h"

#include <mutex>
#include <utility>
#include <vector>

namespace slipstream {
namespace {

// A stack of any height; of one source it is the cheaper sum, which is the same.
class StackedPrior final : public Prior {
 public:
  explicit StackedPrior(const Recipe& recipe)
      : one_(MakeSourceSum(OneOf(recipe))), several_(MakeSourceStack(SeveralOf(recipe))) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    return input.sources.size() == 1 ? one_->Combine(input) : several_->Combine(input);
  }

  absl::Status Prepare(const PriorInput& input) const override {
    return input.sources.size() == 1 ? one_->Prepare(input) : several_->Prepare(input);
  }

 private:
  static SourceSumOptions OneOf(const Recipe& recipe) {
    SourceSumOptions options = recipe.source_sum;
    options.errors = SourceErrors::kCorrelated;
    return options;
  }
  static SourceStackOptions SeveralOf(const Recipe& recipe) {
    SourceStackOptions options = recipe.source_stack;
    options.amplitude = recipe.source_sum.amplitude;
    options.difference = recipe.source_sum.difference;
    return options;
  }

  std::unique_ptr<Prior> one_;
  std::unique_ptr<Prior> several_;
};

// It follows the acquisition: a draw for Thompson's, and the bound's multiplier
// where that is constant.
RmGpOptions RmGpOf(const Recipe& recipe) {
  RmGpOptions options = recipe.rm_gp;
  if (recipe.acquisition == AcquisitionKind::kThompson) options.mode = RmGpMode::kThompson;
  const bool is_constant = recipe.acquisition == AcquisitionKind::kUpperConfidenceBound &&
                           recipe.ucb_schedule == UcbSchedule::kConstant;
  if (is_constant && recipe.ucb_multiplier > 0) {
    options.acquisition_multiplier = recipe.ucb_multiplier;
  }
  return options;
}

std::unique_ptr<Prior> MakePrior(const Recipe& recipe) {
  SourceSumOptions sum = recipe.source_sum;
  switch (recipe.prior) {
    case PriorKind::kNone:
      return nullptr;
    case PriorKind::kDelta:
      sum.errors = SourceErrors::kIndependent;
      return MakeSourceSum(sum);
    case PriorKind::kStacked:
      return std::make_unique<StackedPrior>(recipe);
    case PriorKind::kScaml:
      sum.errors = SourceErrors::kCorrelated;
      sum.weights = WeightLearning::kAlways;
      return MakeSourceSum(sum);
    case PriorKind::kCluster:
      return MakeClusterPrior(recipe.cluster);
    case PriorKind::kEnvelope:
      return MakePooledSources(recipe.pooled);
    case PriorKind::kEnvGp: {
      PooledOptions pooled = recipe.pooled;
      pooled.noise = PooledNoise::kFixed;
      pooled.kernel = PooledKernel::kTargets;
      return MakePooledSources(pooled);
    }
    case PriorKind::kDiffGp:
      return MakeCorrectedSources(recipe.corrected);
    case PriorKind::kScot:
      return MakeCollaborative(recipe.collaborative);
    case PriorKind::kDeviation:
      return MakeDeviation(recipe.deviation);
    case PriorKind::kRgpe:
      return MakeRgpe(recipe.rgpe);
    case PriorKind::kRmGp:
      return MakeRmGp(RmGpOf(recipe));
    case PriorKind::kPretrained:
      return MakePretrained(recipe.pretrained);
  }
  return nullptr;
}

struct PriorRegistry {
  std::mutex mutex;
  std::vector<std::pair<Recipe, std::weak_ptr<const Prior>>> entries;
};

// Only what a prior is made from.
Recipe PriorPartOf(const Recipe& recipe) {
  Recipe part;
  part.prior = recipe.prior;
  part.source_sum = recipe.source_sum;
  part.source_stack = recipe.source_stack;
  part.cluster = recipe.cluster;
  part.pooled = recipe.pooled;
  part.corrected = recipe.corrected;
  part.collaborative = recipe.collaborative;
  part.deviation = recipe.deviation;
  part.rgpe = recipe.rgpe;
  part.rm_gp = recipe.rm_gp;
  part.pretrained = recipe.pretrained;
  // Only RM-GP looks at these.
  if (recipe.prior == PriorKind::kRmGp) {
    part.acquisition = recipe.acquisition;
    part.ucb_schedule = recipe.ucb_schedule;
    part.ucb_multiplier = recipe.ucb_multiplier;
  }
  return part;
}

}  // namespace

std::shared_ptr<const Prior> SharedPrior(const Recipe& recipe) {
  if (recipe.prior == PriorKind::kNone) return nullptr;
  static auto& registry = *new PriorRegistry;
  const Recipe part = PriorPartOf(recipe);
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.entries, [](const auto& entry) { return entry.second.expired(); });
  for (const auto& [known, prior] : registry.entries) {
    if (std::shared_ptr<const Prior> found = prior.lock(); found != nullptr && known == part) {
      return found;
    }
  }
  std::shared_ptr<const Prior> made = MakePrior(part);
  registry.entries.emplace_back(part, made);
  return made;
}

const SourceFitOptions* SourceFitOf(const Recipe& recipe) {
  return recipe.prior == PriorKind::kNone ? nullptr : &recipe.sources;
}

}  // namespace slipstream
