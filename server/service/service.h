// The three services and all that they share, put together for one store.
//
//   Service service(store.get(), ServiceOptions());
//   service.studies().GetStudy(&request, &response, done);
//
// Thread-safe. Destroy it only when every call has been answered.
#ifndef SLIPSTREAM_SERVER_SERVICE_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_SERVICE_H_

#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/history.h"
#include "server/service/ladder_counts.h"
#include "server/service/service_options.h"
#include "server/service/source_fitting.h"
#include "server/service/source_task_service.h"
#include "server/service/study_service.h"
#include "server/service/suggest_queue.h"
#include "server/service/transfer_preparation.h"
#include "server/service/trial_service.h"
#include "server/store/store.h"

namespace slipstream {

class Service {
 public:
  // `store` must outlive the service.
  Service(Store* store, ServiceOptions options);
  // All calls have been answered. Waits until the store's callbacks have returned.
  ~Service();

  StudyService& studies() { return studies_; }
  TrialService& trials() { return trials_; }
  SourceTaskService& source_tasks() { return source_tasks_; }

  const ServiceOptions& options() const { return options_; }
  // Counts the suggestions computed so far.
  const LadderCounts& ladder() const { return ladder_; }

 private:
  Store* const store_;
  const ServiceOptions options_;
  LadderCounts ladder_;
  Catalog catalog_;
  SourceFitting fitting_;
  HistoryCache histories_;
  TransferPreparation transfer_;
  StudyService studies_;
  TrialService trials_;
  SourceTaskService source_tasks_;
  // Declared after all that their tasks use: their destructors run what waits.
  Executor computations_;
  SuggestQueue suggest_queue_;
  Executor reads_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SERVICE_H_
