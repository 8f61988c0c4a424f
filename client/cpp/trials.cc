#include <utility>

#include "client/cpp/caller.h"
#include "client/cpp/paging.h"
#include "client/cpp/request_identity.h"
#include "client/cpp/this_process.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

using client_internal::Caller;
using client_internal::Identify;

constexpr int kTrialsPerPage = 500;

std::vector<v1::Trial> Vector(const google::protobuf::RepeatedPtrField<v1::Trial>& trials) {
  return {trials.begin(), trials.end()};
}

v1::ObserveRequest Observing(const std::string& trial) {
  v1::ObserveRequest request;
  request.set_trial(trial);
  return request;
}

}  // namespace

absl::StatusOr<v1::SuggestResponse> Client::Suggest(v1::SuggestRequest request,
                                                    const std::function<bool()>& is_wanted) {
  Identify(&request);
  return caller_->Unary("suggest for " + request.study(), options_.suggest, &Caller::Stub::Suggest,
                        request, is_wanted);
}

absl::StatusOr<std::vector<v1::Trial>> Client::Suggest(const std::string& study,
                                                       const std::string& worker, int count) {
  v1::SuggestRequest request;
  request.set_study(study);
  request.set_worker(worker);
  request.set_count(count);
  *request.mutable_process() = client_internal::ThisProcess();
  const absl::StatusOr<v1::SuggestResponse> response = Suggest(std::move(request));
  if (!response.ok()) return response.status();
  return Vector(response->trials());
}

absl::StatusOr<v1::HeartbeatResponse> Client::Heartbeat(const v1::HeartbeatRequest& request) {
  return caller_->Unary("renew the leases of worker " + request.worker(), options_.call,
                        &Caller::Stub::Heartbeat, request);
}

absl::StatusOr<v1::HeartbeatResponse> Client::Heartbeat(const std::string& study,
                                                        const std::string& worker) {
  v1::HeartbeatRequest request;
  request.set_study(study);
  request.set_worker(worker);
  return Heartbeat(request);
}

absl::StatusOr<v1::ReleaseTrialsResponse> Client::ReleaseTrials(v1::ReleaseTrialsRequest request) {
  Identify(&request);
  return caller_->Unary("give back trials of " + request.study(), options_.call,
                        &Caller::Stub::ReleaseTrials, request);
}

absl::StatusOr<v1::ReportResponse> Client::Report(const v1::ReportRequest& request) {
  return caller_->Unary("report a measurement of " + request.trial(), options_.call,
                        &Caller::Stub::Report, request);
}

absl::StatusOr<v1::ReportResponse> Client::Report(const std::string& trial, int64_t step,
                                                  const std::string& metric, double value) {
  v1::ReportRequest request;
  request.set_trial(trial);
  v1::StepMeasurement* report = request.add_reports();
  report->set_step(step);
  (*report->mutable_measurement()->mutable_metrics())[metric] = value;
  return Report(request);
}

absl::StatusOr<v1::ListReportsResponse> Client::ListReports(const std::string& trial) {
  v1::ListReportsRequest request;
  request.set_trial(trial);
  return caller_->Unary("list the reports of " + trial, options_.call, &Caller::Stub::ListReports,
                        request);
}

absl::StatusOr<v1::Trial> Client::Observe(v1::ObserveRequest request) {
  Identify(&request);
  return caller_->Unary("record the outcome of " + request.trial(), options_.outcome,
                        &Caller::Stub::Observe, request);
}

absl::StatusOr<v1::Trial> Client::Observe(const std::string& trial, const std::string& metric,
                                          double value) {
  v1::ObserveRequest request = Observing(trial);
  (*request.mutable_outcome()->mutable_measurement()->mutable_metrics())[metric] = value;
  return Observe(std::move(request));
}

absl::StatusOr<v1::Trial> Client::ReportFailure(const std::string& trial,
                                                const std::string& reason) {
  v1::ObserveRequest request = Observing(trial);
  request.mutable_outcome()->mutable_failure()->set_reason(reason);
  return Observe(std::move(request));
}

absl::StatusOr<v1::Trial> Client::ReportInfeasible(const std::string& trial,
                                                   const std::string& reason) {
  v1::ObserveRequest request = Observing(trial);
  request.mutable_outcome()->mutable_infeasibility()->set_reason(reason);
  return Observe(std::move(request));
}

