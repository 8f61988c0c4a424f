#include "core/strategy/priors.h"

#include <mutex>
#include <utility>
#include <vector>

namespace slipstream {
namespace {

std::unique_ptr<Prior> MakePrior(const Recipe& recipe) {
  SourceSumOptions sum = recipe.source_sum;
  switch (recipe.prior) {
    case PriorKind::kNone:
      return nullptr;
    case PriorKind::kDelta:
      sum.errors = SourceErrors::kIndependent;
      return MakeSourceSum(sum);
    case PriorKind::kStacked:
      sum.errors = SourceErrors::kCorrelated;
      return MakeSourceSum(sum);
    case PriorKind::kScaml:
      sum.errors = SourceErrors::kCorrelated;
      sum.weights = WeightLearning::kAlways;
      return MakeSourceSum(sum);
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
