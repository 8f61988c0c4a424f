// The services and all that they share, put together for one store.
//
//   Service service(store.get(), ServiceOptions());
//   service.studies().GetStudy(&request, &response, done);
//
// Thread-safe. Destroy it only when every call has been answered.
#ifndef SLIPSTREAM_SERVER_SERVICE_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_SERVICE_H_

#include <atomic>
#include <cstdint>
#include <stop_token>

#include "server/service/backup_service.h"
#include "server/service/catalog.h"
#include "server/service/event_feed.h"
#include "server/service/exchange_service.h"
#include "server/service/executor.h"
#include "server/service/history.h"
#include "server/service/ladder_counts.h"
#include "server/service/learning_curves.h"
#include "server/service/lease_service.h"
#include "server/service/lease_sweeper.h"
#include "server/service/report_service.h"
#include "server/service/retention_sweeper.h"
#include "server/service/service_figures.h"
#include "server/service/service_options.h"
#include "server/service/source_fitting.h"
#include "server/service/source_task_service.h"
#include "server/service/status_service.h"
#include "server/service/study_service.h"
#include "server/service/suggest_queue.h"
#include "server/service/transfer_preparation.h"
#include "server/service/trial_service.h"
#include "server/service/watch_service.h"
#include "server/store/store.h"

namespace slipstream {

class Service {
 public:
  // `store` must outlive the service.
  Service(Store* store, ServiceOptions options);
  // All calls have been answered. Waits until the store's callbacks have returned.
  ~Service();

  // Ends what is being computed: Suggest calls, present and later ones, are answered UNAVAILABLE
  // and lease nothing; fits of source tasks are given up. Returns at once.
  void StopComputing();

  StudyService& studies() { return studies_; }
  TrialService& trials() { return trials_; }
  SourceTaskService& source_tasks() { return source_tasks_; }
  LeaseService& leases() { return leases_; }
  ReportService& reports() { return reports_; }
  WatchService& watches() { return watches_; }
  ExchangeService& exchange() { return exchange_; }
  BackupService& backups() { return backups_; }
  StatusService& status() { return status_; }

  const ServiceOptions& options() const { return options_; }
  // Returns when no suggestion is being computed or waits to be.
  void WaitUntilComputed() { suggest_queue_.WaitUntilIdle(); }
  // Counts the suggestions computed so far.
  const LadderCounts& ladder() const { return ladder_; }
  // What goes on at present, and what has happened so far. Waits for nothing.
  ServiceFigures Figures();
  // Counts and reports what a sweep of leases has done. To be called after each that others than
  // the service have the store make.
  void NoteSweep(const LeaseSweep& sweep);

 private:
  Store* const store_;
  const ServiceOptions options_;
  std::stop_source stop_;
  LadderCounts ladder_;
  std::atomic<int64_t> stale_leases_{0};
  std::atomic<int64_t> queued_again_{0};
  std::atomic<int64_t> lease_clock_gaps_{0};
  PreparedSuggestions prepared_;
  Catalog catalog_;
  SourceFitting fitting_;
  HistoryCache histories_;
  LearningCurves curves_;
  TransferPreparation transfer_;
  StudyService studies_;
  TrialService trials_;
  SourceTaskService source_tasks_;
  LeaseService leases_;
  ReportService reports_;
  WatchService watches_;
  ExchangeService exchange_;
  StatusService status_;
  BackupService backups_;
  // Declared after all that their tasks use: their destructors run what waits.
  Executor computations_;
  SuggestQueue suggest_queue_;
  Executor reads_;
  EventFeed feed_;
  LeaseSweeper sweeper_;
  RetentionSweeper retention_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SERVICE_H_