absl::StatusOr<v1::Trial> Client::ReportStopped(const std::string& trial,
                                                const std::string& reason) {
  v1::ObserveRequest request = Observing(trial);
  request.mutable_outcome()->mutable_early_stop()->set_reason(reason);
  return Observe(std::move(request));
}

absl::StatusOr<v1::AddTrialsResponse> Client::AddTrials(v1::AddTrialsRequest request) {
  Identify(&request);
  return caller_->Unary("add trials to " + request.study(), options_.call, &Caller::Stub::AddTrials,
                        request);
}

absl::StatusOr<std::vector<v1::Trial>> Client::AddTrials(
    const std::string& study, const std::vector<v1::Observation>& observations) {
  v1::AddTrialsRequest request;
  request.set_study(study);
  request.mutable_observations()->Assign(observations.begin(), observations.end());
  const absl::StatusOr<v1::AddTrialsResponse> response = AddTrials(std::move(request));
  if (!response.ok()) return response.status();
  return Vector(response->trials());
}

absl::StatusOr<v1::Trial> Client::GetTrial(const std::string& name) {
  v1::GetTrialRequest request;
  request.set_name(name);
  return caller_->Unary("read " + name, options_.call, &Caller::Stub::GetTrial, request);
}

absl::StatusOr<v1::ShouldStopResponse> Client::ShouldStop(const std::string& trial) {
  v1::ShouldStopRequest request;
  request.set_trial(trial);
  return ShouldStop(request);
}

absl::StatusOr<v1::ShouldStopResponse> Client::ShouldStop(const v1::ShouldStopRequest& request) {
  return caller_->Unary("ask whether to stop " + request.trial(), options_.call,
                        &Caller::Stub::ShouldStop, request);
}

absl::StatusOr<v1::Trial> Client::UpdateTrial(v1::UpdateTrialRequest request) {
  Identify(&request);
  return caller_->Unary("change " + request.trial().name(), options_.call,
                        &Caller::Stub::UpdateTrial, request);
}

absl::StatusOr<v1::ListTrialsResponse> Client::ListTrials(const v1::ListTrialsRequest& request) {
  return caller_->Unary("list the trials of " + request.study(), options_.call,
                        &Caller::Stub::ListTrials, request);
}

absl::Status Client::ListAllTrials(v1::ListTrialsRequest request, const Visitor<v1::Trial>& visit) {
  return client_internal::VisitAllPages(
      std::move(request), [this](const v1::ListTrialsRequest& page) { return ListTrials(page); },
      [](const v1::ListTrialsResponse& page) -> const auto& { return page.trials(); }, visit);
}

absl::Status Client::ListAllTrials(const std::string& study, const Visitor<v1::Trial>& visit) {
  v1::ListTrialsRequest request;
  request.set_study(study);
  request.set_page_size(kTrialsPerPage);
  return ListAllTrials(std::move(request), visit);
}

absl::StatusOr<v1::BestTrialsResponse> Client::BestTrials(const v1::BestTrialsRequest& request) {
  return caller_->Unary("find the best trials of " + request.study(), options_.call,
                        &Caller::Stub::BestTrials, request);
}

absl::StatusOr<std::vector<v1::Trial>> Client::BestTrials(const std::string& study, int count) {
  v1::BestTrialsRequest request;
  request.set_study(study);
  request.set_count(count);
  const absl::StatusOr<v1::BestTrialsResponse> response = BestTrials(request);
  if (!response.ok()) return response.status();
  return Vector(response->trials());
}

absl::StatusOr<v1::Explanation> Client::Explain(const std::string& trial) {
  v1::ExplainRequest request;
  request.set_trial(trial);
  return caller_->Unary("explain " + trial, options_.call, &Caller::Stub::Explain, request);
}

absl::StatusOr<v1::ServerStatus> Client::GetServerStatus() {
  return caller_->Unary("read the server's status", options_.call, &Caller::Stub::GetServerStatus,
                        v1::GetServerStatusRequest());
}

absl::StatusOr<v1::BackupStoreResponse> Client::BackupStore(const std::string& name) {
  v1::BackupStoreRequest request;
  request.set_name(name);
  return caller_->Unary("back up the store", options_.backup, &Caller::Stub::BackupStore, request);
}

absl::StatusOr<v1::ListPresetsResponse> Client::ListPresets() {
  return caller_->Unary("list presets", options_.call, &Caller::Stub::ListPresets,
                        v1::ListPresetsRequest());
}

}  // namespace slipstream
