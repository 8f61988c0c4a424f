#include "tests/fuzz/service_calls.h"

#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "core/base/status.h"
#include "server/service/answering.h"
#include "server/service/source_task_upload.h"
#include "server/service/study_export.h"
#include "server/service/study_import.h"
#include "slipstream/v1/services.pb.h"
#include "tests/testing/memory_store.h"

namespace slipstream::fuzz {
namespace {

constexpr int kWatchedAtMost = 3;

ServiceOptions Options() {
  return {.version = "fuzz",
          .read_threads = 1,
          .compute_threads = 1,
          .suggest_budget = absl::Milliseconds(20),
          .lease_sweep_period = absl::InfiniteDuration(),
          .prepare_ahead = false};
}

absl::Status Await(const std::function<void(const Done&)>& start) {
  std::promise<absl::Status> answered;
  start([&answered](absl::Status status) { answered.set_value(std::move(status)); });
  return answered.get_future().get();
}

// The messages in which an upload is sent. Its size chooses, so that a fuzzer can: all in one; the
// header, and each line in a message of its own; the same with a second header; or with the
// header last.
template <typename Request, typename TakeLines>
std::vector<Request> MessagesOf(const Request& whole, TakeLines take_lines) {
  const size_t choice = whole.ByteSizeLong() % 8;
  if (choice < 3) return {whole};
  std::vector<Request> messages(1, whole);
  auto lines = std::move(*take_lines(messages[0]));
  take_lines(messages[0])->Clear();
  for (auto& line : lines) *take_lines(messages.emplace_back())->Add() = std::move(line);
  if (choice == 6) messages.push_back(messages[0]);
  if (choice == 7) std::swap(messages.front(), messages.back());
  return messages;
}

// One call, from its bytes to those of its answer.
class Exchange {
 public:
  Exchange(const std::string& request, std::string* response)
      : request_(request), response_(*response) {}

  // `Told` is Done or a reference to one.
  template <typename Backend, typename Request, typename Response, typename Told>
  absl::Status With(Backend& backend,
                    void (Backend::*method)(const Request*, Response*, Told)) const {
    Request request;
    if (!request.ParseFromString(request_)) return NoMessage();
    Response response;
    const absl::Status status =
        Await([&](const Done& done) { (backend.*method)(&request, &response, done); });
    if (status.ok()) response_ = response.SerializeAsString();
    return status;
  }

  absl::Status Register(SourceTaskService& service) const {
    v1::RegisterSourceTaskRequest request;
    if (!request.ParseFromString(request_)) return NoMessage();
    auto upload = std::make_unique<SourceTaskUpload>();
    for (const auto& message :
         MessagesOf(request, [](auto& part) { return part.mutable_observations(); })) {
      SLIPSTREAM_RETURN_IF_ERROR(upload->Add(message));
    }
    v1::RegisterSourceTaskResponse response;
    const absl::Status status = Await(
        [&](const Done& done) { service.RegisterSourceTask(std::move(upload), &response, done); });
    if (status.ok()) response_ = response.SerializeAsString();
    return status;
  }

  absl::Status Import(ExchangeService& service) const {
    v1::ImportStudyRequest request;
    if (!request.ParseFromString(request_)) return NoMessage();
    auto import = std::make_unique<StudyImport>();
    for (const auto& message :
         MessagesOf(request, [](auto& part) { return part.mutable_lines(); })) {
      SLIPSTREAM_RETURN_IF_ERROR(import->Add(message));
    }
    v1::Study response;
    const absl::Status status =
        Await([&](const Done& done) { service.ImportStudy(std::move(import), &response, done); });
    if (status.ok()) response_ = response.SerializeAsString();
    return status;
  }

  // Reads all lines; the answer is the last of them.
  absl::Status Export(ExchangeService& service) const {
    v1::ExportStudyRequest request;
    if (!request.ParseFromString(request_)) return NoMessage();
    std::promise<absl::StatusOr<std::unique_ptr<StudyExport>>> opened;
    service.ExportStudy(&request, [&](auto open) { opened.set_value(std::move(open)); });
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<StudyExport> open, opened.get_future().get());
    while (true) {
      std::promise<absl::StatusOr<v1::ExportStudyResponse>> read;
      service.NextLines(open.get(), [&](auto lines) { read.set_value(std::move(lines)); });
      SLIPSTREAM_ASSIGN_OR_RETURN(const v1::ExportStudyResponse lines, read.get_future().get());
      if (lines.lines().empty()) return absl::OkStatus();
      response_ = lines.SerializeAsString();
    }
  }

  template <typename Request>
  absl::Status Watch(WatchService& service,
                     void (WatchService::*method)(const Request*, std::function<void()>,
                                                  WatchService::Opened)) const {
    Request request;
    if (!request.ParseFromString(request_)) return NoMessage();
    std::promise<absl::StatusOr<std::unique_ptr<EventStream>>> opened;
    (service.*method)(
        &request, [] {}, [&](auto stream) { opened.set_value(std::move(stream)); });
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<EventStream> stream,
                                opened.get_future().get());
    for (int i = 0; i < kWatchedAtMost; ++i) {
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const WatchAnswer> answer, stream->Next());
      if (answer == nullptr) break;
      response_ = answer->message;
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status NoMessage() { return absl::InvalidArgumentError("no message"); }

