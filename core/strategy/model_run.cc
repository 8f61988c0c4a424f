#include "core/strategy/model_run.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "core/acquisition/next_point.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/gp/feasible_surrogate.h"
#include "core/recipe/recipe_names.h"
#include "core/space/encoded_points.h"
#include "core/strategy/lengthscale_rule.h"
#include "core/strategy/model_free_strategies.h"
#include "core/strategy/start_comparison.h"
#include "core/study/spent_configurations.h"

namespace slipstream {
namespace {

// Lanes of the study's random numbers.
constexpr uint64_t kSearchLane = 0x5ea4c4;
constexpr uint64_t kRandomLane = 0x4a4d0;
constexpr uint64_t kMostRandomTries = 100;

// The share of the time until the deadline that a model with transfer may take,
// so that enough is left for one without.
constexpr double kTransferTime = 0.7;

// On a candidate list the model takes over after so many suggestions or results, whichever comes
// first. What comes before may take this share of the time until the deadline.
constexpr size_t kKnownFirst = 3;
constexpr double kKnownTime = 0.3;

std::string ReasonOf(const absl::Status& status) {
  const absl::string_view kind = absl::IsDeadlineExceeded(status) ? "deadline"
                                 : absl::IsUnavailable(status)    ? "not ready"
                                 : absl::IsNotFound(status)       ? "nothing to learn from"
                                                                  : "numerical failure";
  return absl::StrCat(kind, ": ", status.message());
}

class ModelRun final : public SuggestionRun {
 public:
  ModelRun(const StudyView& view, const StrategyParts& parts, uint64_t seed,
           std::optional<CandidatePool> pool)
      : view_(view),
        parts_(parts),
        seed_(seed),
        is_early_(IsEarly(view, parts.recipe)),
        with_transfer_(parts.prior != nullptr && !view.sources.empty()),
        models_(view_, parts_, seed),
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
    if (is_early_ && parts_.recipe.prior->counts_rounds) {
      next.provenance.notes.push_back(OfStartNote());
    }
    if (IsOfStart(next)) next.provenance.notes.push_back(StartNote(view_, seed_, index_));
    made.push_back(std::move(next));
    return true;
  }

  // Takes in spent and pending configurations.
  void CollectTaken() {
    taken_ = SpentConfigurations(view_);
    if (pool_ != nullptr) pool_->LeaveOut(taken_);
    for (const OpenTrial& trial : view_.open) taken_.try_emplace(&trial.configuration, 0);
    if (view_.noiseless) return;
    for (const EndedTrial& trial : view_.ended) {
      if (trial.value.has_value()) measured_.try_emplace(&trial.configuration, 0);
    }
  }

  // The next evenly filling point, or a random one where that is taken, as in a small space.
  Suggestion EvenlyFilling() {
    Suggestion suggestion = QuasiRandomSuggestion(*view_.space, seed_, index_, pool_);
    const bool is_repeat = pool_ == nullptr && taken_.contains(&suggestion.configuration);
    return is_repeat ? Random() : suggestion;
  }

  // Whether this is one of the first suggestions, in whose place a study without sources would have
  // had an evenly filling point.
  bool IsOfStart(const Suggestion& suggestion) const {
    const Recipe& recipe = parts_.recipe;
    if (!recipe.model_options().transfer_guard || !recipe.initial->with_sources_only ||
        parts_.prior == nullptr || view_.sources.empty()) {
      return false;
    }
    const size_t begins_with = InitialResultsAlone(view_, recipe);
    return suggestion.provenance.rung == Rung::kRecipe &&
           index_ < std::min(begins_with, kMostOfStart) && CountResults(view_) < begins_with;
  }

  // What is suggested before there is a model.
  Suggestion First() { return parts_.recipe.initial->is_random ? Random() : EvenlyFilling(); }

