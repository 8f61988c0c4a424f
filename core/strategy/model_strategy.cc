#include "core/strategy/model_strategy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/strategy/next_point.h"
#include "core/strategy/objective_model.h"
#include "core/strategy/quasi_random_strategy.h"
#include "core/strategy/source_portfolio_strategy.h"

namespace slipstream {
namespace {

// Lanes of the study's random numbers.
constexpr uint64_t kSearchLane = 0x5ea4c4;
constexpr uint64_t kCalibrationLane = 0xca11b;

std::unique_ptr<Calibration> CalibrationOf(CalibrationKind kind) {
  switch (kind) {
    case CalibrationKind::kFixed:
      return MakeFixed();
    case CalibrationKind::kMaximumLikelihood:
      return MakeMaximumLikelihood(QuasiNewtonOptions());
    case CalibrationKind::kMaximumPosterior:
      return MakeMaximumPosterior(QuasiNewtonOptions());
    case CalibrationKind::kHamiltonian:
      return MakeHamiltonian(HamiltonianOptions());
  }
  return nullptr;
}

size_t CountMeasured(const StudyView& view) {
  return static_cast<size_t>(
      std::count_if(view.ended.begin(), view.ended.end(), [](const EndedTrial& trial) {
        return trial.ending == Ending::kMeasured && trial.value.has_value();
      }));
}

// How many results there must be before a model is asked.
size_t InitialResults(const SearchSpace& space) {
  return std::clamp<size_t>(space.dimension() + 1, 3, 5);
}

class ModelStrategy final : public Strategy {
 public:
  ModelStrategy(std::string name, const Recipe& recipe, std::unique_ptr<Calibration> calibration)
      : Strategy(std::move(name)),
        recipe_(recipe),
        calibration_(std::move(calibration)),
        portfolio_(MakeSourcePortfolioStrategy(this->name())) {}

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t seed,
                                                    absl::Time deadline) const override;
  bool DoReadsHistory() const override { return true; }

  Recipe recipe_;
  std::unique_ptr<Calibration> calibration_;
  std::unique_ptr<Strategy> portfolio_;
  mutable CalibrationCache cache_;
};

// One call's work: suggestions one after the other, each known to the next.
class Batch {
 public:
  Batch(const StudyView& view, const Recipe& recipe, const Calibration& calibration,
        CalibrationCache& cache, uint64_t seed, absl::Time deadline)
      : view_(view),
        recipe_(recipe),
        calibration_(calibration),
        cache_(cache),
        seed_(seed),
        deadline_(deadline) {}

  absl::StatusOr<std::vector<Suggestion>> Suggest(int count) {
    if (view_.space->has_candidates()) {
      SLIPSTREAM_ASSIGN_OR_RETURN(pool_, CandidatePool::Create(view_));
    }
    suggestions_.reserve(static_cast<size_t>(count));  // `taken_` points into it.
    CollectTaken();
    const bool is_early = CountMeasured(view_) < InitialResults(*view_.space);
    for (int i = 0; i < count && !(pool_.has_value() && pool_->empty()); ++i) {
      suggestions_.push_back(is_early ? EvenlyFilling() : FromModel());
      taken_.try_emplace(&suggestions_.back().configuration, 0);
    }
    return std::move(suggestions_);
  }

 private:
  // What is with other workers and what has no value; where results are exact,
  // also what has one.
  void CollectTaken() {
    for (const OpenTrial& trial : view_.open) taken_.try_emplace(&trial.configuration, 0);
    for (const EndedTrial& trial : view_.ended) {
      const bool is_known = trial.ending == Ending::kInfeasible ||
                            (view_.noiseless && trial.ending == Ending::kMeasured);
      if (is_known) taken_.try_emplace(&trial.configuration, 0);
    }
  }

  uint64_t NextIndex() const {
    return static_cast<uint64_t>(view_.suggested) + static_cast<uint64_t>(suggestions_.size());
  }

  Suggestion EvenlyFilling() {
    return QuasiRandomSuggestion(*view_.space, seed_, NextIndex(),
                                 pool_.has_value() ? &*pool_ : nullptr);
  }

