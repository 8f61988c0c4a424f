#include "server/service/suggestion_work.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/convert/trial_conversion.h"

namespace slipstream {
namespace {

// A strategy that does not look at results makes some suggestions more than it was asked for, as
// one costs microseconds, and those that are there can be leased without being planned. Their
// number doubles each time that all of them were used.
constexpr int64_t kFewestFurther = 8;
constexpr int64_t kMostFurther = 256;

}  // namespace

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

// Has sources fitted that were not ready.
SuggestionWork::~SuggestionWork() {
  if (is_ahead_ || provider_->all_ready()) return;  // Those who use them ask again.
  OrOutOfMemory([this] {
    context_.on_unready_sources(study_->id);
    return absl::OkStatus();
  }).IgnoreError();
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
  const bool with_results = of.strategy->ReadsHistory(*view.space);
  if (with_results) {
    SLIPSTREAM_ASSIGN_OR_RETURN(work->history_, context.histories->Get(of, head.late_count));
    view.ended = work->history_->ended();
    view.open = work->history_->open();
  }
  work->made_for_ = {{head.trial_count, head.suggested_count,
                      static_cast<int64_t>(view.ended.size()),
                      static_cast<int64_t>(view.open.size()), head.late_count},
                     {},
                     !with_results};
  for (const OpenTrial& trial : view.open) work->made_for_.open.push_back(trial.number);
  if (context.prepared != nullptr && !is_ahead) work->FindPrepared(count);
  if (!work->prepared_.empty()) return work;
  SLIPSTREAM_ASSIGN_OR_RETURN(work->run_, OrOutOfMemory([&] {
                                return of.strategy->Start(view, count + work->further_,
                                                          of.definition.seed);
                              }));
  return work;
}

void SuggestionWork::FindPrepared(int count) {
  prepared_ = context_.prepared->Find(study_->key, made_for_.version, count);
  if (!prepared_.empty() || !made_for_.without_results || !context_.options->prepare_ahead) return;
  further_ = static_cast<int>(std::clamp(2 * context_.prepared->UsedUp(study_->key),
                                         kFewestFurther, kMostFurther));
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
  if (!made.empty()) Keep(made);
}

void SuggestionWork::KeepFurther() {
  if (further_ > 0) Keep(Made());
}

// Without memory for it, the next callers have theirs made anew.
void SuggestionWork::Keep(absl::Span<const Suggestion> suggestions) {
  const absl::Status kept = OrOutOfMemory([&] {
    std::vector<PreparedSuggestion> prepared;
    for (Suggestion suggestion : suggestions) {
      // As if each had been asked for alone.
      if (made_for_.without_results) {
        suggestion.provenance.last_trial_seen =
            made_for_.version.trials + static_cast<int64_t>(prepared.size());
      }
      NewTrial trial =
          SuggestedTrial(*study_->definition.space, suggestion, context_.options->version);
      prepared.push_back({std::move(suggestion), std::move(trial)});
    }
    context_.prepared->Put(study_->key, made_for_, std::move(prepared));
    return absl::OkStatus();
  });
  if (!kept.ok()) context_.prepared->Forget(study_->key);
}

absl::StatusOr<bool> SuggestionWork::Advance(int count, const Deadline& deadline,
                                             const std::function<bool()>& ends_turn) {
  if (run_ == nullptr) return true;
  return OrOutOfMemory([&] { return run_->Advance(count + further_, deadline, ends_turn); });
}

absl::StatusOr<bool> SuggestionWork::TakeTurn(int count, const Deadline& deadline) {
  const Deadline turn = Deadline::In(context_.options->suggest_turn);
  const bool has_turns = context_.executor != nullptr;
  return Advance(count, deadline,
                 [&] { return deadline.has_passed() || (has_turns && turn.has_passed()); });
}

absl::StatusOr<bool> SuggestionWork::Finish(int count, const Deadline& deadline) {
  return Advance(count, deadline, [] { return false; });
}

}  // namespace slipstream
