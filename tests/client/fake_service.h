// An in-memory Slipstream server on a real loopback socket that fails on demand.
// It keeps studies, trials and source tasks, and returns the first response again
// for a repeated request id; it validates next to nothing.
#ifndef SLIPSTREAM_TESTS_CLIENT_FAKE_SERVICE_H_
#define SLIPSTREAM_TESTS_CLIENT_FAKE_SERVICE_H_

#include <grpcpp/server.h>
#include <grpcpp/server_context.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "slipstream/v1/errors.pb.h"
#include "slipstream/v1/services.grpc.pb.h"

namespace slipstream {

// The way in which one call fails.
struct Fault {
  grpc::Status status = grpc::Status::OK;  // The status to return, unless OK.
  bool lost_answer = false;                // The work is done before the call fails.
  bool hold = false;                       // No response until the client gives up.
};

// A call as the server received it.
struct SeenCall {
  std::string method;
  std::string request_id;
  std::string peer;  // Differs for each connection.
  std::string authorization = {};
};

// A status with a violation in its trailer, like the real server's.
grpc::Status BadRequestStatus(const std::string& message, const v1::FieldViolation& violation);

// A refusal by a quota, like the real server's.
grpc::Status QuotaStatus(const std::string& message, const std::string& quota);

// Refusals as no candidate is left, the study has too many trials, or the trial has another
// outcome, like the real server's.
grpc::Status UsedUpStatus(const std::string& message);
grpc::Status TrialLimitStatus(const std::string& message);
grpc::Status OtherOutcomeStatus(const std::string& message);

// Thread-safe.
class FakeService final : public v1::OptimizationService::Service {
 public:
  // Each of the next calls fails in this way.
  void FailNext(int times, const Fault& fault);
  // All calls from now on return this status.
  void FailAlways(const grpc::Status& status);
  // Releases all calls that are held, now and later.
  void Release();

  std::vector<SeenCall> calls() const;
  // The last registration's number of observations per message, including the
  // header's message, and the size of its largest message in bytes.
  std::vector<int> chunks() const;
  size_t largest_message() const;

  v1::Study AddStudy(v1::Study study);
  v1::Trial AddTrial(const std::string& study, v1::Trial trial);
  // `observations`, if any, is what ListSourceObservations tells of it; then the task is what a
  // later registration with its origin answers.
  v1::SourceTask AddSource(v1::SourceTask task, std::vector<v1::Observation> observations = {});
  size_t study_count() const;
  std::vector<v1::Trial> trials(const std::string& study) const;
  // The last registration's observations.
  std::vector<v1::Observation> observations() const;
  // What ExportStudy tells, two lines in a message, and what the last ImportStudy sent.
  void SetExport(std::vector<v1::ExportLine> lines);
  // Every export from now on breaks with UNAVAILABLE after so many messages, `times` times.
  void BreakExports(int times, int messages);
  std::vector<v1::ImportStudyRequest> import() const;
  // The changes of trials that were made.
  std::vector<v1::UpdateTrialRequest> updates() const;
  // Gives the trial to another worker.
  void TakeAway(const std::string& trial);
  // As if its study had been deleted and another one had got as far since.
  void ReplaceTrial(const std::string& trial);
  // The same as soon as GetTrial has told of the trial.
  void ReplaceTrialOnceRead(const std::string& trial);
  // The same, where the callers tell of the study rather than of the trial.
  void ReplaceStudy(const std::string& study);
  // What WatchStudy tells from now on, whatever the token.
  void SetEvents(std::vector<v1::StudyEvent> events);
  // From now on every page names itself as the next page.
  void RepeatPagesForever();

 private:
  using Context = grpc::ServerContext;
  using Status = grpc::Status;

