#include "core/strategy/study_models.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/acquisition/next_point.h"
#include "core/base/counter_random.h"
#include "core/base/status.h"
#include "core/prior/learnt_beliefs.h"
#include "core/space/branches.h"
#include "core/space/candidate_list.h"
#include "core/space/encoded_points.h"

namespace slipstream {
namespace {

// Lanes of the study's random numbers.
constexpr uint64_t kCalibrationLane = 0xca11b;
constexpr uint64_t kScreenLane = 0x5c4ee;
// With more open trials than this, the screen that searches share is a small one.
constexpr size_t kMostForLargeScreen = 400;

// A model without sources is used from so many results on.
constexpr size_t kLeastResults = 3;
// However many trials have no value, a start has at least so many results.
constexpr size_t kLeastBesideFailures = 2;
// A model with sources that weighs less than this is not asked, ...
constexpr double kLeastShare = 0.05;
// ... nor at any suggestion whose round is a multiple of this.
constexpr int64_t kGuardPeriod = 8;
// In spaces of numbers alone, so many results locate the optimum better than sources can. From then
// on the period is the second number.
constexpr size_t kResultsThatLocate = 20;
constexpr int64_t kLateGuardPeriod = 2;
// Results speak against the sources where the model with them weighs less than this.
constexpr double kDoubtedShare = 0.4;
// In spaces with categories or conditions, unless they are lists of candidates, every third
// suggestion, from the second one on, is for contrast whatever the sources' share is, ...
constexpr int64_t kContrastPlace = 1;
constexpr int64_t kContrastPeriod = 3;
// ... and so is every second one while results speak against the sources, though there are trials
// enough for a model without them. The others are then not all of one place in a period of turns.
constexpr int64_t kDoubtedPeriod = 2;
// Marks suggestions that no model asked for.
constexpr absl::string_view kContrast = "contrast";
// Marks suggestions of the start.
constexpr absl::string_view kOfStart = "of_start";

bool IsForContrast(const Notes& notes) { return FindNote(notes, kContrast) != nullptr; }

// Whether the trial has, or may get, a result that tells the models with and without sources apart.
// That takes a point for which neither of them asked. A trial for contrast counts even if it fails
// again and again; it is not replaced.
bool MayTellModelsApart(const OpenTrial& trial) {
  return !trial.suggested || IsForContrast(trial.notes);
}
bool TellsModelsApart(const EndedTrial& trial) {
  const bool is_known = InformsModels(trial) || trial.ending == Ending::kInfeasible;
  return IsForContrast(trial.notes) || (!trial.suggested && is_known);
}

// Whether source tasks influence the study's suggestions.
bool LearnsFromSources(const StudyView& view, const Recipe& recipe) {
  return !view.sources.empty() && (recipe.prior->uses_sources() || recipe.initial->from_sources);
}

bool HasEqualResults(const StudyView& view) {
  std::optional<double> first;
  for (const EndedTrial& trial : view.ended) {
    if (!InformsModels(trial)) continue;
    if (first.has_value() && *first != *trial.value) return false;
    first = trial.value;
  }
  return true;
}

// The configuration of all results; null if there are none or of several.
const Configuration* OnlyConfiguration(absl::Span<const EndedTrial> trials) {
  const Configuration* only = nullptr;
  for (const EndedTrial& trial : trials) {
    if (!InformsModels(trial)) continue;
    if (only != nullptr && *only != trial.configuration) return nullptr;
    only = &trial.configuration;
  }
  return only;
}

// How many different configurations have a result of the start: the first InitialResults, more
// where several workers had suggestions of the start at once, and all that people added before the
// first suggestion.
Index ResultsOfStart(const StudyView& view, const Recipe& recipe) {
  const size_t needed = InitialResults(view, recipe);
  int64_t first_suggested = std::numeric_limits<int64_t>::max();
  const auto see = [&first_suggested](const auto& trials) {
    for (const auto& trial : trials) {
      if (trial.suggested) first_suggested = std::min(first_suggested, trial.number);
    }
  };
  see(view.ended);
  see(view.open);
  size_t results = 0;
  ConfigurationIndex different;
  for (const EndedTrial& trial : view.ended) {
    if (!InformsModels(trial)) continue;
    const bool is_of_start = results < needed || trial.number < first_suggested ||
                             FindNote(trial.notes, kOfStart) != nullptr;
    if (!is_of_start) break;
    ++results;
    different.try_emplace(&trial.configuration, 0);
  }
  return static_cast<Index>(different.size());
}

}  // namespace

size_t CountResults(const StudyView& view) {
  return static_cast<size_t>(std::count_if(view.ended.begin(), view.ended.end(), InformsModels));
}

size_t InitialResults(const StudyView& view, const Recipe& recipe) {
  const bool has_sources = !view.sources.empty() && recipe.prior->uses_sources();
  if (recipe.initial->from_model && (has_sources || !recipe.initial->with_sources_only)) {
    return has_sources ? 0 : 1;
  }
  const std::optional<double> given = recipe.initial.options().Get("initial_points");
  if (given.has_value()) return std::max<size_t>(static_cast<size_t>(*given), has_sources ? 0 : 1);
  const size_t dimension = view.space->dimension();
  if (IsMixed(*view.space) && !LearnsFromSources(view, recipe)) {
    return std::min<size_t>(2 * (dimension + 1), 8);
  }
  return std::clamp<size_t>(dimension + 1, 3, 5);
}

bool IsEarly(const StudyView& view, const Recipe& recipe) {
  const size_t needed = InitialResults(view, recipe);
  const size_t results = CountResults(view);
  const bool is_given = recipe.initial.options().Get("initial_points").has_value();
  if (is_given || needed <= 1) return results < needed;
  if (!LearnsFromSources(view, recipe) && HasEqualResults(view)) return true;
  const auto without_value = static_cast<size_t>(
      std::count_if(view.ended.begin(), view.ended.end(), [](const EndedTrial& trial) {
        return trial.ending == Ending::kInfeasible || trial.ending == Ending::kFailed;
      }));
  return results < std::min(needed, kLeastBesideFailures) || results + without_value / 2 < needed;
}

bool IsEarlyAlone(StudyView view, const Recipe& recipe) {
  view.sources = {};
  return IsEarly(view, recipe);
}

size_t InitialResultsAlone(StudyView view, const Recipe& recipe) {
  view.sources = {};
  return InitialResults(view, recipe);
}

absl::StatusOr<UsableSources> SourcesOf(const StudyView& view, const SourceFitOptions& options) {
  if (view.fitted_sources == nullptr) {
    return absl::FailedPreconditionError("there is nowhere to get fitted sources from");
  }
  return CollectUsableSources(view, *view.fitted_sources, options);
}

StudyModels::StudyModels(const StudyView& view, const StrategyParts& parts, uint64_t seed)
    : view_(view), parts_(parts), seed_(seed) {}

absl::Status StudyModels::Update(bool with_transfer, absl::Span<const Suggestion> made,
                                 uint64_t index, const Deadline& deadline) {
  std::vector<Configuration> pending;
  if (!main_.has_value()) {
    SLIPSTREAM_RETURN_IF_ERROR(Fit(with_transfer, deadline));
    for (const OpenTrial& trial : view_.open) pending.push_back(trial.configuration);
    // More results of one configuration would still not tell whether the sources are right, so the
    // model looks elsewhere, as beside a pending trial.
    const Configuration* const only = OnlyConfiguration(view_.ended);
    if (with_transfer && has_guard() && only != nullptr) pending.push_back(*only);
  }
  for (; pending_ < made.size(); ++pending_) pending.push_back(made[pending_].configuration);
  SLIPSTREAM_RETURN_IF_ERROR(main_->AddPending(*view_.space, pending, deadline));
  if (without_.has_value()) {
    SLIPSTREAM_RETURN_IF_ERROR(without_->AddPending(*view_.space, pending, deadline));
  }
  if (!screen_.has_value() && main_->absorbs()) ShareScreen(index);
  return absl::OkStatus();
}

void StudyModels::Forget() {
  main_.reset();
  without_.reset();
  mixed_.reset();
  asks_without_ = false;
  screen_.reset();
  pending_ = 0;
}

ObjectiveModelRequest StudyModels::RequestFor(const StudyView& view,
                                              const Calibration& calibration,
                                              const Deadline& deadline) const {
  ObjectiveModelRequest request{view, parts_.recipe, calibration, parts_.judge, parts_.cache};
  if (parts_.recipe.prior->counts_rounds) {
    request.initial_results = ResultsOfStart(view_, parts_.recipe);
  }
  request.seed = CounterRandomBits(seed_, 0, kCalibrationLane);
  request.deadline = deadline;
  return request;
}

absl::Status StudyModels::Fit(bool with_transfer, const Deadline& deadline) {
  with_transfer_ = with_transfer;
  if (with_transfer) return FitWithSources(deadline);
  SLIPSTREAM_ASSIGN_OR_RETURN(ObjectiveModel model,
                              ObjectiveModel::Fit(RequestFor(view_, parts_.calibration, deadline)));
  main_ = std::move(model);
  return absl::OkStatus();
}

bool StudyModels::SourcesTellNothing() const {
  return with_transfer_ && std::all_of(usable_.models.begin(), usable_.models.end(),
                                       [](const std::shared_ptr<const SourceModel>& source) {
                                         const Vector& y = source->data.y;
                                         return y.minCoeff() == y.maxCoeff();
                                       });
}

absl::StatusOr<ObjectiveModel> StudyModels::FitToOneConfiguration(
    ObjectiveModelRequest request) const {
  StudyView view_before = view_;
  view_before.ended = {};
  ObjectiveModelRequest request_before =
      RequestFor(view_before, parts_.beside_sources, request.deadline);
  request_before.prior = request.prior;
  request_before.sources = request.sources;
  request_before.noise = request.noise;
  SLIPSTREAM_ASSIGN_OR_RETURN(const ObjectiveModel before, ObjectiveModel::Fit(request_before));
  const auto result = std::find_if(view_.ended.begin(), view_.ended.end(), InformsModels);
  const PointMatrix there =
      EncodeAll(*view_.space, absl::MakeConstSpan(&result->configuration, 1));
  Scaling scaling = ScalingWithSources(request);
  for (size_t i = 0; i < before.size(); ++i) {
    const double mean = before.member(i).PredictMean(there)[0];
    scaling.only_result_at += mean / static_cast<double>(before.size());
  }
  request.scaling = scaling;
  SLIPSTREAM_ASSIGN_OR_RETURN(const ObjectiveModel model, ObjectiveModel::Fit(request));
  return model.WithMembers(before.hyperparameters(), request.deadline);
}

absl::Status StudyModels::FitWithSources(const Deadline& deadline) {
  ObjectiveModelRequest request = RequestFor(view_, parts_.beside_sources, deadline);
  const SourceFitOptions options = SourceFitOf(parts_.recipe, view_.sources, *view_.space);
  SLIPSTREAM_ASSIGN_OR_RETURN(usable_, SourcesOf(view_, options));
  request.scale = options.scale;
  // Where each candidate is tried once, results do not gather.
  const bool results_gather =
      !view_.space->has_candidates() || view_.space->allow_repeats();
  // Those that gather where sources were best do not show how exact they are.
  if (has_guard() && results_gather) request.noise = LearntNoise(usable_.models);
  const bool is_of_one = OnlyConfiguration(view_.ended) != nullptr;
  const bool is_guarded = has_guard() && !is_of_one && CountResults(view_) >= kLeastResults;
  if (is_guarded) {
    ObjectiveModelRequest alone = RequestFor(view_, parts_.calibration, deadline);
    alone.beside_sources = results_gather;
    // A difference in this belief would count as evidence for or against the sources.
    alone.noise = request.noise;
    if (request.scale.has_value()) alone.scaling = ScalingWithSources(request);
    SLIPSTREAM_ASSIGN_OR_RETURN(ObjectiveModel without, ObjectiveModel::Fit(alone));
    request.scaling = without.scaling();
    without_ = std::move(without);
  }
  request.prior = parts_.prior;
  request.sources = usable_.models;
  SLIPSTREAM_ASSIGN_OR_RETURN(ObjectiveModel model,
                              has_guard() && is_of_one && !request.scale.has_value()
                                  ? FitToOneConfiguration(request)
                                  : ObjectiveModel::Fit(request));
  main_ = std::move(model);
  if (!is_guarded) return absl::OkStatus();
  evidence_ = EvidenceOf(view_.ended, LogLikelihoodRatio());
  evidence_.start =
      CompareStarts(view_, MixedModel(*without_, *main_, evidence_.share()), seed_);
  return absl::OkStatus();
}

double StudyModels::LogLikelihoodRatio() const {
  const TrainingData& with_sources = main_->calibration_data();
  const TrainingData& all = without_->training().data;
  const Index count = with_sources.y.size();
  if (count > all.y.size()) return 0;
  const std::optional<double> with = main_->LogLikelihoodOf(with_sources);
  const std::optional<double> without = without_->LogLikelihoodOf(FirstOf(all, count));
  return with.has_value() && without.has_value() ? *with - *without : 0;
}

Note OfStartNote() { return {std::string(kOfStart), {1}}; }

Note StudyModels::ContrastNote() { return {std::string(kContrast), {1}}; }

bool StudyModels::WantsContrastAt(int64_t suggested, absl::Span<const Suggestion> made) const {
  if (!with_transfer_ || !has_guard()) return false;
  auto contrasts = std::count_if(view_.ended.begin(), view_.ended.end(), TellsModelsApart) +
                   std::count_if(view_.open.begin(), view_.open.end(), MayTellModelsApart) +
                   std::count_if(made.begin(), made.end(), [](const Suggestion& suggestion) {
                     return IsForContrast(suggestion.provenance.notes);
                   });
  const auto begins_alone = static_cast<int64_t>(InitialResultsAlone(view_, parts_.recipe));
  if (contrasts >= begins_alone) return false;
  // Before there is evidence, every second one from the third on.
  if (!without_.has_value()) return suggested > 0 && suggested % 2 == 0;
  const bool is_doubted = evidence_.share() < kDoubtedShare;
  if (!IsMixed(*view_.space) || view_.space->has_candidates()) return is_doubted;
  const auto trials = static_cast<int64_t>(CountResults(view_) + view_.open.size() + made.size());
  if (suggested % kContrastPeriod == kContrastPlace) return true;
  return is_doubted && (trials < begins_alone || suggested % kDoubtedPeriod == 0);
}

Fact StudyModels::AskedFact() const {
  return {"asked", std::string(asks_without_ ? "the model without sources" : "both models")};
}

int64_t StudyModels::GuardPeriod() const {
  const bool is_numeric = !IsMixed(*view_.space) && !view_.space->has_candidates();
  return is_numeric && CountResults(view_) >= kResultsThatLocate ? kLateGuardPeriod : kGuardPeriod;
}

const SearchedModel& StudyModels::AskedAt(int64_t round) {
  if (!without_.has_value()) return *main_;
  const double share = evidence_.share();
  asks_without_ = share < kLeastShare || round % GuardPeriod() == 0;
  if (asks_without_) return *without_;
  return mixed_.emplace(*without_, *main_, share);
}

const Screen* StudyModels::screen() const {
  return screen_.has_value() && !screen_->configurations.empty() ? &*screen_ : nullptr;
}

void StudyModels::ShareScreen(uint64_t index) {
  // From now on all searches begin with one screen, at which predictions are kept up to date.
  screen_ = SharedScreen(*view_.space, *main_, CounterRandomBits(seed_, index, kScreenLane),
                         view_.open.size() > kMostForLargeScreen);
  if (screen_->configurations.empty()) return;
  main_->Remember(screen_->x);
  if (without_.has_value()) without_->Remember(screen_->x);
}

std::string StudyModels::WhyWithoutSources(bool is_asked) const {
  if (!is_asked) return "no model asked for this point";
  if (!asks_without_) return "";
  return evidence_.share() < kLeastShare
             ? "the model with source tasks weighs too little to be asked"
             : "it is the turn of the model without source tasks";
}

void StudyModels::Describe(const ObjectiveModel& main, bool is_asked,
                           Provenance& provenance) const {
  provenance.sources = main.SourceWeights();
  AppendAll((is_asked && asks_without_ ? *without_ : main).Facts(), provenance.facts);
  if (without_.has_value()) {
    for (SourceWeight& source : provenance.sources) source.weight *= evidence_.share();
    AppendAll(evidence_.Facts(), provenance.facts);
    if (provenance.sources.empty()) {
      provenance.facts.push_back(
          {"sources_unused", std::string("the model with source tasks gives each a weight of 0")});
    }
  }
  std::string why_without = WhyWithoutSources(is_asked);
  if (!provenance.sources.empty() && !why_without.empty()) {
    provenance.sources.clear();
    provenance.facts.push_back({"sources_unused_here", std::move(why_without)});
  }
  if (with_transfer_) AppendAll(usable_.Facts(), provenance.facts);
}

Notes StudyModels::NotesOf(const Configuration& configuration) const {
  if (!without_.has_value()) return {};
  const PointMatrix point = EncodeAll(*view_.space, absl::MakeConstSpan(&configuration, 1));
  return {ForecastNote({ForecastAt(*without_, point), ForecastAt(*main_, point)}, evidence_.initial,
                       without_->transform())};
}

}  // namespace slipstream
