#include "core/strategy/model_strategy.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/acquisition/next_point.h"
#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/calibration/consistent.h"
#include "core/exploration/exploration.h"
#include "core/optim/space_maximizer.h"
#include "core/recipe/recipe_names.h"
#include "core/sources/usable_sources.h"
#include "core/space/branches.h"
#include "core/strategy/lengthscale_rule.h"
#include "core/strategy/objective_model.h"
#include "core/strategy/quasi_random_strategy.h"
#include "core/strategy/random_strategy.h"
#include "core/strategy/zero_shot_strategy.h"

namespace slipstream {
namespace {

// Lanes of the study's random numbers.
constexpr uint64_t kSearchLane = 0x5ea4c4;
constexpr uint64_t kCalibrationLane = 0xca11b;
constexpr uint64_t kRandomLane = 0x4a4d0;
constexpr uint64_t kScreenLane = 0x5c4ee;
constexpr uint64_t kMostRandomTries = 100;
// Beside more trials that are open, the screen that searches share is a small one.
constexpr size_t kMostForLargeScreen = 400;

// The share of the time until the deadline that a model with transfer may take,
// so that enough is left for one without.
constexpr double kTransferTime = 0.7;

std::unique_ptr<Calibration> CalibrationOf(const Recipe& recipe) {
  QuasiNewtonOptions ascents;
  if (recipe.prior->ascents > 0) ascents.ascents = recipe.prior->ascents;
  const auto& [base, wrapper, rule] = recipe.calibration;
  std::unique_ptr<Calibration> calibration = base->make(ascents);
  if (!wrapper.has_value()) return calibration;
  return (*wrapper)->wrap(std::move(calibration), wrapper->options());
}

// Null where the recipe's own calibration finds the most probable hyperparameters.
std::unique_ptr<Calibration> JudgeOf(const Recipe& recipe) {
  const auto& [base, wrapper, rule] = recipe.calibration;
  if (base.name() == "map" && !wrapper.has_value()) return nullptr;
  return MakeMaximumPosterior(QuasiNewtonOptions());
}

std::unique_ptr<LengthscaleRule> LengthscaleRuleOf(const Recipe& recipe) {
  const std::optional<Choice<CalibrationRow>>& rule = recipe.calibration.rule;
  return rule.has_value() ? (*rule)->rule(rule->options()) : nullptr;
}

size_t CountResults(const StudyView& view) {
  return static_cast<size_t>(std::count_if(view.ended.begin(), view.ended.end(), InformsModels));
}

// Whether source tasks have a say in the study's suggestions.
bool LearnsFromSources(const StudyView& view, const Recipe& recipe) {
  return !view.sources.empty() && (recipe.prior->uses_sources() || recipe.initial->from_sources);
}

// How many results there must be before a model is asked. One that has nothing else to learn from
// has to see words and branches more often than numbers before it can tell which of them matter.
size_t InitialResults(const StudyView& view, const Recipe& recipe) {
  const bool has_sources = !view.sources.empty() && recipe.prior->uses_sources();
  if (recipe.initial->from_model) return has_sources ? 0 : 1;
  const std::optional<double> given = recipe.initial.options().Get("initial_points");
  if (given.has_value()) return std::max<size_t>(static_cast<size_t>(*given), has_sources ? 0 : 1);
  const size_t dimension = view.space->dimension();
  if (IsMixed(*view.space) && !LearnsFromSources(view, recipe)) {
    return std::min<size_t>(2 * (dimension + 1), 8);
  }
  return std::clamp<size_t>(dimension + 1, 3, 5);
}

// The parts of a strategy that all of its calls share.
struct Ingredients {
  const Recipe& recipe;
  const Calibration& calibration;
  const Calibration& judge;
  const LengthscaleRule* rule = nullptr;
  const Exploration& exploration;
  const Prior* prior = nullptr;
  CalibrationCache& cache;
};

class ModelStrategy final : public Strategy {
 public:
  ModelStrategy(std::string name, const Recipe& recipe)
      : Strategy(std::move(name)),
        recipe_(recipe),
        calibration_(CalibrationOf(recipe)),
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
  Ingredients ingredients() const {
    return {recipe_,     *calibration_, judge_ != nullptr ? *judge_ : *calibration_,
            rule_.get(), *exploration_, prior_.get(),
            cache_};
  }
  bool DoReadsHistory() const override { return true; }
  bool DoReadsNotes() const override {
    const std::optional<Choice<CalibrationRow>>& rule = recipe_.calibration.rule;
    return (rule.has_value() && (*rule)->reads_notes) || recipe_.exploration->reads_notes;
  }