  Status CreateStudy(Context*, const v1::CreateStudyRequest*, v1::Study*) override;
  Status GetStudy(Context*, const v1::GetStudyRequest*, v1::Study*) override;
  Status ListStudies(Context*, const v1::ListStudiesRequest*, v1::ListStudiesResponse*) override;
  Status UpdateStudy(Context*, const v1::UpdateStudyRequest*, v1::Study*) override;
  Status DeleteStudy(Context*, const v1::DeleteStudyRequest*, google::protobuf::Empty*) override;
  Status ExportStudy(Context*, const v1::ExportStudyRequest*,
                     grpc::ServerWriter<v1::ExportStudyResponse>*) override;
  Status ImportStudy(Context*, grpc::ServerReader<v1::ImportStudyRequest>*, v1::Study*) override;
  Status Suggest(Context*, const v1::SuggestRequest*, v1::SuggestResponse*) override;
  Status Heartbeat(Context*, const v1::HeartbeatRequest*, v1::HeartbeatResponse*) override;
  Status ReleaseTrials(Context*, const v1::ReleaseTrialsRequest*,
                       v1::ReleaseTrialsResponse*) override;
  Status Report(Context*, const v1::ReportRequest*, v1::ReportResponse*) override;
  Status ListReports(Context*, const v1::ListReportsRequest*, v1::ListReportsResponse*) override;
  Status ShouldStop(Context*, const v1::ShouldStopRequest*, v1::ShouldStopResponse*) override;
  Status UpdateTrial(Context*, const v1::UpdateTrialRequest*, v1::Trial*) override;
  Status Observe(Context*, const v1::ObserveRequest*, v1::Trial*) override;
  Status AddTrials(Context*, const v1::AddTrialsRequest*, v1::AddTrialsResponse*) override;
  Status GetTrial(Context*, const v1::GetTrialRequest*, v1::Trial*) override;
  Status ListTrials(Context*, const v1::ListTrialsRequest*, v1::ListTrialsResponse*) override;
  Status BestTrials(Context*, const v1::BestTrialsRequest*, v1::BestTrialsResponse*) override;
  Status Explain(Context*, const v1::ExplainRequest*, v1::Explanation*) override;
  // Tells one event for each trial that there is, from the token on, then that the server
  // is busy or, once all have been told, that the study is gone.
  Status WatchStudy(Context*, const v1::WatchStudyRequest*,
                    grpc::ServerWriter<v1::WatchResponse>*) override;
  Status ListPresets(Context*, const v1::ListPresetsRequest*, v1::ListPresetsResponse*) override;
  Status RegisterSourceTask(Context*, grpc::ServerReader<v1::RegisterSourceTaskRequest>*,
                            v1::RegisterSourceTaskResponse*) override;
  Status GetSourceTask(Context*, const v1::GetSourceTaskRequest*, v1::SourceTask*) override;
  Status ListSourceTasks(Context*, const v1::ListSourceTasksRequest*,
                         v1::ListSourceTasksResponse*) override;
  // Those that the task was added with, or those that were registered last.
  Status ListSourceObservations(Context*, const v1::ListSourceObservationsRequest*,
                                v1::ListSourceObservationsResponse*) override;
  // A status with one of each, of a server that refuses changes.
  Status GetServerStatus(Context*, const v1::GetServerStatusRequest*, v1::ServerStatus*) override;
  // A backup of the name that was asked for, of 5 MiB.
  Status BackupStore(Context*, const v1::BackupStoreRequest*, v1::BackupStoreResponse*) override;
  Status DeleteSourceTask(Context*, const v1::DeleteSourceTaskRequest*,
                          google::protobuf::Empty*) override;

  // Records the call, applies the next fault and does `work` under the lock.
  Status Answer(Context* context, const char* method, const std::string& request_id,
                google::protobuf::Message* response, const std::function<Status()>& work);
  // Does `work`, or returns the response that it gave to this id before.
  Status WorkOnce(const std::string& request_id, google::protobuf::Message* response,
                  const std::function<Status()>& work);
  Fault NextFault(const SeenCall& call);
  v1::Trial& NewTrial(const std::string& study);
  v1::Trial* FindTrial(const std::string& name);
  // The trial, if it was created when the request says so.
  template <typename Request>
  v1::Trial* FindMeant(const Request& request);
  // Whether the study was created when the request says so.
  template <typename Request>
  bool IsMeant(const std::string& study, const Request& request) const;
  template <typename Elements, typename Request, typename Response, typename Add>
  Status Page(const Elements& elements, const Request& request, Response* response,
              const Add& add) const;

  mutable std::mutex mutex_;
  std::deque<Fault> faults_;
  Status always_ = Status::OK;
  bool endless_pages_ = false;
  int64_t created_ = 0;  // Trials so far.
  absl::Notification released_;
  std::string replaced_once_read_;  // A trial's name.
  std::vector<SeenCall> calls_;
  std::map<std::string, std::string> answers_;  // Serialized, by request id.
  std::vector<v1::Study> studies_;
  std::map<std::string, std::vector<v1::Trial>> trials_;    // By study.
  std::map<std::string, v1::ListReportsResponse> reports_;  // By trial.
  std::vector<v1::UpdateTrialRequest> updates_;
  std::vector<v1::SourceTask> sources_;
  std::map<std::string, std::vector<v1::Observation>> observations_of_;  // By the task's name.
  std::vector<v1::StudyEvent> events_;
  std::vector<v1::ExportLine> export_;
  int breaking_exports_ = 0;
  int messages_before_break_ = 0;
  std::vector<v1::ImportStudyRequest> import_;
  std::vector<v1::Observation> observations_;
  std::vector<int> chunks_;
  size_t largest_message_ = 0;
};

// Serves on a free port of 127.0.0.1 for its lifetime.
class FakeServer {
 public:
  FakeServer();
  ~FakeServer();

  FakeService& service() { return service_; }
  std::string address() const;
  // Starts threads for so many calls at once, which then wait for calls. It releases the calls
  // that are held.
  void StartThreads(int count);

 private:
  FakeService service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

// A study with the space "lr=double:0..1", "kernel=categorical:rbf,poly",
// "degree=integer:2..5;when=kernel:poly", maximizing "accuracy".
v1::Study SmallStudy();

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CLIENT_FAKE_SERVICE_H_
