// A client for programs that want the protocol's messages: a method for each call of the server.
// study.h has what trainers need without them.
//
//   auto client = slipstream::Client::Connect({.address = "127.0.0.1:7411"});
//   auto trials = (*client)->Suggest("studies/digits", /*worker=*/"gpu-3");
//   const slipstream::v1::Trial& trial = trials->front();
//   double accuracy = Train(*slipstream::GetDouble(trial, "learning_rate"));
//   auto done = (*client)->Observe(trial.name(), "accuracy", accuracy);
//
// Calls are retried as ClientOptions say while the network or the server is
// down. That is safe: every change has a request id, which its retries keep, and
// the server makes it once. A caller that repeats a change itself, for example
// after a crash, sets the same request_id in the request.
//
// Errors of all calls. INVALID_ARGUMENT: the request can never succeed as it
// is; see ViolationsOf in errors.h. NOT_FOUND and ALREADY_EXISTS: the resource
// that the message names does not exist, or already does. FAILED_PRECONDITION:
// something else must happen first. RESOURCE_EXHAUSTED: a limit was reached, and
// the message names it. UNAVAILABLE, ABORTED and DEADLINE_EXCEEDED: all attempts
// failed; a change may or may not have been made, and can be repeated with its
// request id. Other codes come from the server unchanged. Messages say what was
// attempted and on which address.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_CLIENT_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_CLIENT_H_

#include <grpcpp/security/credentials.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/client_options.h"
#include "slipstream/errors.h"
#include "slipstream/messages/configuration.h"
#include "slipstream/messages/export_reader.h"
#include "slipstream/messages/observation_reader.h"
#include "slipstream/new_study.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

namespace client_internal {
class Caller;
}

// Thread-safe. Every call blocks, without holding a lock; share one client among
// threads rather than making one for each.
class Client {
 public:
  // INVALID_ARGUMENT for options that CheckOptions refuses, and for files of certificates that
  // cannot be read. Makes no call, so the server may start later. `credentials`, unless null,
  // take the place of the options ca, certificate and key.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(
      ClientOptions options, std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // The options, with those of the environment where they were empty.
  const ClientOptions& options() const { return options_; }

  // Receives one element after the other and returns whether to go on.
  template <typename Element>
  using Visitor = std::function<bool(const Element&)>;

  // --- Studies, named "studies/{study}". ---

  absl::StatusOr<v1::Study> CreateStudy(v1::CreateStudyRequest request);
  // The server makes up an id if `study_id` is empty.
  absl::StatusOr<v1::Study> CreateStudy(v1::Study study, const std::string& study_id = "");
  // See new_study.h.
  absl::StatusOr<v1::Study> CreateStudy(const client::NewStudy& study);
  absl::StatusOr<v1::Study> GetStudy(const std::string& name);
  absl::StatusOr<v1::Study> GetStudy(const v1::GetStudyRequest& request);
  absl::StatusOr<v1::ListStudiesResponse> ListStudies(const v1::ListStudiesRequest& request);
  absl::StatusOr<v1::Study> UpdateStudy(v1::UpdateStudyRequest request);
  absl::StatusOr<v1::Study> SetStudyState(const std::string& name, v1::Study::State state);
  absl::Status DeleteStudy(v1::DeleteStudyRequest request);
  absl::Status DeleteStudy(const std::string& name);

  // Passes on the events of the study and its trials, until the visitor has enough
  // or the study is deleted. Resumes where it was when the connection or the server
  // fails temporarily. `resume_token`, unless null: where to begin, if not empty; on
  // return, where a later watch may resume, after the last event that was visited.
  // OUT_OF_RANGE: events in between are no longer kept, or the token is of later events
  // than there are. CANCELLED: `stop` asked for the end, which may come after a pause
  // between attempts. `begun`, if given, is called once, when no later event can be missed
  // any more and those of the first message have been visited; false ends the watch.
  absl::Status WatchStudy(const std::string& study, const Visitor<v1::StudyEvent>& visit,
                          std::string* resume_token = nullptr, std::stop_token stop = {},
                          std::function<bool()> begun = nullptr);
  absl::Status WatchStudies(const Visitor<v1::StudyEvent>& visit,
                            std::string* resume_token = nullptr, const std::string& parent = "",
                            std::stop_token stop = {});

  // Passes on the lines of a study with all of its trials, in order. An attempt after a
  // failure begins again and skips the lines that the visitor has seen. Ends early,
  // with OK, when the visitor has enough.
  absl::Status ExportStudy(const std::string& name, const Visitor<v1::ExportLine>& visit);
  // Makes a study of such lines, whole or not at all. Every attempt reads `lines` again
  // from its start; it is not used after the call. A non-OK status of the reader ends the
  // call and is returned.
  absl::StatusOr<v1::Study> ImportStudy(v1::ImportStudyRequest::Header header, ExportReader& lines);

  // --- Trials, named "studies/{study}/trials/{number}". ---

  // CANCELLED if `is_wanted`, unless null, is false during a pause between attempts.
  absl::StatusOr<v1::SuggestResponse> Suggest(v1::SuggestRequest request,
                                              const std::function<bool()>& is_wanted = nullptr);
  // The `count` trials for `worker` to run; fewer only if the candidate list is
  // exhausted. A trainer that asks again under the same id gets its unfinished
  // trials back.
  absl::StatusOr<std::vector<v1::Trial>> Suggest(const std::string& study,
                                                 const std::string& worker, int count = 1);

