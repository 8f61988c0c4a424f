#include "core/prior/priors.h"

#include <mutex>
#include <vector>

#include "core/prior/cluster/cluster_prior.h"
#include "core/prior/collaborative.h"
#include "core/prior/corrected_sources.h"
#include "core/prior/deviation.h"
#include "core/prior/empirical.h"
#include "core/prior/learnt_beliefs.h"
#include "core/prior/pooled_sources.h"
#include "core/prior/pretrained/pretrained.h"
#include "core/prior/prototype_sum.h"
#include "core/prior/rgpe.h"
#include "core/prior/rm_gp.h"
#include "core/prior/source_stack.h"
#include "core/prior/source_sum.h"

namespace slipstream {
namespace {

const PriorRow kNoPrior = {
    .about = {.name = "none", .summary = "Source tasks have no part in the model"},
};

struct SharedPriors {
  struct Entry {
    Choice<PriorRow> choice;
    FollowedAcquisition acquisition;
    std::weak_ptr<const Prior> prior;
  };

  std::mutex mutex;
  std::vector<Entry> entries;
};

}  // namespace

absl::Span<const PriorRow* const> PriorRows() {
  static constexpr const PriorRow* kRows[] = {
      &kNoPrior,           &kDeltaPrior,      &kStackedPrior,       &kScamlPrior,
      &kPrototypeSumPrior, &kEmpiricalPrior,  &kLearntBeliefsPrior, &kClusterPrior,
      &kEnvelopePrior,     &kEnvGpPrior,      &kDiffGpPrior,        &kRgpePrior,
      &kRmGpPrior,         &kPretrainedPrior, &kScotPrior,          &kDeviationPrior};
  return kRows;
}

std::shared_ptr<const Prior> CommonPrior(const Choice<PriorRow>& choice,
                                         const FollowedAcquisition& acquisition) {
  if (!choice->uses_sources()) return nullptr;
  static auto& shared = *new SharedPriors;
  const FollowedAcquisition followed =
      choice->follows_acquisition ? acquisition : FollowedAcquisition();
  const std::lock_guard lock(shared.mutex);
  std::erase_if(shared.entries, [](const auto& entry) { return entry.prior.expired(); });
  for (const SharedPriors::Entry& entry : shared.entries) {
    if (entry.choice != choice || entry.acquisition != followed) continue;
    if (std::shared_ptr<const Prior> found = entry.prior.lock()) return found;
  }
  std::shared_ptr<const Prior> made = choice->make(choice.options(), followed);
  shared.entries.push_back({choice, followed, made});
  return made;
}

}  // namespace slipstream