  Recipe recipe_;
  std::unique_ptr<Calibration> calibration_;
  // Compares scales of results; null where that is calibration_ itself.
  std::unique_ptr<Calibration> judge_;
  std::unique_ptr<LengthscaleRule> rule_;  // Null: lengthscales stay as calibrated.
  std::unique_ptr<Exploration> exploration_;
  std::shared_ptr<const Prior> prior_;  // Null without transfer.
  std::unique_ptr<Strategy> zero_shot_;
  mutable CalibrationCache cache_;
};

absl::StatusOr<UsableSources> SourcesOf(const StudyView& view, const SourceFitOptions& options) {
  if (view.fitted_sources == nullptr) {
    return absl::FailedPreconditionError("there is nowhere to get fitted sources from");
  }
  return CollectUsableSources(view, *view.fitted_sources, options);
}

// One call's work: suggestions one after the other, each known to the next.
class ModelRun final : public SuggestionRun {
 public:
  ModelRun(const StudyView& view, const Ingredients& ingredients, uint64_t seed,
           std::optional<CandidatePool> pool)
      : view_(view),
        ingredients_(ingredients),
        seed_(seed),
        is_early_(CountResults(view) < InitialResults(view, ingredients.recipe)),
        with_transfer_(ingredients.prior != nullptr && !view.sources.empty()),
        pool_of_candidates_(std::move(pool)),
        pool_(pool_of_candidates_.has_value() ? &*pool_of_candidates_ : nullptr) {
    CollectTaken();
  }

 private:
  absl::StatusOr<bool> MakeNext(const Deadline& deadline, std::vector<Suggestion>& made) override {
    if (pool_ != nullptr && pool_->empty()) return false;
    deadline_ = deadline;
    index_ = static_cast<uint64_t>(view_.suggested) + made.size();
    earlier_ = made;
    if (!made.empty()) taken_.try_emplace(&made.back().configuration, 0);
    Suggestion next = is_early_ ? First() : Explored();
    made.push_back(std::move(next));
    return true;
  }

  // Adds the configurations of pending and infeasible trials and, where results
  // are exact, of measured ones.
  void CollectTaken() {
    for (const OpenTrial& trial : view_.open) taken_.try_emplace(&trial.configuration, 0);
    for (const EndedTrial& trial : view_.ended) {
      const bool is_known = trial.ending == Ending::kInfeasible ||
                            (view_.noiseless && trial.ending == Ending::kMeasured);
      if (is_known) taken_.try_emplace(&trial.configuration, 0);
    }
  }

  Suggestion EvenlyFilling() { return QuasiRandomSuggestion(*view_.space, seed_, index_, pool_); }

  // Before there is a model: evenly filling, or random where the recipe has it so or that is taken,
  // as in a small space.
  Suggestion First() {
    if (ingredients_.recipe.initial->is_random) return Random();
    Suggestion suggestion = EvenlyFilling();
    const bool is_repeat = pool_ == nullptr && taken_.contains(&suggestion.configuration);
    return is_repeat ? Random() : suggestion;
  }

  // From the model, unless the recipe's exploration has it otherwise.
  Suggestion Explored() {
    ExplorationStep step = ingredients_.exploration.Next({view_, earlier_, seed_, index_});
    Suggestion suggestion = step.is_random ? Random() : FromModel();
    Provenance& provenance = suggestion.provenance;
    provenance.facts.insert(provenance.facts.end(), step.facts.begin(), step.facts.end());
    provenance.notes.insert(provenance.notes.end(), step.notes.begin(), step.notes.end());
    return suggestion;
  }

  Suggestion Random() {
    Suggestion suggestion;
    // A small space may give a configuration that is known or pending: try again, a few times.
    for (uint64_t i = 0; i < kMostRandomTries; ++i) {
      suggestion =
          RandomSuggestion(*view_.space, CounterRandomBits(seed_, i, kRandomLane), index_, pool_);
      if (pool_ != nullptr || !taken_.contains(&suggestion.configuration)) break;
    }
    suggestion.provenance.facts.insert(suggestion.provenance.facts.begin(), RecipeFact());
    return suggestion;
  }

  Suggestion FromModel() {
    absl::StatusOr<Suggestion> suggestion = TryModel();
    if (suggestion.ok()) return *std::move(suggestion);
    Suggestion instead = EvenlyFilling();
    instead.provenance.rung = Rung::kQuasiRandom;
    instead.provenance.rung_reason = ReasonOf(suggestion.status());
    return instead;
  }

