// One batch of Suggest calls of one study, from the plan to the commit:
// answers from before, the workers' own trials, queued trials, new suggestions.
#ifndef SLIPSTREAM_SERVER_SERVICE_LEASE_BATCH_H_
#define SLIPSTREAM_SERVER_SERVICE_LEASE_BATCH_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/sources/fitted_source.h"
#include "core/strategy/strategy.h"
#include "server/service/catalog.h"
#include "server/service/history.h"
#include "server/service/ladder_counts.h"
#include "server/service/suggest_queue.h"
#include "server/store/store.h"

namespace slipstream {

// What a batch works with; all of it outlives the batch.
struct LeaseBatchContext {
  Store* store = nullptr;
  Catalog* catalog = nullptr;
  SourceProvider* sources = nullptr;
  HistoryCache* histories = nullptr;
  std::string version;
  absl::Duration budget;
  std::function<void(const std::string& study_id)> on_unready_sources;
  LadderCounts* ladder = nullptr;
  size_t max_answer_bytes = 0;
};

// Lives from Start until it has called `finished`, once, with the calls that
// were overtaken by other changes and are to be tried again; all other calls
// were answered.
class LeaseBatchWork : public std::enable_shared_from_this<LeaseBatchWork> {
 public:
  using Finished = std::function<void(std::vector<SuggestCall>)>;

  static void Start(LeaseBatchContext context, std::string study_id, std::vector<SuggestCall> calls,
                    Finished finished);

 private:
  LeaseBatchWork(LeaseBatchContext context, std::string study_id, std::vector<SuggestCall> calls,
                 Finished finished)
      : context_(std::move(context)),
        study_id_(std::move(study_id)),
        calls_(std::move(calls)),
        finished_(std::move(finished)) {}

  // Whether there is something to commit; what is not is rendered already.
  absl::StatusOr<bool> Run();
  void AnswerRepeats();
  void RefuseTooMany();
  absl::Status Plan();
  void HandOutWhatIsThere();
  absl::Status RenderWhilePaused();
  absl::Status MakeSuggestions();
  absl::StatusOr<std::vector<Suggestion>> AskStrategy(int count);
  void Distribute(std::vector<Suggestion> suggestions, const absl::Status& none_left);
  void Commit();
  void Committed(absl::Status status);
  int Missing(size_t call) const;
  std::string Render(size_t call, const std::vector<TrialRecord>& trials);

  const LeaseBatchContext context_;
  const std::string study_id_;
  std::vector<SuggestCall> calls_;  // Those still to be answered, one for each grant.
  Finished finished_;
  std::shared_ptr<const CatalogStudy> study_;
  LeasePlan plan_;
  std::vector<LeaseGrant> grants_;
  std::vector<absl::Status> rendered_;  // Of each call's response.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LEASE_BATCH_H_
