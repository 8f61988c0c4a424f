// The models of a study during one call for suggestions: fitted once, then told each suggestion.
#ifndef SLIPSTREAM_CORE_STRATEGY_STUDY_MODELS_H_
#define SLIPSTREAM_CORE_STRATEGY_STUDY_MODELS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/base/deadline.h"
#include "core/calibration/calibration.h"
#include "core/calibration/lengthscale_rule.h"
#include "core/exploration/exploration.h"
#include "core/optim/space_maximizer.h"
#include "core/prior/prior.h"
#include "core/recipe/recipe.h"
#include "core/sources/usable_sources.h"
#include "core/strategy/calibration_cache.h"
#include "core/strategy/mixed_model.h"
#include "core/strategy/objective_model.h"
#include "core/strategy/strategy.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

// The parts of a strategy that all of its calls share.
struct StrategyParts {
  const Recipe& recipe;
  const Calibration& calibration;
  const Calibration& beside_sources;  // That of models with sources.
  // Finds the most probable hyperparameters, by which scales of results are compared.
  const Calibration& judge;
  const LengthscaleRule* rule = nullptr;
  const Exploration& exploration;
  const Prior* prior = nullptr;  // Null without transfer.
  CalibrationCache& cache;
  // Begins with what served the source tasks best.
  const Strategy& zero_shot;
};

// The number of results that must be there before a model is asked. A model without sources needs
// more of them in spaces with categories and branches before it can tell which of these matter.
size_t InitialResults(const StudyView& view, const Recipe& recipe);

// The same where the study's sources are of no use.
size_t InitialResultsAlone(StudyView view, const Recipe& recipe);

// Marks a suggestion of the start, for priors that count rounds after it.
Note OfStartNote();

size_t CountResults(const StudyView& view);

// Whether suggestions are still the start's, and no model is asked. Unless the recipe says how many
// results its start has, two trials that failed or are infeasible make up for a missing result,
// from two results on. The start goes on while all results are equal, which tell a model without
// sources nothing.
bool IsEarly(const StudyView& view, const Recipe& recipe);

// The same where the study's sources are of no use.
bool IsEarlyAlone(StudyView view, const Recipe& recipe);

// FAILED_PRECONDITION where there is nowhere to get fitted sources from; else as
// CollectUsableSources.
absl::StatusOr<UsableSources> SourcesOf(const StudyView& view, const SourceFitOptions& options);

class StudyModels {
 public:
  // All that `parts` and `view` refer to must outlive it.
  StudyModels(const StudyView& view, const StrategyParts& parts, uint64_t seed);

  // Fits what is not there yet and adds those of `made`, which grows from call to call, that are
  // not in the models. Afterwards there is a main model. When it fails, Forget is to be called.
  // Errors as ObjectiveModel::Fit, and with transfer as SourcesOf.
  absl::Status Update(bool with_transfer, absl::Span<const Suggestion> made, uint64_t index,
                      const Deadline& deadline);
  void Forget();

  // With the sources, if there is transfer.
  const ObjectiveModel& main() const { return *main_; }
  // The model that a suggestion is to be asked of: the main one, the one without sources, or both.
  // Refers to this.
  const SearchedModel& AskedAt(int64_t round);
  // Whether the suggestion after so many is to fill the space evenly, so that the models can be
  // told apart. With a guard, and less than three results, the third, the fifth and so on are,
  // unless the start has others; later ones are while results speak against the sources. In spaces
  // with categories or conditions every third one is, too: results that gather where the sources
  // were best never show what other categories are worth. There, once there are as many trials as
  // a study without sources begins with, only every second one is besides, while results speak
  // against the sources. In all there are at most so many; people's own trials count as well,
  // unless they failed.
  bool WantsContrastAt(int64_t suggested, absl::Span<const Suggestion> made) const;
  // The note that marks such a suggestion on its trial.
  static Note ContrastNote();
  // Whether all results of each source are equal, so that sources do not tell where it is better.
  bool SourcesTellNothing() const;
  // Which model that was, where there are two.
  bool has_two() const { return without_.has_value(); }
  Fact AskedFact() const;
  // Null unless searches share one.
  const Screen* screen() const;

  // How the models came about, `main` standing for the main one, and which sources the suggestion
  // uses: none if no model `is_asked` for its point, or the one without sources.
  void Describe(const ObjectiveModel& main, bool is_asked, Provenance& provenance) const;
  // The notes to be kept on the trial of a suggestion at this configuration.
  Notes NotesOf(const Configuration& configuration) const;

 private:
  // Why a suggestion does not use sources that the main model gives weights; empty if it does.
  std::string WhyWithoutSources(bool is_asked) const;
  // Whether the recipe wants a model without sources beside that with them.
  bool has_guard() const { return parts_.recipe.model_options().transfer_guard; }
  // The model without sources is asked at rounds that are multiples of this.
  int64_t GuardPeriod() const;
  absl::Status Fit(bool with_transfer, const Deadline& deadline);
  absl::Status FitWithSources(const Deadline& deadline);
  ObjectiveModelRequest RequestFor(const StudyView& view, const Calibration& calibration,
                                   const Deadline& deadline) const;
  // The model where all results are of one configuration. They lie where the sources expect them
  // to, and hyperparameters are those from before there were any: the results of one configuration
  // reveal nothing of what sources know, as these may be on any scale.
  absl::StatusOr<ObjectiveModel> FitToOneConfiguration(ObjectiveModelRequest request) const;
  // The logarithm of how much likelier the results are with sources: those that the model with
  // sources was calibrated to, the first ones of many. 0 where it was calibrated to more than
  // results.
  double LogLikelihoodRatio() const;
  void ShareScreen(uint64_t index);

  const StudyView& view_;
  const StrategyParts& parts_;
  uint64_t seed_;
  UsableSources usable_;
  std::optional<ObjectiveModel> main_;
  // Beside a main one with sources, if the recipe wants that and there are results.
  std::optional<ObjectiveModel> without_;
  TransferEvidence evidence_;
  std::optional<MixedModel> mixed_;
  bool asks_without_ = false;     // The next one is from the model without sources alone.
  std::optional<Screen> screen_;  // Once the model absorbs what is pending.
  size_t pending_ = 0;            // Suggestions that the models know.
  bool with_transfer_ = false;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_STUDY_MODELS_H_