  // From the model, unless the recipe's exploration has it otherwise.
  Suggestion Explored() {
    ExplorationStep step = parts_.exploration.Next({view_, earlier_, seed_, index_});
    Suggestion suggestion = step.is_random ? Random() : FromModel();
    Provenance& provenance = suggestion.provenance;
    provenance.facts.insert(provenance.facts.end(), step.facts.begin(), step.facts.end());
    provenance.notes.insert(provenance.notes.end(), step.notes.begin(), step.notes.end());
    return suggestion;
  }

  // With a model, one that probably has a value.
  Suggestion Random(const SearchedModel* model = nullptr) {
    Suggestion suggestion;
    // A small space may give a configuration that is known or pending: try again, a few times.
    for (uint64_t i = 0; i < kMostRandomTries; ++i) {
      suggestion =
          RandomSuggestion(*view_.space, CounterRandomBits(seed_, i, kRandomLane), index_, pool_);
      if (pool_ != nullptr) break;
      const bool is_taken = taken_.contains(&suggestion.configuration);
      if (!is_taken && (model == nullptr || IsLikely(*model, suggestion.configuration))) break;
    }
    suggestion.provenance.facts.insert(suggestion.provenance.facts.begin(), RecipeFact());
    return suggestion;
  }

  // Whether a trial there probably has a value.
  bool IsLikely(const SearchedModel& model, const Configuration& configuration) const {
    const std::optional<Vector> chances = ChancesOfValue(
        model.member(0), EncodeAll(*view_.space, absl::MakeConstSpan(&configuration, 1)));
    return !chances.has_value() || (*chances)[0] >= 0.5;
  }