  // Tries the model with transfer first; falls back to one without and says why.
  absl::StatusOr<Suggestion> TryModel() {
    if (with_transfer_) {
      absl::StatusOr<Suggestion> suggestion = TryModelBy(deadline_.Part(kTransferTime));
      if (suggestion.ok()) return suggestion;
      with_transfer_ = false;
      without_because_ = suggestion.status();
      ForgetModel();
    }
    // Without results either there is nothing that a model could learn from.
    if (!without_because_.ok() && CountResults(view_) == 0) return without_because_;
    absl::StatusOr<Suggestion> made = TryModelBy(deadline_);
    if (!made.ok()) {
      ForgetModel();  // It may know a part of the pending trials.
      return made.status();
    }
    Suggestion suggestion = *std::move(made);
    if (!without_because_.ok()) {
      suggestion.provenance.rung = Rung::kWithoutTransfer;
      suggestion.provenance.notes.clear();  // They are about another model.
      suggestion.provenance.rung_reason = ReasonOf(without_because_);
    }
    return suggestion;
  }

  Fact RecipeFact() const {
    const RecipeChange names = NamesOf(ingredients_.recipe);
    return {"recipe",
            absl::StrCat("prior ", names.prior, ", calibration ", names.calibration,
                         ", acquisition ", names.acquisition, ", exploration ", names.exploration)};
  }

  void ForgetModel() {
    model_.reset();
    screen_.reset();
    pending_ = 0;
  }

  static std::string ReasonOf(const absl::Status& status) {
    const absl::string_view kind = absl::IsDeadlineExceeded(status) ? "deadline"
                                   : absl::IsUnavailable(status)    ? "not ready"
                                                                    : "numerical failure";
    return absl::StrCat(kind, ": ", status.message());
  }

  absl::StatusOr<Suggestion> TryModelBy(Deadline deadline) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time is left"));
    SLIPSTREAM_RETURN_IF_ERROR(PrepareModel(deadline));
    const NextPointRequest request = RequestFor(*model_, deadline);
    RuledModel ruled;
    if (ingredients_.rule != nullptr) {
      SLIPSTREAM_ASSIGN_OR_RETURN(ruled, ApplyLengthscaleRule(*ingredients_.rule, request, *model_,
                                                              ExpansionPast(view_, earlier_)));
    }
    const ObjectiveModel& model = ruled.model.has_value() ? *ruled.model : *model_;
    NextPointRequest ask = request.With(request.acquisition, model);
    ask.ucb_multiplier = ruled.ucb_multiplier;
    SLIPSTREAM_ASSIGN_OR_RETURN(
        ExploredPoint choice,
        ingredients_.exploration.Choose(
            {ask, view_.ended, ingredients_.rule != nullptr, std::move(ruled.next)}));
    Suggestion suggestion;
    Describe(model, choice.next, suggestion.provenance);
    Append(ruled.facts, suggestion.provenance.facts);
    Append(choice.facts, suggestion.provenance.facts);
    suggestion.provenance.notes = std::move(choice.notes);
    if (ruled.expansion.has_value()) {
      Append(ExpansionNotes(*ruled.expansion, UpperBoundMultiplier(ask),
                            choice.next.model_deviation / ruled.amplitude),
             suggestion.provenance.notes);
    }
    suggestion.configuration = std::move(choice.next.configuration);
    suggestion.candidate = choice.next.candidate;
    if (pool_ != nullptr) pool_->Take(*suggestion.candidate);
    return suggestion;
  }

  NextPointRequest RequestFor(const ObjectiveModel& model, Deadline deadline) const {
    NextPointRequest request{*view_.space, ingredients_.recipe.acquisition, model, taken_};
    request.pool = pool_;
    const int64_t suggested = view_.suggested + static_cast<int64_t>(earlier_.size());
    request.round = model.round().value_or(suggested + 1);
    request.seed = CounterRandomBits(seed_, index_, kSearchLane);
    request.deadline = deadline;
    if (screen_.has_value() && !screen_->configurations.empty()) request.screen = &*screen_;
    return request;
  }

  template <typename Item>
  static void Append(const std::vector<Item>& more, std::vector<Item>& items) {
    items.insert(items.end(), more.begin(), more.end());
  }

