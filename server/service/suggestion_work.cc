#include "server/service/suggestion_work.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"

namespace slipstream {

// Records whether a source was asked for that is not ready.
class SuggestionWork::ReadinessRecorder : public SourceProvider {
 public:
  explicit ReadinessRecorder(SourceProvider* provider) : provider_(*provider) {}

  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace& space,
      const SourceFitOptions& options) override {
    absl::StatusOr<std::shared_ptr<const FittedSource>> fitted =
        provider_.Get(source, space, options);
    if (absl::IsUnavailable(fitted.status())) all_ready_ = false;
    return fitted;
  }
  bool all_ready() const { return all_ready_; }

 private:
  SourceProvider& provider_;
  std::atomic<bool> all_ready_{true};
};

SuggestionWork::SuggestionWork(const LeaseBatchContext& context,
                               std::shared_ptr<const CatalogStudy> study, SourceTasks sources)
    : context_(context),
      study_(std::move(study)),
      sources_(std::move(sources)),
      provider_(std::make_unique<ReadinessRecorder>(context.sources)) {}

void SuggestionWork::Count(const Provenance& provenance) const {
  context_.ladder->Count(provenance.rung);
  if (!sources_.empty()) {
    double weight = 0;
    for (const SourceWeight& source : provenance.sources) weight += source.weight;
    context_.ladder->CountTransfer(weight);
  }
  if (provenance.rung != Rung::kRecipe && context_.options->on_step_down) {
    context_.options->on_step_down(study_->id, provenance.rung, provenance.rung_reason);
  }
}

// Counts what was made, and has sources fitted that were not ready.
SuggestionWork::~SuggestionWork() {
  if (is_ahead_) return;  // Those who use them count them.
  for (const Suggestion& suggestion : Made()) Count(suggestion.provenance);
  if (!provider_->all_ready()) context_.on_unready_sources(study_->id);
}

absl::StatusOr<std::unique_ptr<SuggestionWork>> SuggestionWork::Start(
    const LeaseBatchContext& context, std::shared_ptr<const CatalogStudy> study,
    const StudyRecord& head, int count, bool is_ahead) {
  SLIPSTREAM_ASSIGN_OR_RETURN(SourceTasks sources, context.catalog->GetSourcesOf(*study));
  std::unique_ptr<SuggestionWork> work(
      new SuggestionWork(context, std::move(study), std::move(sources)));
  work->is_ahead_ = is_ahead;
  const CatalogStudy& of = *work->study_;
  StudyView view = of.View(work->sources_, work->provider_.get());
  view.last_trial = head.trial_count;
  view.suggested = head.suggested_count;
  if (of.strategy->ReadsHistory(*view.space)) {
    SLIPSTREAM_ASSIGN_OR_RETURN(work->history_, context.histories->Get(of, head.late_count));
    view.ended = work->history_->ended();
    view.open = work->history_->open();
    work->version_ = {head.trial_count, head.suggested_count,
                      static_cast<int64_t>(view.ended.size()),
                      static_cast<int64_t>(view.open.size()), head.late_count};
    if (context.prepared != nullptr && !is_ahead) {
      work->prepared_ = context.prepared->Find(of.key, work->version_, count);
    }
    if (!work->prepared_.empty()) {
      context.prepared->CountUsed(of.key, count);
      return work;
    }
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(work->run_, OrOutOfMemory([&] {
                                return of.strategy->Start(view, count, of.definition.seed);
                              }));
  return work;
}

// Leaves out those for which the recipe, or its search, had too little time, or whose sources were
// not ready, and all after them.
void SuggestionWork::KeepAhead() {
  std::vector<Suggestion> made = Made();
  const auto late = std::find_if(made.begin(), made.end(), [](const Suggestion& suggestion) {
    const std::vector<Fact>& facts = suggestion.provenance.facts;
    return !suggestion.provenance.rung_reason.empty() ||
           std::any_of(facts.begin(), facts.end(),
                       [](const Fact& fact) {
                         return fact.name == kCutShortFact || fact.name == kInsteadOfModelFact;
                       });
  });
  made.erase(late, made.end());
  if (!made.empty()) context_.prepared->Put(study_->key, version_, std::move(made));
}

absl::StatusOr<bool> SuggestionWork::TakeTurn(int count, const Deadline& deadline) {
  if (run_ == nullptr) return true;
  const Deadline turn = Deadline::In(context_.options->suggest_turn);
  const bool has_turns = context_.executor != nullptr;
  return OrOutOfMemory([&] {
    return run_->Advance(count, deadline,
                         [&] { return deadline.has_passed() || (has_turns && turn.has_passed()); });
  });
}

absl::StatusOr<bool> SuggestionWork::Finish(int count, const Deadline& deadline) {
  if (run_ == nullptr) return true;
  return OrOutOfMemory([&] { return run_->Advance(count, deadline, [] { return false; }); });
}

}  // namespace slipstream