  Suggestion FromModel() {
    absl::StatusOr<Suggestion> suggestion = TryModel();
    if (suggestion.ok()) return *std::move(suggestion);
    Suggestion instead = EvenlyFilling();
    instead.provenance.rung = Rung::kQuasiRandom;
    const absl::string_view kind =
        absl::IsDeadlineExceeded(suggestion.status()) ? "deadline" : "numerical failure";
    instead.provenance.rung_reason = absl::StrCat(kind, ": ", suggestion.status().message());
    return instead;
  }

  absl::StatusOr<Suggestion> TryModel() {
    SLIPSTREAM_RETURN_IF_ERROR(PrepareModel());
    NextPointRequest request{*view_.space, recipe_, *model_, taken_};
    request.pool = pool_.has_value() ? &*pool_ : nullptr;
    request.round = view_.suggested + static_cast<int64_t>(suggestions_.size()) + 1;
    request.seed = CounterRandomBits(seed_, NextIndex(), kSearchLane);
    request.deadline = deadline_;
    SLIPSTREAM_ASSIGN_OR_RETURN(NextPoint next, ChooseNextPoint(request));
    Suggestion suggestion;
    suggestion.provenance.facts = model_->Facts();
    suggestion.provenance.facts.push_back({"predicted_mean", next.mean});
    suggestion.provenance.facts.push_back({"predicted_deviation", next.deviation});
    suggestion.provenance.facts.push_back({"acquisition_value", next.value});
    if (next.is_repeat) {
      suggestion.provenance.facts.push_back(
          {"repeat", std::string("every configuration considered has been tried")});
    }
    suggestion.configuration = std::move(next.configuration);
    suggestion.candidate = next.candidate;
    return suggestion;
  }

  // The model, with all pending trials in it.
  absl::Status PrepareModel() {
    std::vector<Configuration> pending;
    if (!model_.has_value()) {
      const uint64_t seed = CounterRandomBits(seed_, 0, kCalibrationLane);
      SLIPSTREAM_ASSIGN_OR_RETURN(
          ObjectiveModel model,
          ObjectiveModel::Fit(view_, recipe_, calibration_, cache_, seed, deadline_));
      model_ = std::move(model);
      for (const OpenTrial& trial : view_.open) pending.push_back(trial.configuration);
    }
    for (; pending_ < suggestions_.size(); ++pending_) {
      pending.push_back(suggestions_[pending_].configuration);
    }
    return model_->AddPending(*view_.space, pending);
  }

  const StudyView& view_;
  const Recipe& recipe_;
  const Calibration& calibration_;
  CalibrationCache& cache_;
  uint64_t seed_;
  absl::Time deadline_;
  std::optional<CandidatePool> pool_;
  ConfigurationIndex taken_;
  std::optional<ObjectiveModel> model_;
  std::vector<Suggestion> suggestions_;
  size_t pending_ = 0;  // Suggestions that the model knows.
};

absl::StatusOr<std::vector<Suggestion>> ModelStrategy::DoSuggest(const StudyView& view, int count,
                                                                 uint64_t seed,
                                                                 absl::Time deadline) const {
  if (recipe_.initial == InitialDesign::kSourcePortfolio && !view.sources.empty() &&
      CountMeasured(view) < InitialResults(*view.space)) {
    return portfolio_->Suggest(view, count, seed, deadline);
  }
  return Batch(view, recipe_, *calibration_, cache_, seed, deadline).Suggest(count);
}

}  // namespace

std::unique_ptr<Strategy> MakeModelStrategy(std::string name, const Recipe& recipe) {
  return MakeModelStrategy(std::move(name), recipe, CalibrationOf(recipe.calibration));
}

std::unique_ptr<Strategy> MakeModelStrategy(std::string name, const Recipe& recipe,
                                            std::unique_ptr<Calibration> calibration) {
  return std::make_unique<ModelStrategy>(std::move(name), recipe, std::move(calibration));
}

}  // namespace slipstream