  void Describe(const ObjectiveModel& model, const NextPoint& next, Provenance& provenance) const {
    provenance.sources = model.SourceWeights();
    provenance.facts = {RecipeFact()};
    Append(model.Facts(), provenance.facts);
    if (with_transfer_) Append(usable_.Facts(), provenance.facts);
    provenance.facts.push_back({"predicted_mean", next.mean});
    provenance.facts.push_back({"predicted_deviation", next.deviation});
    provenance.facts.push_back({"acquisition_value", next.value});
    if (next.is_repeat) {
      provenance.facts.push_back(
          {"repeat", std::string("every configuration considered has been tried")});
    }
  }

  // The model, with all pending trials in it.
  absl::Status PrepareModel(Deadline deadline) {
    std::vector<Configuration> pending;
    if (!model_.has_value()) {
      ObjectiveModelRequest request{view_, ingredients_.recipe, ingredients_.calibration,
                                    ingredients_.judge, ingredients_.cache};
      request.initial_results = static_cast<Index>(InitialResults(view_, ingredients_.recipe));
      request.seed = CounterRandomBits(seed_, 0, kCalibrationLane);
      request.deadline = deadline;
      if (with_transfer_) {
        const SourceFitOptions options = SourceFitOf(ingredients_.recipe, view_.sources);
        SLIPSTREAM_ASSIGN_OR_RETURN(usable_, SourcesOf(view_, options));
        request.scale = options.scale;
        request.prior = ingredients_.prior;
        request.sources = usable_.models;
      }
      SLIPSTREAM_ASSIGN_OR_RETURN(ObjectiveModel model, ObjectiveModel::Fit(request));
      model_ = std::move(model);
      for (const OpenTrial& trial : view_.open) pending.push_back(trial.configuration);
    }
    for (; pending_ < earlier_.size(); ++pending_) {
      pending.push_back(earlier_[pending_].configuration);
    }
    SLIPSTREAM_RETURN_IF_ERROR(model_->AddPending(*view_.space, pending, deadline));
    if (!screen_.has_value() && model_->absorbs()) ShareScreen();
    return absl::OkStatus();
  }

  // From now on all searches begin with one screen, at which predictions are kept up to date.
  void ShareScreen() {
    screen_ = SharedScreen(*view_.space, *model_, CounterRandomBits(seed_, index_, kScreenLane),
                           view_.open.size() > kMostForLargeScreen);
    if (!screen_->configurations.empty()) model_->Remember(screen_->x);
  }

  const StudyView view_;
  const Ingredients ingredients_;
  uint64_t seed_;
  Deadline deadline_ = Deadline::Infinite();
  bool is_early_;
  bool with_transfer_;
  absl::Status without_because_;
  UsableSources usable_;
  ConfigurationIndex taken_;
  std::optional<ObjectiveModel> model_;
  std::optional<Screen> screen_;  // Once the model absorbs what is pending.
  // The suggestion that is being made: its index, the candidates left, and those made before it.
  uint64_t index_ = 0;
  std::optional<CandidatePool> pool_of_candidates_;
  CandidatePool* pool_;  // Null on a space without candidates.
  absl::Span<const Suggestion> earlier_;
  size_t pending_ = 0;  // Suggestions that the model knows.
};

absl::StatusOr<std::unique_ptr<SuggestionRun>> ModelStrategy::DoStart(const StudyView& view,
                                                                      int count,
                                                                      uint64_t seed) const {
  if (recipe_.initial->from_sources && !view.sources.empty() &&
      CountResults(view) < InitialResults(view, recipe_)) {
    return zero_shot_->Start(view, count, seed);
  }
  std::optional<CandidatePool> pool;
  if (view.space->has_candidates()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(pool, CandidatePool::Create(view));
  }
  return std::make_unique<ModelRun>(view, ingredients(), seed, std::move(pool));
}

absl::StatusOr<std::vector<Suggestion>> ModelStrategy::DoSuggest(const StudyView& view, int count,
                                                                 uint64_t seed,
                                                                 Deadline deadline) const {
  return Suggest(view, count, seed, deadline);  // Which starts a run.
}

absl::Status ModelStrategy::DoPrepare(const StudyView& view, const Deadline& deadline) const {
  if (prior_ == nullptr || view.sources.empty()) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const UsableSources usable,
                              SourcesOf(view, SourceFitOf(recipe_, view.sources)));
  return PreparePrior(*prior_, view, recipe_, usable.models, deadline);
}

}  // namespace

std::unique_ptr<Strategy> MakeModelStrategy(std::string name, const Recipe& recipe) {
  return std::make_unique<ModelStrategy>(std::move(name), recipe);
}

}  // namespace slipstream
