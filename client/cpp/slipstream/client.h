// The client of a Slipstream server.
//
//   auto client = slipstream::Client::Connect({.address = "127.0.0.1:7411"});
//   auto trials = (*client)->Suggest("studies/digits", /*worker=*/"gpu-3");
//   const slipstream::v1::Trial& trial = trials->front();
//   double accuracy = Train(*slipstream::GetDouble(trial, "learning_rate"));
//   auto done = (*client)->Observe(trial.name(), "accuracy", accuracy);
//
// Every call is repeated when the network or the server fails for a while, as
// ClientOptions say. That is safe: a change gets a request id of its own, which
// its repetitions keep, and the server makes it once. A caller that repeats a
// change itself, after a crash say, sets the same request_id in the request.
//
// Errors of all calls. INVALID_ARGUMENT: the request can never succeed as it
// is; see ViolationsOf in errors.h. NOT_FOUND and ALREADY_EXISTS: of the
// resource named. FAILED_PRECONDITION: something else must happen first.
// RESOURCE_EXHAUSTED: a limit was met, and the message names it. UNAVAILABLE,
// ABORTED and DEADLINE_EXCEEDED: all attempts failed; a change may have been
// made or not, and can be repeated under its request id. Others: as the server
// has them. Messages say what was attempted on which address.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/client_options.h"
#include "slipstream/configuration.h"
#include "slipstream/errors.h"
#include "slipstream/observation_reader.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

namespace client_internal {
class Caller;
}

// Thread-safe. Blocks in every call, without holding a lock; share one client
// among threads rather than making one each.
class Client {
 public:
  // INVALID_ARGUMENT for options that CheckOptions refuses. Makes no call: the
  // server may come up later.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(ClientOptions options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // --- Studies. Names read "studies/{study}". ---

  absl::StatusOr<v1::Study> CreateStudy(v1::CreateStudyRequest request);
  // Under an id of the server's making if `study_id` is empty.
  absl::StatusOr<v1::Study> CreateStudy(v1::Study study, const std::string& study_id = "");
  absl::StatusOr<v1::Study> GetStudy(const std::string& name);
  absl::StatusOr<v1::Study> GetStudy(const v1::GetStudyRequest& request);
  absl::StatusOr<v1::ListStudiesResponse> ListStudies(const v1::ListStudiesRequest& request);
  absl::StatusOr<v1::Study> UpdateStudy(v1::UpdateStudyRequest request);
  absl::StatusOr<v1::Study> SetStudyState(const std::string& name, v1::Study::State state);
  absl::Status DeleteStudy(v1::DeleteStudyRequest request);
  absl::Status DeleteStudy(const std::string& name);

  // --- Trials. Names read "studies/{study}/trials/{number}". ---

  absl::StatusOr<v1::SuggestResponse> Suggest(v1::SuggestRequest request);
  // The trials for `worker` to run, `count` of them or, where a candidate list
  // runs out, fewer. A trainer that asks again under its id gets those that it
  // has not told the outcome of.
  absl::StatusOr<std::vector<v1::Trial>> Suggest(const std::string& study,
                                                 const std::string& worker, int count = 1);

  // Tells what became of a trial. The answer is the trial without its
  // configuration, which the worker knows.
  absl::StatusOr<v1::Trial> Observe(v1::ObserveRequest request);
  // The trial succeeded with this value.
  absl::StatusOr<v1::Trial> Observe(const std::string& trial, const std::string& metric,
                                    double value);
  // The worker broke; says nothing about the configuration.
  absl::StatusOr<v1::Trial> ReportFailure(const std::string& trial, const std::string& reason);
  // The configuration has no value.
  absl::StatusOr<v1::Trial> ReportInfeasible(const std::string& trial, const std::string& reason);
  // The worker ended the trial before it was done.
  absl::StatusOr<v1::Trial> ReportStopped(const std::string& trial, const std::string& reason);

  absl::StatusOr<v1::AddTrialsResponse> AddTrials(v1::AddTrialsRequest request);
  // At most 1,000; with an outcome they are recorded, without one they queue.
  absl::StatusOr<std::vector<v1::Trial>> AddTrials(
      const std::string& study, const std::vector<v1::Observation>& observations);

  absl::StatusOr<v1::Trial> GetTrial(const std::string& name);
  absl::StatusOr<v1::ListTrialsResponse> ListTrials(const v1::ListTrialsRequest& request);
  // Best first; empty if no trial has succeeded yet.
  absl::StatusOr<std::vector<v1::Trial>> BestTrials(const std::string& study, int count = 1);
  absl::StatusOr<v1::Explanation> Explain(const std::string& trial);

  absl::StatusOr<std::vector<v1::ListPresetsResponse::Preset>> ListPresets();

  // --- Source tasks. Names read "sourceTasks/{source_task}". ---

  // Streams the observations in messages of at most 1,000 and about 1 MiB.
  // Reads `observations` again from its start for every attempt and does not
  // keep it. A non-OK status of the reader ends the call and is returned.
  absl::StatusOr<v1::RegisterSourceTaskResponse> RegisterSourceTask(
      v1::RegisterSourceTaskRequest::Header header, ObservationReader& observations);
  absl::StatusOr<v1::RegisterSourceTaskResponse> RegisterSourceTask(
      v1::RegisterSourceTaskRequest::Header header,
      const std::vector<v1::Observation>& observations);
  absl::StatusOr<v1::SourceTask> GetSourceTask(const std::string& name);
  absl::StatusOr<v1::ListSourceTasksResponse> ListSourceTasks(
      const v1::ListSourceTasksRequest& request);
  absl::Status DeleteSourceTask(v1::DeleteSourceTaskRequest request);
  absl::Status DeleteSourceTask(const std::string& name);

  // --- Whole lists, page by page, in the server's order. ---

  // Is given one element after the other and says whether it wants more.
  template <typename Element>
  using Visitor = std::function<bool(const Element&)>;

  absl::Status ListAllStudies(const Visitor<v1::Study>& visit);
  absl::Status ListAllTrials(const std::string& study, const Visitor<v1::Trial>& visit);
  // The request's page_size, states and read_mask count; its page_token is
  // where the list begins.
  absl::Status ListAllTrials(v1::ListTrialsRequest request, const Visitor<v1::Trial>& visit);
  absl::Status ListAllSourceTasks(const Visitor<v1::SourceTask>& visit);

 private:
  explicit Client(const ClientOptions& options);

  const ClientOptions options_;
  const std::unique_ptr<client_internal::Caller> caller_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_CLIENT_H_
