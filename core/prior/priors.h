// The axis "prior": what the source tasks say of a target before its first result. One row for each
// member.
#ifndef SLIPSTREAM_CORE_PRIOR_PRIORS_H_
#define SLIPSTREAM_CORE_PRIOR_PRIORS_H_

#include <memory>
#include <optional>

#include "absl/types/span.h"
#include "core/base/ingredient.h"
#include "core/prior/prior.h"

namespace slipstream {

// What an acquisition says to priors that follow it.
struct FollowedAcquisition {
  bool draws = false;                     // It scores one posterior draw (Thompson sampling).
  std::optional<double> multiplier = {};  // A constant, positive one of an upper confidence bound.

  friend bool operator==(const FollowedAcquisition&, const FollowedAcquisition&) = default;
};

// The scale that the results of the target and of its sources are brought to.
enum class TaskScale {
  kOwn,         // Each task's own: deviation 1 around its mean, perhaps after a power.
  kShared,      // One affine map for all tasks, that which standardises the sources' results.
  kAsMeasured,  // None: more is better, nothing else is changed.
};

struct PriorRow {
  Ingredient about;
  // Null for the prior without sources.
  std::unique_ptr<Prior> (*make)(const OptionSet& options,
                                 const FollowedAcquisition& acquisition) = nullptr;
  bool follows_acquisition = false;  // Whether `make` looks at the acquisition.
  bool counts_rounds = false;        // Whether PriorInput::initial_results matters.
  // The scale that the method needs, unless a recipe asks for another one. Methods that subtract or
  // pool results of different tasks need these on one scale.
  TaskScale scale = TaskScale::kOwn;
  // Ascents that a calibration takes; 0: as many as it takes by itself.
  int ascents = 0;

  bool uses_sources() const { return make != nullptr; }
};

// All of them, in the order in which people should meet them.
absl::Span<const PriorRow* const> PriorRows();

// Null for a prior without sources. Equal choices share one prior while it is in use, so that
// what it keeps about sources serves all their studies. Thread-safe.
std::shared_ptr<const Prior> CommonPrior(const Choice<PriorRow>& choice,
                                         const FollowedAcquisition& acquisition);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_PRIORS_H_
