#include "core/strategy/model_strategy.h"

#include <optional>
#include <utility>

#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/exploration/exploration.h"
#include "core/sources/usable_sources.h"
#include "core/strategy/model_run.h"
#include "core/strategy/objective_model.h"
#include "core/strategy/zero_shot_strategy.h"

namespace slipstream {
namespace {

std::unique_ptr<Calibration> CalibrationOf(const Recipe& recipe,
                                           const QuasiNewtonOptions& ascents) {
  const auto& [base, wrapper, rule] = recipe.calibration;
  std::unique_ptr<Calibration> calibration = base->make(ascents);
  if (!wrapper.has_value()) return calibration;
  return (*wrapper)->wrap(std::move(calibration), wrapper->options());
}

// Null where the prior has no wish of its own.
std::unique_ptr<Calibration> CalibrationBesideSources(const Recipe& recipe) {
  if (recipe.prior->ascents == 0) return nullptr;
  QuasiNewtonOptions ascents;
  ascents.ascents = recipe.prior->ascents;
  return CalibrationOf(recipe, ascents);
}

// Null where the recipe's own calibration finds the most probable hyperparameters.
std::unique_ptr<Calibration> JudgeOf(const Recipe& recipe) {
  const auto& [base, wrapper, rule] = recipe.calibration;
  if (base->finds_most_probable && !wrapper.has_value()) return nullptr;
  return MakeMaximumPosterior(QuasiNewtonOptions());
}

std::unique_ptr<LengthscaleRule> LengthscaleRuleOf(const Recipe& recipe) {
  const std::optional<Choice<CalibrationRow>>& rule = recipe.calibration.rule;
  return rule.has_value() ? (*rule)->rule(rule->options()) : nullptr;
}

class ModelStrategy final : public Strategy {
 public:
  ModelStrategy(std::string name, const Recipe& recipe)
      : Strategy(std::move(name)),
        recipe_(recipe),
        calibration_(CalibrationOf(recipe, QuasiNewtonOptions())),
        beside_sources_(CalibrationBesideSources(recipe)),
        judge_(JudgeOf(recipe)),
        rule_(LengthscaleRuleOf(recipe)),
        exploration_(recipe.exploration->make(recipe.exploration.options())),
        prior_(PriorOf(recipe)),
        zero_shot_(MakeZeroShotStrategy(this->name())) {}

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t seed,
                                                    Deadline deadline) const override;
  absl::StatusOr<std::unique_ptr<SuggestionRun>> DoStart(const StudyView& view, int count,
                                                         uint64_t seed) const override;
  absl::Status DoPrepare(const StudyView& view, const Deadline& deadline) const override;
  StrategyParts parts() const {
    return {recipe_,
            *calibration_,
            beside_sources_ != nullptr ? *beside_sources_ : *calibration_,
            judge_ != nullptr ? *judge_ : *calibration_,
            rule_.get(),
            *exploration_,
            prior_.get(),
            cache_,
            *zero_shot_};
  }
  bool DoReadsHistory() const override { return true; }
  bool DoReadsNotes() const override {
    const std::optional<Choice<CalibrationRow>>& rule = recipe_.calibration.rule;
    return (rule.has_value() && (*rule)->reads_notes) || recipe_.exploration->reads_notes ||
           recipe_.prior->counts_rounds || recipe_.model_options().transfer_guard;
  }

  Recipe recipe_;
  std::unique_ptr<Calibration> calibration_;
  std::unique_ptr<Calibration> beside_sources_;  // Null where that is calibration_ itself.
  // Compares scales of results; null where that is calibration_ itself.
  std::unique_ptr<Calibration> judge_;
  std::unique_ptr<LengthscaleRule> rule_;  // Null: lengthscales stay as calibrated.
  std::unique_ptr<Exploration> exploration_;
  std::shared_ptr<const Prior> prior_;  // Null without transfer.
  std::unique_ptr<Strategy> zero_shot_;
  mutable CalibrationCache cache_;
};

absl::StatusOr<std::unique_ptr<SuggestionRun>> ModelStrategy::DoStart(const StudyView& view,
                                                                      int count,
                                                                      uint64_t seed) const {
  if (recipe_.initial->from_sources && !view.sources.empty() && IsEarly(view, recipe_)) {
    return zero_shot_->Start(view, count, seed);
  }
  std::optional<CandidatePool> pool;
  if (view.space->has_candidates()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(pool, CandidatePool::Create(view));
  }
  return MakeModelRun(view, parts(), seed, std::move(pool));
}

absl::StatusOr<std::vector<Suggestion>> ModelStrategy::DoSuggest(const StudyView& view, int count,
                                                                 uint64_t seed,
                                                                 Deadline deadline) const {
  return Suggest(view, count, seed, deadline);  // Which starts a run.
}

absl::Status ModelStrategy::DoPrepare(const StudyView& view, const Deadline& deadline) const {
  if (prior_ == nullptr || view.sources.empty()) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const UsableSources usable,
                              SourcesOf(view, SourceFitOf(recipe_, view.sources, *view.space)));
  return PreparePrior(*prior_, view, recipe_, usable.models, deadline);
}

}  // namespace

std::unique_ptr<Strategy> MakeModelStrategy(std::string name, const Recipe& recipe) {
  return std::make_unique<ModelStrategy>(std::move(name), recipe);
}

}  // namespace slipstream