  // Renews the leases of the worker's trials, all of them if the request names none.
  // Trial (slipstream/trial.h) does that in the background.
  absl::StatusOr<v1::HeartbeatResponse> Heartbeat(const v1::HeartbeatRequest& request);
  absl::StatusOr<v1::HeartbeatResponse> Heartbeat(const std::string& study,
                                                  const std::string& worker);
  // Gives trials back, so that others get them at once.
  absl::StatusOr<v1::ReleaseTrialsResponse> ReleaseTrials(v1::ReleaseTrialsRequest request);

  // Reports intermediate measurements, and renews the trial's lease.
  absl::StatusOr<v1::ReportResponse> Report(const v1::ReportRequest& request);
  absl::StatusOr<v1::ReportResponse> Report(const std::string& trial, int64_t step,
                                            const std::string& metric, double value);
  absl::StatusOr<v1::ListReportsResponse> ListReports(const std::string& trial);
  // Whether to stop the trial early, and why. After stopping say so by ReportStopped.
  absl::StatusOr<v1::ShouldStopResponse> ShouldStop(const v1::ShouldStopRequest& request);
  absl::StatusOr<v1::ShouldStopResponse> ShouldStop(const std::string& trial);

  // Reports the outcome of a trial. Returns the trial without its
  // configuration, which the worker knows.
  absl::StatusOr<v1::Trial> Observe(v1::ObserveRequest request);
  // Reports that the trial succeeded with this value.
  absl::StatusOr<v1::Trial> Observe(const std::string& trial, const std::string& metric,
                                    double value);
  // Reports that the worker failed. That may be chance; what fails repeatedly is avoided.
  absl::StatusOr<v1::Trial> ReportFailure(const std::string& trial, const std::string& reason);
  // Reports that the configuration has no value.
  absl::StatusOr<v1::Trial> ReportInfeasible(const std::string& trial, const std::string& reason);
  // Reports that the worker stopped the trial early.
  absl::StatusOr<v1::Trial> ReportStopped(const std::string& trial, const std::string& reason);

  absl::StatusOr<v1::AddTrialsResponse> AddTrials(v1::AddTrialsRequest request);
  // At most 1,000 trials. Those with an outcome are recorded as finished, those
  // without are queued.
  absl::StatusOr<std::vector<v1::Trial>> AddTrials(
      const std::string& study, const std::vector<v1::Observation>& observations);

  absl::StatusOr<v1::Trial> GetTrial(const std::string& name);
  // Changes a trial's labels or note.
  absl::StatusOr<v1::Trial> UpdateTrial(v1::UpdateTrialRequest request);
  absl::StatusOr<v1::ListTrialsResponse> ListTrials(const v1::ListTrialsRequest& request);
  absl::StatusOr<v1::BestTrialsResponse> BestTrials(const v1::BestTrialsRequest& request);
  // The best trials, best first; empty if none has succeeded yet.
  absl::StatusOr<std::vector<v1::Trial>> BestTrials(const std::string& study, int count = 1);
  absl::StatusOr<v1::Explanation> Explain(const std::string& trial);

  // The presets with their recipes, and the ingredients and options to mix others from.
  absl::StatusOr<v1::ListPresetsResponse> ListPresets();

  // --- Source tasks, named "sourceTasks/{source_task}". ---

  // Streams the observations in messages of at most 1,000 observations and
  // about 1 MiB. Every attempt reads `observations` again from its start; it is
  // not used after the call. A non-OK status of the reader ends the call and is
  // returned.
  absl::StatusOr<v1::RegisterSourceTaskResponse> RegisterSourceTask(
      v1::RegisterSourceTaskRequest::Header header, ObservationReader& observations);
  absl::StatusOr<v1::RegisterSourceTaskResponse> RegisterSourceTask(
      v1::RegisterSourceTaskRequest::Header header,
      const std::vector<v1::Observation>& observations);
  absl::StatusOr<v1::SourceTask> GetSourceTask(const std::string& name);
  absl::StatusOr<v1::ListSourceTasksResponse> ListSourceTasks(
      const v1::ListSourceTasksRequest& request);
  absl::StatusOr<v1::ListSourceObservationsResponse> ListSourceObservations(
      const v1::ListSourceObservationsRequest& request);
  absl::Status DeleteSourceTask(v1::DeleteSourceTaskRequest request);
  absl::Status DeleteSourceTask(const std::string& name);

  // --- The server. ---

  // What it holds, what waits, what its limits are.
  absl::StatusOr<v1::ServerStatus> GetServerStatus();
  // Copies all that is stored to a new file in the server's folder for backups. An empty name lets
  // the server make one up.
  absl::StatusOr<v1::BackupStoreResponse> BackupStore(const std::string& name = "");

  // --- Whole lists, page by page, in the server's order. ---

  // `parent`: "projects/{project}", "projects/-" for all, or empty for the project "default".
  absl::Status ListAllStudies(const Visitor<v1::Study>& visit, const std::string& parent = "");
  absl::Status ListAllTrials(const std::string& study, const Visitor<v1::Trial>& visit);
  // Uses the request's page_size, states and read_mask, and begins at its
  // page_token.
  absl::Status ListAllTrials(v1::ListTrialsRequest request, const Visitor<v1::Trial>& visit);
  absl::Status ListAllSourceTasks(const Visitor<v1::SourceTask>& visit,
                                  const std::string& parent = "");
  absl::Status ListAllSourceObservations(const std::string& source_task,
                                         const Visitor<v1::Observation>& visit);

 private:
  Client(const ClientOptions& options, std::unique_ptr<client_internal::Caller> caller);

  const ClientOptions options_;
  std::unique_ptr<client_internal::Caller> caller_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_CLIENT_H_