  Suggestion FromModel() {
    if (WantsKnown()) {
      absl::StatusOr<Suggestion> known = Known();
      if (known.ok()) return *std::move(known);
    }
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
      models_.Forget();
    }
    // Without results either there is nothing that a model could learn from.
    if (!without_because_.ok() && IsTooEarlyAlone()) {
      const bool may_wait = parts_.recipe.initial->with_sources_only;
      if (!may_wait || !absl::IsUnavailable(without_because_)) return without_because_;
      absl::StatusOr<Suggestion> known = StandIn(ReasonOf(without_because_));
      return known.ok() ? std::move(known) : without_because_;
    }
    absl::StatusOr<Suggestion> made = TryModelBy(deadline_);
    if (!made.ok()) {
      models_.Forget();  // It may know a part of the pending trials.
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

  // Whether the suggestion is to be what served the source tasks best. Sources were often recorded
  // on the study's own candidate list, and what they measured there need not be predicted.
  bool WantsKnown() const {
    return with_transfer_ && pool_ != nullptr && parts_.recipe.initial->known_first &&
           index_ < kKnownFirst && CountResults(view_) < kKnownFirst && !deadline_.has_passed();
  }

  // That suggestion. NOT_FOUND where the design of the sources is late, used up or of no use.
  absl::StatusOr<Suggestion> Known() {
    // The model is asked soon: whoever fits its sources should begin now.
    SourcesOf(view_, SourceFitOf(parts_.recipe, view_.sources, *view_.space))
        .status()
        .IgnoreError();
    return FromDesign(deadline_.Part(kKnownTime), [this](const Suggestion& suggestion) {
      return suggestion.provenance.rung == Rung::kRecipe && !suggestion.provenance.sources.empty();
    });
  }

  // The same in place of the model, whatever the design is made of.
  absl::StatusOr<Suggestion> StandIn(const std::string& reason) {
    SLIPSTREAM_ASSIGN_OR_RETURN(Suggestion suggestion,
                                FromDesign(deadline_, [](const Suggestion&) { return true; }));
    suggestion.provenance.facts.push_back({std::string(kInsteadOfModelFact), reason});
    return suggestion;
  }

  // The next entry of the design that is free. Choosing it needs no model of the sources. NOT_FOUND
  // where there is none, or one that `serves` refuses comes first.
  template <typename Serves>
  absl::StatusOr<Suggestion> FromDesign(const Deadline& deadline, const Serves& serves) {
    for (uint64_t tries = 0; tries < kMostRandomTries; ++tries) {
      if (design_used_ == design_.size()) {
        // Made anew, for twice as many: a call has few suggestions or very many.
        const int count = static_cast<int>(std::max<size_t>(8, 2 * design_.size()));
        SLIPSTREAM_ASSIGN_OR_RETURN(design_,
                                    parts_.zero_shot.Suggest(view_, count, seed_, deadline));
        if (design_used_ >= design_.size()) break;
      }
      Suggestion suggestion = design_[design_used_];
      if (!serves(suggestion)) break;
      ++design_used_;
      if (taken_.contains(&suggestion.configuration) || HasEnded(suggestion.configuration)) {
        continue;
      }
      if (pool_ != nullptr && !pool_->Take(*suggestion.candidate)) continue;
      std::vector<Fact>& facts = suggestion.provenance.facts;
      facts.insert(facts.begin(), RecipeFact());
      return suggestion;
    }
    return absl::NotFoundError("the sources have no further configuration");
  }

  bool HasEnded(const Configuration& configuration) const {
    return std::any_of(view_.ended.begin(), view_.ended.end(), [&](const EndedTrial& trial) {
      return trial.configuration == configuration;
    });
  }

  // Whether it is too early to ask a model without sources, as they turn out to be of no use.
  bool IsTooEarlyAlone() const {
    const bool starts_alone = parts_.recipe.initial->with_sources_only;
    return starts_alone ? IsEarlyAlone(view_, parts_.recipe) : CountResults(view_) == 0;
  }

  Fact RecipeFact() const {
    const RecipeChange names = NamesOf(parts_.recipe);
    return {"recipe",
            absl::StrCat("prior ", names.prior, ", calibration ", names.calibration,
                         ", acquisition ", names.acquisition, ", exploration ", names.exploration)};
  }

  absl::StatusOr<Suggestion> TryModelBy(const Deadline& deadline) {
    SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time is left"));
    SLIPSTREAM_RETURN_IF_ERROR(models_.Update(with_transfer_, earlier_, index_, deadline));
    if (parts_.recipe.initial->with_sources_only && models_.SourcesTellNothing() &&
        CountResults(view_) == 0) {
      // Such a model would suggest unexplored points, away from all that is known to work.
      absl::StatusOr<Suggestion> known = StandIn("all results of the sources are equal");
      if (known.ok()) return known;
    }
    const int64_t suggested = view_.suggested + static_cast<int64_t>(earlier_.size());
    if (models_.WantsContrastAt(suggested, earlier_)) return Contrast();
    const NextPointRequest request =
        RequestFor(models_.AskedAt(suggested + 1), suggested, deadline);
    RuledModel ruled;
    if (parts_.rule != nullptr) {
      SLIPSTREAM_ASSIGN_OR_RETURN(ruled, ApplyLengthscaleRule(*parts_.rule, request, models_.main(),
                                                              ExpansionPast(view_, earlier_)));
    }
    NextPointRequest ask =
        request.With(request.acquisition, ruled.model.has_value() ? *ruled.model : request.model);
    ask.ucb_multiplier = ruled.ucb_multiplier;
    SLIPSTREAM_ASSIGN_OR_RETURN(ExploredPoint choice,
                                parts_.exploration.Choose({ask, view_.ended, view_.goal,
                                                           parts_.rule != nullptr,
                                                           std::move(ruled.next)}));
    // Evenly filling points that are taken at regular intervals would lie on one side only.
    if (choice.fills_space) return Unasked(Random(&ask.model), choice.facts, choice.notes);
    Suggestion suggestion;
    Describe(ruled, choice.next, suggestion.provenance);
    AppendAll(ruled.facts, suggestion.provenance.facts);
    AppendAll(choice.facts, suggestion.provenance.facts);
    suggestion.provenance.notes = std::move(choice.notes);
    AppendAll(models_.NotesOf(choice.next.configuration), suggestion.provenance.notes);
    if (ruled.expansion.has_value()) {
      AppendAll(ExpansionNotes(*ruled.expansion, UpperBoundMultiplier(ask),
                               choice.next.model_deviation / ruled.amplitude),
                suggestion.provenance.notes);
    }
    suggestion.configuration = std::move(choice.next.configuration);
    suggestion.candidate = choice.next.candidate;
    if (pool_ != nullptr) pool_->Take(*suggestion.candidate);
    return suggestion;
  }

  // A point that no model asked for. `facts` say what it is for.
  Suggestion Unasked(Suggestion suggestion, const std::vector<Fact>& facts, const Notes& notes) {
    Provenance& provenance = suggestion.provenance;
    provenance.facts = {RecipeFact()};
    models_.Describe(models_.main(), /*is_asked=*/false, provenance);
    AppendAll(facts, provenance.facts);
    provenance.notes = models_.NotesOf(suggestion.configuration);
    AppendAll(notes, provenance.notes);
    return suggestion;
  }

  // By its result the models can be told apart.
  Suggestion Contrast() {
    return Unasked(First(), {{"contrast", std::string("no model asked for this point")}},
                   {StudyModels::ContrastNote()});
  }

  NextPointRequest RequestFor(const SearchedModel& model, int64_t suggested,
                              const Deadline& deadline) const {
    NextPointRequest request{*view_.space, parts_.recipe.acquisition, model, taken_};
    request.pool = pool_;
    request.round = model.round().value_or(suggested + 1);
    request.seed = CounterRandomBits(seed_, index_, kSearchLane);
    request.deadline = deadline;
    request.measured = &measured_;
    request.screen = models_.screen();
    return request;
  }

  void Describe(const RuledModel& ruled, const NextPoint& next, Provenance& provenance) const {
    provenance.facts = {RecipeFact()};
    models_.Describe(ruled.model.has_value() ? *ruled.model : models_.main(), /*is_asked=*/true,
                     provenance);
    if (models_.has_two()) provenance.facts.push_back(models_.AskedFact());
    // In the objective's units; numbers on the models' scale would be taken for results.
    if (models_.main().knows_units()) {
      provenance.facts.push_back({"predicted_mean", next.mean});
      provenance.facts.push_back({"predicted_deviation", next.deviation});
    }
    if (next.chance.has_value()) provenance.facts.push_back({"chance_of_value", *next.chance});
    provenance.facts.push_back({"acquisition_value", next.value});
    if (next.is_repeat) {
      provenance.facts.push_back(
          {"repeat", std::string("every configuration considered has been tried")});
    }
    if (next.is_cut_short) {
      provenance.facts.push_back({std::string(kCutShortFact), std::string("the deadline")});
    }
  }

  const StudyView view_;
  const StrategyParts parts_;
  uint64_t seed_;
  Deadline deadline_ = Deadline::Infinite();
  bool is_early_;
  bool with_transfer_;
  absl::Status without_because_;
  ConfigurationIndex taken_;
  ConfigurationIndex measured_;  // Empty where results are exact.
  StudyModels models_;
  // Suggestions by what served the sources best, and how many of them were looked at.
  std::vector<Suggestion> design_;
  size_t design_used_ = 0;
  // The suggestion that is being made: its index, the candidates left, and those made before it.
  uint64_t index_ = 0;
  std::optional<CandidatePool> pool_of_candidates_;
  CandidatePool* pool_;  // Null on a space without candidates.
  absl::Span<const Suggestion> earlier_;
};

}  // namespace

std::unique_ptr<SuggestionRun> MakeModelRun(const StudyView& view, const StrategyParts& parts,
                                            uint64_t seed, std::optional<CandidatePool> pool) {
  return std::make_unique<ModelRun>(view, parts, seed, std::move(pool));
}

}  // namespace slipstream
