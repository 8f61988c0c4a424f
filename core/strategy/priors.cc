#include "core/strategy/priors.h"

namespace slipstream {

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

}  // namespace slipstream
