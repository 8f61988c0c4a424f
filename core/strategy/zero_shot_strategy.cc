#include "core/strategy/zero_shot_strategy.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/deadline.h"
#include "core/strategy/model_free_strategies.h"
#include "core/strategy/one_by_one.h"
#include "core/study/candidate_pool.h"
#include "core/zero_shot/zero_shot_design.h"

namespace slipstream {
namespace {

// Studies whose people queued design entries themselves use the design up
// early, and a deadline's step down comes at any time; their points are taken
// from this far along the sequence, so that no point is used twice.
constexpr uint64_t kFarAlong = uint64_t{1} << 31;

class ZeroShotStrategy final : public Strategy {
 public:
  explicit ZeroShotStrategy(std::string name) : Strategy(std::move(name)) {}

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t seed,
                                                    Deadline deadline) const override;
  bool DoReadsHistory() const override { return true; }
};

// The state that one call starts from.
struct Plan {
  ZeroShotDesign design;
  std::deque<size_t> positions;  // Entries still to be suggested, in order.
  Rung rung = Rung::kRecipe;
  std::string rung_reason;
  bool is_late = false;
};

std::string ReasonOf(const ZeroShotDesign& design) {
  if (design.sources_used > 0) return "no configuration of a source is within the space";
  const LeftOutSources& left_out = design.left_out;
  std::vector<std::string> reasons;
  const auto add = [&reasons](size_t count, absl::string_view reason) {
    if (count > 0) reasons.push_back(absl::StrCat(count, " ", reason));
  };
  add(left_out.opposite_goal, "with the opposite goal");
  add(left_out.nothing_measured, "without a measured point");
  add(left_out.no_common_parameter, "without a common parameter");
  add(left_out.nothing_mapped, "without a point in the space");
  return absl::StrCat("none of the sources is usable: ", absl::StrJoin(reasons, ", "));
}

template <typename Trials>
bool HasTried(const Trials& trials, const DesignEntry& entry) {
  return std::any_of(trials.begin(), trials.end(), [&entry](const auto& trial) {
    if (trial.candidate.has_value() && entry.candidate.has_value()) {
      return *trial.candidate == *entry.candidate;
    }
    return trial.configuration == entry.configuration;
  });
}

std::deque<size_t> PositionsLeft(const StudyView& view, const ZeroShotDesign& design) {
  std::deque<size_t> positions;
  for (size_t i = 0; i < design.entries.size(); ++i) {
    const DesignEntry& entry = design.entries[i];
    const bool is_done = view.space->allow_repeats()
                             ? static_cast<int64_t>(i) < view.suggested
                             : HasTried(view.ended, entry) || HasTried(view.open, entry);
    if (!is_done) positions.push_back(i);
  }
  return positions;
}

Plan MakePlan(const StudyView& view, Deadline deadline) {
  Plan plan;
  if (view.sources.empty()) return plan;
  std::optional<ZeroShotDesign> design = BuildZeroShotDesign(view, deadline);
  if (!design.has_value()) {
    plan.is_late = true;
    plan.rung = Rung::kQuasiRandom;
    plan.rung_reason = "the deadline passed before the portfolio was ready";
    return plan;
  }
  plan.design = *std::move(design);
  if (plan.design.entries.empty()) {
    plan.rung = Rung::kWithoutTransfer;
    plan.rung_reason = ReasonOf(plan.design);
  }
  plan.positions = PositionsLeft(view, plan.design);
  return plan;
}

uint64_t SobolIndex(const Plan& plan, uint64_t suggested) {
  const uint64_t entries = plan.design.entries.size();
  return plan.is_late || suggested < entries ? kFarAlong + suggested : suggested - entries;
}

Suggestion DesignSuggestion(const ZeroShotDesign& design, size_t position) {
  const DesignEntry& entry = design.entries[position];
  Suggestion suggestion{entry.configuration, entry.candidate, {}};
  suggestion.provenance.sources = entry.sources;
  suggestion.provenance.facts = {{"phase", "portfolio"},
                                 {"portfolio_position", static_cast<double>(position)}};
  return suggestion;
}

void AddSourceFacts(const ZeroShotDesign& design, std::vector<Fact>& facts) {
  const LeftOutSources& left_out = design.left_out;
  facts.push_back({"portfolio_size", static_cast<double>(design.entries.size())});
  facts.push_back({"sources_used", static_cast<double>(design.sources_used)});
  facts.push_back({"sources_left_out", static_cast<double>(left_out.total())});
  if (left_out.opposite_goal > 0) {
    facts.push_back({"sources_with_opposite_goal", static_cast<double>(left_out.opposite_goal)});
  }
}

Suggestion NextSuggestion(const StudyView& view, uint64_t seed, uint64_t suggested, Plan& plan,
                          CandidatePool* pool) {
  Suggestion suggestion;
  if (!plan.positions.empty()) {
    suggestion = DesignSuggestion(plan.design, plan.positions.front());
    plan.positions.pop_front();
    if (pool != nullptr) pool->Take(*suggestion.candidate);
  } else {
    suggestion = QuasiRandomSuggestion(*view.space, seed, SobolIndex(plan, suggested), pool);
    suggestion.provenance.facts.push_back({"phase", "quasi_random"});
  }
  suggestion.provenance.rung = plan.rung;
  suggestion.provenance.rung_reason = plan.rung_reason;
  if (!view.sources.empty() && !plan.is_late) {
    AddSourceFacts(plan.design, suggestion.provenance.facts);
  }
  return suggestion;
}

absl::StatusOr<std::vector<Suggestion>> ZeroShotStrategy::DoSuggest(const StudyView& view,
                                                                    int count, uint64_t seed,
                                                                    Deadline deadline) const {
  std::optional<Plan> plan;  // Made once there are candidates left.
  return SuggestOneByOne(view, count, [&](uint64_t index, CandidatePool* pool, auto) {
    if (!plan.has_value()) plan = MakePlan(view, deadline);
    return NextSuggestion(view, seed, index, *plan, pool);
  });
}

}  // namespace

std::unique_ptr<Strategy> MakeZeroShotStrategy(std::string name) {
  return std::make_unique<ZeroShotStrategy>(std::move(name));
}

}  // namespace slipstream