  const std::string& request_;
  std::string& response_;
};

}  // namespace

ServiceCalls::ServiceCalls() : store_(MakeMemoryStore()), service_(store_.get(), Options()) {}

absl::Status ServiceCalls::Call(Rpc rpc, const std::string& request, std::string* response) {
  const Exchange exchange(request, response);
  StudyService& studies = service_.studies();
  TrialService& trials = service_.trials();
  SourceTaskService& sources = service_.source_tasks();
  switch (rpc) {
    case Rpc::kCreateStudy:
      return exchange.With(studies, &StudyService::CreateStudy);
    case Rpc::kGetStudy:
      return exchange.With(studies, &StudyService::GetStudy);
    case Rpc::kListStudies:
      return exchange.With(studies, &StudyService::ListStudies);
    case Rpc::kUpdateStudy:
      return exchange.With(studies, &StudyService::UpdateStudy);
    case Rpc::kDeleteStudy:
      return exchange.With(studies, &StudyService::DeleteStudy);
    case Rpc::kExportStudy:
      return exchange.Export(service_.exchange());
    case Rpc::kImportStudy:
      return exchange.Import(service_.exchange());
    case Rpc::kSuggest:
      return exchange.With<TrialService, v1::SuggestRequest, v1::SuggestResponse, Done>(
          trials, &TrialService::Suggest);
    case Rpc::kHeartbeat:
      return exchange.With(service_.leases(), &LeaseService::Heartbeat);
    case Rpc::kReleaseTrials:
      return exchange.With(service_.leases(), &LeaseService::ReleaseTrials);
    case Rpc::kReport:
      return exchange.With(service_.reports(), &ReportService::Report);
    case Rpc::kListReports:
      return exchange.With(service_.reports(), &ReportService::ListReports);
    case Rpc::kShouldStop:
      return exchange.With(service_.reports(), &ReportService::ShouldStop);
    case Rpc::kObserve:
      return exchange.With(trials, &TrialService::Observe);
    case Rpc::kUpdateTrial:
      return exchange.With(trials, &TrialService::UpdateTrial);
    case Rpc::kAddTrials:
      return exchange.With(trials, &TrialService::AddTrials);
    case Rpc::kGetTrial:
      return exchange.With(trials, &TrialService::GetTrial);
    case Rpc::kListTrials:
      return exchange.With(trials, &TrialService::ListTrials);
    case Rpc::kBestTrials:
      return exchange.With(trials, &TrialService::BestTrials);
    case Rpc::kExplain:
      return exchange.With(trials, &TrialService::Explain);
    case Rpc::kWatchStudy:
      return exchange.Watch(service_.watches(), &WatchService::WatchStudy);
    case Rpc::kWatchStudies:
      return exchange.Watch(service_.watches(), &WatchService::WatchStudies);
    case Rpc::kListPresets:
      return exchange.With(studies, &StudyService::ListPresets);
    case Rpc::kRegisterSourceTask:
      return exchange.Register(sources);
    case Rpc::kGetSourceTask:
      return exchange.With(sources, &SourceTaskService::GetSourceTask);
    case Rpc::kListSourceTasks:
      return exchange.With(sources, &SourceTaskService::ListSourceTasks);
    case Rpc::kListSourceObservations:
      return exchange.With(sources, &SourceTaskService::ListSourceObservations);
    case Rpc::kDeleteSourceTask:
      return exchange.With(sources, &SourceTaskService::DeleteSourceTask);
    case Rpc::kGetServerStatus:
      return exchange.With(service_.status(), &StatusService::GetServerStatus);
    case Rpc::kBackupStore:
      return exchange.With(service_.backups(), &BackupService::BackupStore);
  }
  return absl::UnimplementedError("no such RPC");
}

std::string CallOrDie(ServiceCalls& calls, Rpc rpc, const std::string& request) {
  std::string response;
  const absl::Status status = calls.Call(rpc, request, &response);
  switch (status.code()) {
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kUnimplemented:
      std::cerr << EntryOf(rpc).name << ": " << status << "\n";
      std::abort();
    default:
      return response;
  }
}

void ReadEverything(ServiceCalls& calls) {
  v1::ListStudiesRequest list;
  list.set_parent("projects/-");
  list.set_page_size(1000);
  v1::ListStudiesResponse studies;
  studies.ParseFromString(CallOrDie(calls, Rpc::kListStudies, list.SerializeAsString()));
  for (const v1::Study& study : studies.studies()) {
    v1::ListTrialsRequest request;
    request.set_study(study.name());
    std::string response;
    const absl::Status status =
        calls.Call(Rpc::kListTrials, request.SerializeAsString(), &response);
    if (status.ok()) continue;
    std::cerr << "the trials of " << study.name() << " cannot be listed: " << status << "\n";
    std::abort();
  }
}

}  // namespace slipstream::fuzz
