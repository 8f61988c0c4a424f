#include "tests/client/fake_service.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "google/protobuf/util/message_differencer.h"

namespace slipstream {
namespace {

using google::protobuf::util::MessageDifferencer;

constexpr int kMostIdleThreads = 16;  // Of a server.

grpc::Status RefusalWith(const google::protobuf::Message& detail, const std::string& message,
                         grpc::StatusCode code = grpc::StatusCode::FAILED_PRECONDITION) {
  v1::StatusDetails details;
  details.set_code(code);
  details.set_message(message);
  details.add_details()->PackFrom(detail);
  return {code, message, details.SerializeAsString()};
}

grpc::Status NotFound(const std::string& name) {
  return {grpc::StatusCode::NOT_FOUND, absl::StrCat(name, " does not exist")};
}

template <typename Elements>
auto Find(Elements& elements, const std::string& name) {
  return std::find_if(elements.begin(), elements.end(),
                      [&](const auto& element) { return element.name() == name; });
}

v1::Trial::State StateAfter(const v1::Outcome& outcome) {
  if (outcome.has_failure()) return v1::Trial::FAILED;
  if (outcome.has_infeasibility()) return v1::Trial::INFEASIBLE;
  return outcome.has_early_stop() ? v1::Trial::STOPPED : v1::Trial::SUCCEEDED;
}

void End(const v1::Outcome& outcome, v1::Trial* trial) {
  trial->set_state(StateAfter(outcome));
  if (outcome.has_measurement()) *trial->mutable_measurement() = outcome.measurement();
  if (outcome.early_stop().has_measurement()) {
    *trial->mutable_measurement() = outcome.early_stop().measurement();
  }
  trial->set_reason(absl::StrCat(outcome.failure().reason(), outcome.infeasibility().reason(),
                                 outcome.early_stop().reason()));
}

}  // namespace

grpc::Status BadRequestStatus(const std::string& message, const v1::FieldViolation& violation) {
  v1::BadRequest bad_request;
  *bad_request.add_field_violations() = violation;
  v1::StatusDetails details;
  details.set_code(grpc::StatusCode::INVALID_ARGUMENT);
  details.set_message(message);
  details.add_details()->PackFrom(bad_request);
  return {grpc::StatusCode::INVALID_ARGUMENT, message, details.SerializeAsString()};
}

grpc::Status QuotaStatus(const std::string& message, const std::string& quota) {
  v1::QuotaExceeded exceeded;
  exceeded.set_quota(quota);
  return RefusalWith(exceeded, message, grpc::StatusCode::RESOURCE_EXHAUSTED);
}

grpc::Status UsedUpStatus(const std::string& message) {
  return RefusalWith(v1::CandidatesUsedUp(), message);
}

grpc::Status TrialLimitStatus(const std::string& message) {
  return RefusalWith(v1::TrialLimitReached(), message, grpc::StatusCode::RESOURCE_EXHAUSTED);
}

grpc::Status OtherOutcomeStatus(const std::string& message) {
  return RefusalWith(v1::OtherOutcome(), message);
}

void FakeService::FailNext(int times, const Fault& fault) {
  const std::lock_guard lock(mutex_);
  faults_.insert(faults_.end(), times, fault);
}

void FakeService::FailAlways(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  always_ = status;
}

void FakeService::Release() {
  const std::lock_guard lock(mutex_);
  if (!released_.HasBeenNotified()) released_.Notify();
}

void FakeService::RepeatPagesForever() {
  const std::lock_guard lock(mutex_);
  endless_pages_ = true;
}

void FakeService::SetEvents(std::vector<v1::StudyEvent> events) {
  const std::lock_guard lock(mutex_);
  events_ = std::move(events);
}

std::vector<SeenCall> FakeService::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::vector<int> FakeService::chunks() const {
  const std::lock_guard lock(mutex_);
  return chunks_;
}

size_t FakeService::largest_message() const {
  const std::lock_guard lock(mutex_);
  return largest_message_;
}

size_t FakeService::study_count() const {
  const std::lock_guard lock(mutex_);
  return studies_.size();
}

std::vector<v1::Trial> FakeService::trials(const std::string& study) const {
  const std::lock_guard lock(mutex_);
  const auto found = trials_.find(study);
  return found == trials_.end() ? std::vector<v1::Trial>() : found->second;
}

std::vector<v1::Observation> FakeService::observations() const {
  const std::lock_guard lock(mutex_);
  return observations_;
}

v1::Study FakeService::AddStudy(v1::Study study) {
  const std::lock_guard lock(mutex_);
  if (study.name().empty()) study.set_name(absl::StrCat("studies/s", studies_.size() + 1));
  studies_.push_back(study);
  return study;
}

v1::Trial FakeService::AddTrial(const std::string& study, v1::Trial trial) {
  const std::lock_guard lock(mutex_);
  v1::Trial& kept = NewTrial(study);
  trial.set_name(kept.name());
  return kept = trial;
}

v1::SourceTask FakeService::AddSource(v1::SourceTask task,
                                      std::vector<v1::Observation> observations) {
  const std::lock_guard lock(mutex_);
  sources_.push_back(task);
  if (!observations.empty()) observations_of_[task.name()] = std::move(observations);
  return task;
}

v1::Trial& FakeService::NewTrial(const std::string& study) {
  std::vector<v1::Trial>& trials = trials_[study];
  v1::Trial& trial = trials.emplace_back();
  trial.set_name(absl::StrCat(study, "/trials/", trials.size()));
  trial.mutable_create_time()->set_seconds(++created_);
  trial.mutable_create_time()->set_nanos(345'000'000);
  return trial;
}

v1::Trial* FakeService::FindTrial(const std::string& name) {
  auto& trials = trials_[name.substr(0, name.find("/trials/"))];
  const auto found = Find(trials, name);
  return found == trials.end() ? nullptr : &*found;
}

template <typename Request>
v1::Trial* FakeService::FindMeant(const Request& request) {
  v1::Trial* const trial = FindTrial(request.trial());
  if (trial == nullptr || !request.has_create_time()) return trial;
  const bool is_meant = MessageDifferencer::Equals(trial->create_time(), request.create_time());
  return is_meant ? trial : nullptr;
}

template <typename Request>
bool FakeService::IsMeant(const std::string& study, const Request& request) const {
  const auto found = Find(studies_, study);
  return found == studies_.end() || !request.has_study_create_time() ||
         MessageDifferencer::Equals(found->create_time(), request.study_create_time());
}

Fault FakeService::NextFault(const SeenCall& call) {
  const std::lock_guard lock(mutex_);
  calls_.push_back(call);
  Fault fault;
  fault.status = always_;
  if (faults_.empty()) return fault;
  fault = faults_.front();
  faults_.pop_front();
  return fault;
}

grpc::Status FakeService::Answer(Context* context, const char* method,
                                 const std::string& request_id, google::protobuf::Message* response,
                                 const std::function<Status()>& work) {
  SeenCall call{method, request_id, context->peer()};
  const auto authorization = context->client_metadata().find("authorization");
  if (authorization != context->client_metadata().end()) {
    call.authorization.assign(authorization->second.data(), authorization->second.size());
  }
  const Fault fault = NextFault(call);
  if (fault.hold) {
    released_.WaitForNotification();
    return {grpc::StatusCode::CANCELLED, "held for too long"};
  }
  if (!fault.status.ok() && !fault.lost_answer) return fault.status;
  const std::lock_guard lock(mutex_);
  const Status status = WorkOnce(request_id, response, work);
  return fault.lost_answer ? fault.status : status;
}

grpc::Status FakeService::WorkOnce(const std::string& request_id,
                                   google::protobuf::Message* response,
                                   const std::function<Status()>& work) {
  const auto answered = answers_.find(request_id);
  if (answered != answers_.end()) {
    response->ParseFromString(answered->second);
    return Status::OK;
  }
  const Status status = work();
  if (status.ok() && !request_id.empty()) answers_[request_id] = response->SerializeAsString();
  return status;
}

template <typename Elements, typename Request, typename Response, typename Add>
grpc::Status FakeService::Page(const Elements& elements, const Request& request, Response* response,
                               const Add& add) const {
  const size_t size = request.page_size() == 0 ? 50 : static_cast<size_t>(request.page_size());
  const size_t begin = request.page_token().empty() ? 0 : std::stoul(request.page_token());
  const size_t end = std::min(elements.size(), begin + size);
  for (size_t i = begin; i < end; ++i) add(elements[i]);
  if (end < elements.size()) response->set_next_page_token(absl::StrCat(end));
  if (endless_pages_) response->set_next_page_token(absl::StrCat(begin));
  return Status::OK;
}

grpc::Status FakeService::CreateStudy(Context* context, const v1::CreateStudyRequest* request,
                                      v1::Study* response) {
  return Answer(context, "CreateStudy", request->request_id(), response, [&] {
    *response = request->study();
    const std::string id =
        request->study_id().empty() ? absl::StrCat("s", studies_.size() + 1) : request->study_id();
    const std::string& parent = request->parent();
    response->set_name(absl::StrCat(parent, parent.empty() ? "" : "/", "studies/", id));
    if (Find(studies_, response->name()) != studies_.end()) {
      return Status(grpc::StatusCode::ALREADY_EXISTS, response->name() + " exists");
    }
    response->set_state(v1::Study::ACTIVE);
    const auto& asked = request->study().source_tasks();
    const bool wants_all = asked.size() == 1 && absl::EndsWith(asked[0], "sourceTasks/-");
    if (wants_all && sources_.empty()) response->clear_source_tasks();
    if (response->algorithm().preset() == "scaml" && response->source_tasks().empty()) {
      response->mutable_transfer()->set_unused_because("scaml uses source tasks");
    }
    studies_.push_back(*response);
    return Status::OK;
  });
}

grpc::Status FakeService::GetStudy(Context* context, const v1::GetStudyRequest* request,
                                   v1::Study* response) {
  return Answer(context, "GetStudy", "", response, [&] {
    const auto found = Find(studies_, request->name());
    if (found == studies_.end()) return NotFound(request->name());
    *response = *found;
    const auto trials = trials_.find(found->name());
    if (trials != trials_.end() && found->trial_count() == 0) {
      response->set_trial_count(static_cast<int64_t>(trials->second.size()));
    }
    return Status::OK;
  });
}

grpc::Status FakeService::ListStudies(Context* context, const v1::ListStudiesRequest* request,
                                      v1::ListStudiesResponse* response) {
  return Answer(context, "ListStudies", "", response, [&] {
    return Page(studies_, *request, response,
                [&](const v1::Study& study) { *response->add_studies() = study; });
  });
}

grpc::Status FakeService::UpdateStudy(Context* context, const v1::UpdateStudyRequest* request,
                                      v1::Study* response) {
  return Answer(context, "UpdateStudy", request->request_id(), response, [&] {
    const auto found = Find(studies_, request->study().name());
    if (found == studies_.end()) return NotFound(request->study().name());
    if (!IsMeant(found->name(), *request)) return NotFound(found->name());
    for (const std::string& path : request->update_mask().paths()) {
      if (path == "state") found->set_state(request->study().state());
      if (path == "display_name") found->set_display_name(request->study().display_name());
      if (path == "lease_policy") *found->mutable_lease_policy() = request->study().lease_policy();
      if (path == "labels") *found->mutable_labels() = request->study().labels();
    }
    *response = *found;
    response->clear_transfer();  // Only reading calls tell it.
    return Status::OK;
  });
}

grpc::Status FakeService::DeleteStudy(Context* context, const v1::DeleteStudyRequest* request,
                                      google::protobuf::Empty* response) {
  return Answer(context, "DeleteStudy", request->request_id(), response, [&] {
    const auto found = Find(studies_, request->name());
    const bool is_there = found != studies_.end() && IsMeant(request->name(), *request);
    if (!is_there) return NotFound(request->name());
    studies_.erase(found);
    return Status::OK;
  });
}

grpc::Status FakeService::Suggest(Context* context, const v1::SuggestRequest* request,
                                  v1::SuggestResponse* response) {
  return Answer(context, "Suggest", request->request_id(), response, [&] {
    if (!IsMeant(request->study(), *request)) return NotFound(request->study());
    if (Find(studies_, request->study()) == studies_.end()) return NotFound(request->study());
    for (int i = 0; i < std::max(1, request->count()); ++i) {
      v1::Trial& trial = NewTrial(request->study());
      trial.set_state(v1::Trial::ACTIVE);
      trial.set_worker(request->worker());
      *trial.mutable_worker_process() = request->process();
      auto& values = *trial.mutable_configuration()->mutable_values();
      values["lr"].set_double_value(0.25);
      values["kernel"].set_category_value("rbf");
      *response->add_trials() = trial;
    }
    return Status::OK;
  });
}

void FakeService::ReplaceTrial(const std::string& trial) {
  const std::lock_guard lock(mutex_);
  FindTrial(trial)->mutable_create_time()->set_seconds(++created_);
}

void FakeService::ReplaceTrialOnceRead(const std::string& trial) {
  const std::lock_guard lock(mutex_);
  replaced_once_read_ = trial;
}

void FakeService::ReplaceStudy(const std::string& study) {
  const std::lock_guard lock(mutex_);
  Find(studies_, study)->mutable_create_time()->set_seconds(++created_);
}

void FakeService::TakeAway(const std::string& trial) {
  const std::lock_guard lock(mutex_);
  FindTrial(trial)->set_worker("another");
}

grpc::Status FakeService::Heartbeat(Context* context, const v1::HeartbeatRequest* request,
                                    v1::HeartbeatResponse* response) {
  return Answer(context, "Heartbeat", "", response, [&] {
    if (!IsMeant(request->study(), *request)) return NotFound(request->study());
    for (const v1::Trial& trial : trials_[request->study()]) {
      const auto& names = request->trials();
      const bool meant = names.empty() ? trial.worker() == request->worker()
                                       : std::count(names.begin(), names.end(), trial.name()) > 0;
      if (!meant) continue;
      v1::HeartbeatResponse::HeldTrial* held = response->add_trials();
      held->set_trial(trial.name());
      held->set_state(trial.state());
      held->set_held(trial.state() == v1::Trial::ACTIVE && trial.worker() == request->worker());
      if (trial.has_lease_end_time()) *held->mutable_lease_end_time() = trial.lease_end_time();
    }
    response->mutable_lease_duration()->set_nanos(3'000'000);
    const auto study = Find(studies_, request->study());
    if (study != studies_.end() && study->has_create_time()) {
      *response->mutable_study_create_time() = study->create_time();
    }
    return Status::OK;
  });
}

grpc::Status FakeService::ReleaseTrials(Context* context, const v1::ReleaseTrialsRequest* request,
                                        v1::ReleaseTrialsResponse* response) {
  return Answer(context, "ReleaseTrials", request->request_id(), response, [&] {
    if (!IsMeant(request->study(), *request)) return NotFound(request->study());
    for (v1::Trial& trial : trials_[request->study()]) {
      const auto& names = request->trials();
      const bool meant = names.empty() || std::count(names.begin(), names.end(), trial.name()) > 0;
      if (!meant || trial.state() != v1::Trial::ACTIVE) continue;
      trial.set_state(v1::Trial::REQUESTED);
      trial.clear_worker();
      *response->add_trials() = trial;
    }
    return Status::OK;
  });
}

grpc::Status FakeService::Report(Context* context, const v1::ReportRequest* request,
                                 v1::ReportResponse* response) {
  return Answer(context, "Report", "", response, [&] {
    const v1::Trial* const trial = FindMeant(*request);
    if (trial == nullptr) return NotFound(request->trial());
    v1::ListReportsResponse& reports = reports_[request->trial()];
    reports.mutable_reports()->MergeFrom(request->reports());
    response->set_state(trial->state());
    response->set_report_count(reports.reports_size());
    if (trial->has_lease_end_time()) *response->mutable_lease_end_time() = trial->lease_end_time();
    return Status::OK;
  });
}

grpc::Status FakeService::ListReports(Context* context, const v1::ListReportsRequest* request,
                                      v1::ListReportsResponse* response) {
  return Answer(context, "ListReports", "", response, [&] {
    *response = reports_[request->trial()];
    return Status::OK;
  });
}

grpc::Status FakeService::WatchStudy(Context* context, const v1::WatchStudyRequest* request,
                                     grpc::ServerWriter<v1::WatchResponse>* writer) {
  v1::WatchResponse response;
  Status broken = Status::OK;
  const Status status = Answer(context, "WatchStudy", "", &response, [&] {
    if (!events_.empty()) {
      response.mutable_events()->Assign(events_.begin(), events_.end());
      return Status::OK;
    }
    const std::vector<v1::Trial>& trials = trials_[request->study()];
    const size_t told = request->resume_token().empty() ? 0 : std::stoul(request->resume_token());
    for (size_t i = told; i < std::min(told + 2, trials.size()); ++i) {
      v1::StudyEvent* event = response.add_events();
      event->set_kind(v1::StudyEvent::TRIAL_ENDED);
      event->set_study(request->study());
      event->set_trial(trials[i].name());
      event->set_value(static_cast<double>(i));
      event->set_resume_token(std::to_string(i + 1));
    }
    const size_t last = told + static_cast<size_t>(response.events_size());
    response.set_resume_token(std::to_string(last));
    if (last < trials.size()) broken = {grpc::StatusCode::UNAVAILABLE, "the server restarts"};
    return Status::OK;
  });
  if (!status.ok()) return status;
  writer->Write(response);
  return broken;
}

// Advises to stop from the second report on.
grpc::Status FakeService::ShouldStop(Context* context, const v1::ShouldStopRequest* request,
                                     v1::ShouldStopResponse* response) {
  return Answer(context, "ShouldStop", "", response, [&] {
    const v1::ListReportsResponse& reports = reports_[request->trial()];
    response->set_stop(reports.reports_size() >= 2);
    response->set_reason(response->stop() ? "two are enough" : "too early");
    return Status::OK;
  });
}

grpc::Status FakeService::UpdateTrial(Context* context, const v1::UpdateTrialRequest* request,
                                      v1::Trial* response) {
  return Answer(context, "UpdateTrial", request->request_id(), response, [&] {
    const std::string& name = request->trial().name();
    v1::Trial* const trial = FindTrial(name);
    if (trial == nullptr) return NotFound(name);
    if (!IsMeant(name.substr(0, name.find("/trials/")), *request)) return NotFound(name);
    updates_.push_back(*request);
    for (const std::string& path : request->update_mask().paths()) {
      if (path == "note") trial->set_note(request->trial().note());
      if (path == "labels") *trial->mutable_labels() = request->trial().labels();
    }
    *response = *trial;
    return Status::OK;
  });
}

grpc::Status FakeService::Observe(Context* context, const v1::ObserveRequest* request,
                                  v1::Trial* response) {
  return Answer(context, "Observe", request->request_id(), response, [&] {
    v1::Trial* const trial = FindMeant(*request);
    if (trial == nullptr) return NotFound(request->trial());
    End(request->outcome(), trial);
    *response = *trial;
    response->clear_configuration();  // Like the real server.
    return Status::OK;
  });
}

grpc::Status FakeService::AddTrials(Context* context, const v1::AddTrialsRequest* request,
                                    v1::AddTrialsResponse* response) {
  return Answer(context, "AddTrials", request->request_id(), response, [&] {
    if (!IsMeant(request->study(), *request)) return NotFound(request->study());
    for (const v1::Observation& observation : request->observations()) {
      v1::Trial& trial = NewTrial(request->study());
      trial.set_state(v1::Trial::REQUESTED);
      *trial.mutable_configuration() = observation.configuration();
      if (observation.has_outcome()) End(observation.outcome(), &trial);
      *response->add_trials() = trial;
    }
    return Status::OK;
  });
}

grpc::Status FakeService::GetTrial(Context* context, const v1::GetTrialRequest* request,
                                   v1::Trial* response) {
  return Answer(context, "GetTrial", "", response, [&] {
    v1::Trial* const trial = FindTrial(request->name());
    if (trial == nullptr) return NotFound(request->name());
    *response = *trial;
    if (replaced_once_read_ == request->name()) {
      trial->mutable_create_time()->set_seconds(++created_);
      replaced_once_read_.clear();
    }
    return Status::OK;
  });
}

grpc::Status FakeService::ListTrials(Context* context, const v1::ListTrialsRequest* request,
                                     v1::ListTrialsResponse* response) {
  return Answer(context, "ListTrials", "", response, [&] {
    if (!IsMeant(request->study(), *request)) return NotFound(request->study());
    std::vector<v1::Trial> wanted;
    for (const v1::Trial& trial : trials_[request->study()]) {
      const auto& states = request->states();
      const bool in = std::find(states.begin(), states.end(), trial.state()) != states.end();
      if (states.empty() || in) wanted.push_back(trial);
    }
    return Page(wanted, *request, response,
                [&](const v1::Trial& trial) { *response->add_trials() = trial; });
  });
}

grpc::Status FakeService::BestTrials(Context* context, const v1::BestTrialsRequest* request,
                                     v1::BestTrialsResponse* response) {
  return Answer(context, "BestTrials", "", response, [&] {
    if (!IsMeant(request->study(), *request)) return NotFound(request->study());
    std::vector<v1::Trial> trials = trials_[request->study()];
    const auto value = [](const v1::Trial& trial) {
      const auto& metrics = trial.measurement().metrics();
      return metrics.empty() ? -1e300 : metrics.begin()->second;
    };
    std::stable_sort(trials.begin(), trials.end(),
                     [&](const v1::Trial& a, const v1::Trial& b) { return value(a) > value(b); });
    for (const v1::Trial& trial : trials) {
      const bool full = response->trials_size() == request->count();
      if (!full && trial.state() == v1::Trial::SUCCEEDED) *response->add_trials() = trial;
    }
    return Status::OK;
  });
}

grpc::Status FakeService::Explain(Context* context, const v1::ExplainRequest* request,
                                  v1::Explanation* response) {
  return Answer(context, "Explain", "", response, [&] {
    const v1::Trial* const trial = FindTrial(request->trial());
    if (trial == nullptr) return NotFound(request->trial());
    *response->mutable_trial() = *trial;
    v1::Provenance& provenance = *response->mutable_provenance();
    provenance.set_preset("quasi_random");
    provenance.set_rung(v1::Provenance::WITHOUT_TRANSFER);
    provenance.set_rung_reason("too late");
    auto& fact = *provenance.add_facts();
    fact.set_name("sobol_index");
    fact.set_number(7);
    return Status::OK;
  });
}

namespace {

void AddOption(const std::string& name, const std::string& ingredient,
               v1::ListPresetsResponse* response) {
  auto& option = *response->add_options();
  option.set_name(name);
  option.set_summary("About " + name);
  option.set_min(1);
  option.set_max(9);
  option.add_ingredients(ingredient);
}

}  // namespace

grpc::Status FakeService::GetServerStatus(Context* context, const v1::GetServerStatusRequest*,
                                          v1::ServerStatus* response) {
  return Answer(context, "GetServerStatus", "", response, [&] {
    response->set_version("9.9");
    response->mutable_start_time()->set_seconds(1'700'000'000);
    response->mutable_uptime()->set_seconds(90'000);
    response->mutable_contents()->set_studies(3);
    response->mutable_contents()->set_trials(400);
    response->mutable_contents()->set_source_tasks(1);
    response->mutable_store()->set_message("the disk is full");
    response->mutable_store()->set_commits(10);
    response->mutable_store()->set_writes(25);
    response->mutable_store()->mutable_commit_time()->set_nanos(20'000'000);
    response->mutable_store()->set_file_bytes(3 << 20);
    response->mutable_store()->set_disk_free_bytes(int64_t{5} << 30);
    v1::ServerStatus::Queue* const queue = response->add_queues();
    queue->set_name("reads");
    queue->set_waiting(7);
    queue->set_limit(100);
    v1::ServerStatus::Cache* const cache = response->add_caches();
    cache->set_name("histories");
    cache->set_bytes(1536);
    cache->set_limit_bytes(16 << 20);
    v1::ServerStatus::Limit* const limit = response->add_limits();
    limit->set_name("trials of a study");
    limit->set_value(1000);
    limit->set_flag("--max-trials-per-study");
    v1::ServerStatus::File* const tokens = response->add_files();
    tokens->set_name("tokens");
    tokens->set_is_in_force(true);
    response->add_files()->set_name("tls");
    response->mutable_certificate_end_time()->set_seconds(1'700'000'000);
    response->mutable_last_backup_time()->set_seconds(absl::ToUnixSeconds(absl::Now()) - 7'200);
    v1::ServerStatus::Project* const project = response->add_projects();
    project->set_name("projects/vision");
    project->set_studies(3);
    project->set_trials(400);
    project->set_bytes(1536);
    project->mutable_quota()->set_studies(10);
    project->mutable_quota()->set_bytes(4 << 20);
    project->mutable_quota()->set_calls_per_second(2.5);
    return Status::OK;
  });
}

grpc::Status FakeService::ListPresets(Context* context, const v1::ListPresetsRequest*,
                                      v1::ListPresetsResponse* response) {
  return Answer(context, "ListPresets", "", response, [&] {
    auto& preset = *response->add_presets();
    preset.set_name("quasi_random");
    preset.set_summary("Points that fill the space evenly");
    preset.set_is_default(true);
    auto& scaml = *response->add_presets();
    scaml.set_name("scaml");
    scaml.set_summary("Sources with learnt weights");
    scaml.mutable_recipe()->set_prior("scaml");
    scaml.mutable_recipe()->set_calibration("expanding(map)");
    scaml.mutable_recipe()->set_exploration("none");
    (*scaml.mutable_recipe()->mutable_options())["weight_rate"] = 2;
    AddOption("weight_rate", "prior scaml", response);
    AddOption("norm", "calibration expanding", response);
    response->mutable_options(1)->set_default_value(3);
    auto& prior = *response->add_ingredients();
    prior.set_axis("prior");
    prior.set_name("scaml");
    prior.set_summary("Learnt weights");
    prior.set_source("ScaML-GP");
    prior.add_options("weight_rate");
    auto& none = *response->add_ingredients();
    none.set_axis("exploration");
    none.set_name("none");
    none.set_summary("Always the acquisition's point");
    auto& no_prior = *response->add_ingredients();
    no_prior.set_axis("prior");
    no_prior.set_name("none");
    auto& median = *response->add_ingredients();
    median.set_axis("stopping");
    median.set_name("median");
    median.set_summary("Worse than half");
    median.add_options("grace_steps");
    AddOption("grace_steps", "stopping median", response);
    response->mutable_options(2)->set_unit("steps");
    response->mutable_options(2)->set_whole(true);
    response->mutable_options(2)->set_default_value(5);
    return Status::OK;
  });
}

grpc::Status FakeService::RegisterSourceTask(
    Context* context, grpc::ServerReader<v1::RegisterSourceTaskRequest>* reader,
    v1::RegisterSourceTaskResponse* response) {
  v1::RegisterSourceTaskRequest message;
  v1::RegisterSourceTaskRequest::Header header;
  std::vector<v1::Observation> observations;
  std::vector<int> chunks;
  size_t largest = 0;
  while (reader->Read(&message)) {
    if (message.has_header()) header = message.header();
    chunks.push_back(message.observations_size());
    largest = std::max(largest, message.ByteSizeLong());
    observations.insert(observations.end(), message.observations().begin(),
                        message.observations().end());
  }
  return Answer(context, "RegisterSourceTask", header.request_id(), response, [&] {
    observations_ = observations;
    chunks_ = chunks;
    largest_message_ = largest;
    for (const v1::SourceTask& known : sources_) {
      if (observations_of_.count(known.name()) == 0) continue;
      if (known.origin() != header.source_task().origin()) continue;
      *response->mutable_source_task() = known;
      response->set_already_registered(true);
      return Status::OK;
    }
    v1::SourceTask& task = *response->mutable_source_task();
    task = header.source_task();
    task.set_name(
        absl::StrCat("sourceTasks/", std::string(24, 'a'), "0000000", sources_.size() % 10));
    task.set_observation_count(static_cast<int64_t>(observations.size()));
    if (!header.validate_only()) sources_.push_back(task);
    return Status::OK;
  });
}

grpc::Status FakeService::BackupStore(Context* context, const v1::BackupStoreRequest* request,
                                      v1::BackupStoreResponse* response) {
  return Answer(context, "BackupStore", "", response, [&] {
    response->set_path("/backups/" + request->name());
    response->set_file_bytes(5 << 20);
    response->mutable_duration()->set_seconds(2);
    return Status::OK;
  });
}

void FakeService::SetExport(std::vector<v1::ExportLine> lines) {
  const std::lock_guard<std::mutex> lock(mutex_);
  export_ = std::move(lines);
}

void FakeService::BreakExports(int times, int messages) {
  const std::lock_guard<std::mutex> lock(mutex_);
  breaking_exports_ = times;
  messages_before_break_ = messages;
}

std::vector<v1::UpdateTrialRequest> FakeService::updates() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return updates_;
}

std::vector<v1::ImportStudyRequest> FakeService::import() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return import_;
}

grpc::Status FakeService::ExportStudy(Context*, const v1::ExportStudyRequest*,
                                      grpc::ServerWriter<v1::ExportStudyResponse>* writer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool breaks = breaking_exports_ > 0 && breaking_exports_-- > 0;
  int messages = 0;
  for (size_t i = 0; i < export_.size(); i += 2) {
    if (breaks && messages++ == messages_before_break_) {
      return {grpc::StatusCode::UNAVAILABLE, "the stream broke"};
    }
    v1::ExportStudyResponse response;
    *response.add_lines() = export_[i];
    if (i + 1 < export_.size()) *response.add_lines() = export_[i + 1];
    writer->Write(response);
  }
  return Status::OK;
}

grpc::Status FakeService::ImportStudy(Context* context,
                                      grpc::ServerReader<v1::ImportStudyRequest>* reader,
                                      v1::Study* response) {
  std::vector<v1::ImportStudyRequest> messages;
  v1::ImportStudyRequest message;
  while (reader->Read(&message)) messages.push_back(message);
  if (messages.empty()) return {grpc::StatusCode::INVALID_ARGUMENT, "no header"};
  const v1::ImportStudyRequest::Header header = messages.front().header();
  return Answer(context, "ImportStudy", header.request_id(), response, [&] {
    import_ = messages;
    response->set_name("studies/" + header.study_id());
    if (Find(studies_, response->name()) == studies_.end()) studies_.push_back(*response);
    return Status::OK;
  });
}

grpc::Status FakeService::GetSourceTask(Context* context, const v1::GetSourceTaskRequest* request,
                                        v1::SourceTask* response) {
  return Answer(context, "GetSourceTask", "", response, [&] {
    const auto found = Find(sources_, request->name());
    if (found == sources_.end()) return NotFound(request->name());
    *response = *found;
    return Status::OK;
  });
}

grpc::Status FakeService::ListSourceTasks(Context* context,
                                          const v1::ListSourceTasksRequest* request,
                                          v1::ListSourceTasksResponse* response) {
  return Answer(context, "ListSourceTasks", "", response, [&] {
    return Page(sources_, *request, response,
                [&](const v1::SourceTask& task) { *response->add_source_tasks() = task; });
  });
}

grpc::Status FakeService::ListSourceObservations(Context* context,
                                                 const v1::ListSourceObservationsRequest* request,
                                                 v1::ListSourceObservationsResponse* response) {
  return Answer(context, "ListSourceObservations", "", response, [&] {
    const auto added = observations_of_.find(request->source_task());
    const auto& told = added == observations_of_.end() ? observations_ : added->second;
    return Page(told, *request, response, [&](const v1::Observation& observation) {
      *response->add_observations() = observation;
    });
  });
}

grpc::Status FakeService::DeleteSourceTask(Context* context,
                                           const v1::DeleteSourceTaskRequest* request,
                                           google::protobuf::Empty* response) {
  return Answer(context, "DeleteSourceTask", request->request_id(), response, [&] {
    const auto found = Find(sources_, request->name());
    if (found == sources_.end()) return NotFound(request->name());
    sources_.erase(found);
    return Status::OK;
  });
}

FakeServer::FakeServer() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.RegisterService(&service_);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, kMostIdleThreads);
  server_ = builder.BuildAndStart();
}

void FakeServer::StartThreads(int count) {
  const size_t before = service_.calls().size();
  service_.FailNext(count, {.hold = true});
  std::vector<std::thread> callers;
  for (int i = 0; i < count; ++i) {
    callers.emplace_back([this] {
      const auto channel = grpc::CreateChannel(address(), grpc::InsecureChannelCredentials());
      grpc::ClientContext context;
      v1::Study study;
      (void)v1::OptimizationService::NewStub(channel)->GetStudy(&context, {}, &study);
    });
  }
  while (service_.calls().size() < before + count) std::this_thread::yield();
  service_.Release();
  for (std::thread& caller : callers) caller.join();
}

FakeServer::~FakeServer() {
  service_.Release();
  server_->Shutdown();
}

std::string FakeServer::address() const { return absl::StrCat("127.0.0.1:", port_); }

v1::Study SmallStudy() {
  v1::Study study;
  v1::Parameter& rate = *study.mutable_space()->add_parameters();
  rate.set_name("lr");
  rate.mutable_double_domain()->set_max(1);
  v1::Parameter& kernel = *study.mutable_space()->add_parameters();
  kernel.set_name("kernel");
  kernel.mutable_categorical_domain()->add_values("rbf");
  kernel.mutable_categorical_domain()->add_values("poly");
  v1::Parameter& degree = *study.mutable_space()->add_parameters();
  degree.set_name("degree");
  degree.mutable_integer_domain()->set_min(2);
  degree.mutable_integer_domain()->set_max(5);
  degree.mutable_condition()->set_parent("kernel");
  degree.mutable_condition()->add_values()->set_category_value("poly");
  v1::Metric& metric = *study.add_metrics();
  metric.set_name("accuracy");
  metric.set_goal(v1::Metric::MAXIMIZE);
  study.set_state(v1::Study::ACTIVE);
  return study;
}

}  // namespace slipstream
