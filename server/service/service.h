// The service behind the wire, free of any transport: requests and answers are
// messages, errors are absl::Status with an InvalidField where a field is
// wrong. See proto/slipstream/v1/services.proto for what each call does.
//
// Every call answers through `done`, exactly once, perhaps before it returns
// and perhaps later on another thread; request and response must live until
// then. Thread-safe. Destroy the service only when every call was answered.
#ifndef SLIPSTREAM_SERVER_SERVICE_SERVICE_H_
#define SLIPSTREAM_SERVER_SERVICE_SERVICE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/empty.pb.h"
#include "server/convert/resource_name.h"
#include "server/service/catalog.h"
#include "server/service/executor.h"
#include "server/service/history.h"
#include "server/service/source_fitting.h"
#include "server/service/source_task_upload.h"
#include "server/service/suggest_queue.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

struct ServiceOptions {
  // Shown in provenance.
  std::string version;
  // Threads that read the store, and that compute suggestions.
  int read_threads = 2;
  int compute_threads = 2;
  // Reads and computations that may wait; more get RESOURCE_EXHAUSTED.
  size_t max_waiting_reads = 4096;
  size_t max_waiting_computations = 4096;
  // Bytes of studies, source tasks and histories kept ready for use.
  size_t study_cache_bytes = size_t{16} << 20;
  size_t source_cache_bytes = size_t{64} << 20;
  size_t history_cache_bytes = size_t{16} << 20;
  // Bytes of models of source tasks, and how many fits of them, and studies that
  // want to work on them together, may wait.
  size_t fitted_source_bytes = size_t{832} << 20;
  size_t max_waiting_fits = 10000;
  // Runs once on the thread that fits source tasks, to lower its priority.
  std::function<void()> on_fitting_thread = {};
  // The longest message that may be sent.
  size_t max_answer_bytes = size_t{16} << 20;
  // How long suggestions may be computed.
  absl::Duration suggest_budget = absl::Seconds(5);
};

class Service {
 public:
  using Done = std::function<void(absl::Status)>;

  // `store` must outlive the service.
  Service(Store* store, ServiceOptions options);

  // Of the suggestions computed so far.
  const LadderCounts& ladder() const { return suggest_queue_.ladder(); }
  // Whether models of source tasks are being fitted, or studies made ready to use them.
  bool preparing_sources() const { return fitting_.busy(); }

  void CreateStudy(const v1::CreateStudyRequest* request, v1::Study* response, Done done);
  void GetStudy(const v1::GetStudyRequest* request, v1::Study* response, Done done);
  void ListStudies(const v1::ListStudiesRequest* request, v1::ListStudiesResponse* response,
                   Done done);
  void UpdateStudy(const v1::UpdateStudyRequest* request, v1::Study* response, Done done);
  void DeleteStudy(const v1::DeleteStudyRequest* request, google::protobuf::Empty* response,
                   Done done);

  void Suggest(const v1::SuggestRequest* request, v1::SuggestResponse* response, Done done);
  void Observe(const v1::ObserveRequest* request, v1::Trial* response, Done done);
  void AddTrials(const v1::AddTrialsRequest* request, v1::AddTrialsResponse* response, Done done);
  void GetTrial(const v1::GetTrialRequest* request, v1::Trial* response, Done done);
  void ListTrials(const v1::ListTrialsRequest* request, v1::ListTrialsResponse* response,
                  Done done);
  void BestTrials(const v1::BestTrialsRequest* request, v1::BestTrialsResponse* response,
                  Done done);
  void Explain(const v1::ExplainRequest* request, v1::Explanation* response, Done done);
  void ListPresets(const v1::ListPresetsRequest* request, v1::ListPresetsResponse* response,
                   Done done);

  // Registers what `upload` has collected.
  void RegisterSourceTask(std::unique_ptr<SourceTaskUpload> upload,
                          v1::RegisterSourceTaskResponse* response, Done done);
  void GetSourceTask(const v1::GetSourceTaskRequest* request, v1::SourceTask* response, Done done);
  void ListSourceTasks(const v1::ListSourceTasksRequest* request,
                       v1::ListSourceTasksResponse* response, Done done);
  void DeleteSourceTask(const v1::DeleteSourceTaskRequest* request,
                        google::protobuf::Empty* response, Done done);

 private:
  using Study = std::shared_ptr<const CatalogStudy>;

  // Runs `work` on a reading thread and answers with its status.
  void Read(Done done, std::function<absl::Status()> work);
  // Calls `next` with the study: at once if it is at hand, else from a reading
  // thread. Answers `done` itself when there is no such study.
  void WithStudy(const std::string& id, const Done& done, std::function<void(Study)> next);
  absl::Status PrepareStudy(const v1::CreateStudyRequest& request, NewStudy* study,
                            bool* uses_fits);
  absl::Status CheckSources(const StudyDefinition& definition);
  // In the background: asks for the fits of the study's sources, false if it needs
  // none; and has its strategy work out what it makes of them together.
  bool FitSourcesOf(const StudyDefinition& definition);
  void PrepareTransfer(const std::string& study_id);
  absl::Status FillStudy(const StudyRecord& record, bool with_candidates, v1::Study* response);
  void StoreOutcome(const Study& study, const v1::ObserveRequest& request, int64_t number,
                    v1::Trial* response, Done done);
  void ReadEnded(TrialName name, v1::Trial* response, Done done);
  void StoreAddedTrials(const Study& study, const v1::AddTrialsRequest& request,
                        v1::AddTrialsResponse* response, Done done);
  void FitRegistered(const std::string& id);
  absl::Status ValidateOnly(const NewSourceTask& task, v1::RegisterSourceTaskResponse* response);

  Store* const store_;
  const ServiceOptions options_;
  Catalog catalog_;
  SourceFitting fitting_;
  HistoryCache histories_;
  Executor computations_;
  SuggestQueue suggest_queue_;
  Executor reads_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SERVICE_H_
