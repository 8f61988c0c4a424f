#include "tests/e2e/kills/busy_client.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/e2e/requests.h"

namespace slipstream::kills {
namespace {

constexpr size_t kMostTrials = 15;
constexpr size_t kMostSources = 6;
constexpr int64_t kLeaseSeconds = 3600;

}  // namespace

BusyClient::BusyClient(int client, std::string prefix, unsigned seed)
    : client_(client),
      prefix_(std::move(prefix)),
      worker_(absl::StrCat("worker-", client)),
      random_(seed) {}

void BusyClient::Share(SharedStudy* study) {
  expected_.Forget(shared_.study.name());
  shared_study_ = study;
  shared_ = KnownStudy();
  shared_.study.set_name(study->name);
}

void BusyClient::Work(Stub& stub) {
  if (!Settle(stub)) return;
  while (CallOnce(stub)) {
  }
}

void BusyClient::Check(Stub& stub) {
  calls_.RepeatSome(stub, random_);
  Differences differences;
  if (own_.has_value()) {
    provenances_compared_ += CompareStudy(stub, &*own_, &differences);
    compared_ += static_cast<int64_t>(own_->trials.size());
  }
  for (const auto& entry : sources_) CompareSource(stub, entry.second, &differences);
  for (const std::string& study : deleted_) CompareDeleted(stub, study, &differences);
  for (std::string& each : differences) calls_.Fail(std::move(each));
  std::erase_if(sources_, [](const auto& entry) { return entry.second.deleted; });
}

std::vector<std::string> BusyClient::TakeDeleted() {
  for (const std::string& study : deleted_) expected_.Forget(study);
  return std::exchange(deleted_, {});
}

int64_t BusyClient::AnyOf(const std::vector<int64_t>& numbers) {
  return numbers[static_cast<size_t>(Below(static_cast<int>(numbers.size())))];
}

std::string BusyClient::NextId(const char* what) {
  return absl::StrCat(prefix_, "-", what, client_, "-", ++ids_);
}

bool BusyClient::CallOnce(Stub& stub) {
  if (!own_.has_value()) return Below(4) == 0 ? ImportStudy(stub) : CreateStudy(stub);
  const int kind = Below(100);
  if (kind < 72) return CallOnOwn(stub, kind);
  if (kind < 92) return CallOnShared(stub, kind);
  return kind < 97 ? RegisterSource(stub) : DeleteSource(stub);
}

bool BusyClient::CallOnOwn(Stub& stub, int kind) {
  if (own_->trials.size() >= kMostTrials) return DeleteStudy(stub);
  if (kind < 12) return Suggest(stub, *own_);
  if (kind < 18) return Explain(stub);
  if (kind < 34) return Observe(stub, *own_);
  if (kind < 38) return Heartbeat(stub, *own_);
  if (kind < 44) return Release(stub, *own_);
  if (kind < 54) return Report(stub, *own_);
  if (kind < 60) return UpdateTrial(stub);
  return kind < 67 ? AddTrials(stub) : UpdateStudy(stub);
}

bool BusyClient::CallOnShared(Stub& stub, int kind) {
  if (kind < 82) return Suggest(stub, shared_);
  if (kind < 88) return Observe(stub, shared_);
  return kind < 91 ? Release(stub, shared_) : Heartbeat(stub, shared_);
}

bool BusyClient::CreateStudy(Stub& stub) {
  const std::string id = NextId("s");
  v1::Study study = ExampleStudy();
  study.set_display_name(absl::StrCat("of client ", client_));
  study.mutable_lease_policy()->mutable_duration()->set_seconds(kLeaseSeconds);
  return calls_.Change(stub, "CreateStudy", &Stub::CreateStudy, CreateRequest(study, id),
                       NextId("id"), [this](const v1::Study& response) {
                         own_.emplace().study = response;
                         expected_.Add(response.name(), "", v1::StudyEvent::STUDY_CREATED);
                       });
}

bool BusyClient::ImportStudy(Stub& stub) {
  v1::ImportStudyRequest request;
  request.mutable_header()->set_study_id(NextId("i"));
  request.mutable_header()->set_request_id(NextId("id"));
  std::vector<v1::Trial> trials;
  for (int i = 0; i < 1 + Below(3); ++i) {
    v1::Trial& trial = trials.emplace_back();
    *trial.mutable_configuration() = ExampleConfiguration(1e-4 + 0.9 * Number());
    *trial.mutable_measurement() = LossOutcome(Number()).measurement();
    trial.set_state(v1::Trial::SUCCEEDED);
    trial.mutable_create_time()->set_seconds(2);
    trial.mutable_end_time()->set_seconds(3);
  }
  for (v1::ExportLine& line : LinesOf(ExampleStudy(), trials)) {
    *request.add_lines() = std::move(line);
  }
  const auto send = [request](Stub& server, v1::Study* response) {
    return Import(server, request, response);
  };
  return calls_.Upload<v1::Study>(
      stub, "ImportStudy", send, [this, trials](const v1::Study& response) {
        own_.emplace().study = response;
        for (size_t i = 0; i < trials.size(); ++i) {
          v1::Trial trial = trials[i];
          trial.set_name(absl::StrCat(response.name(), "/trials/", i + 1));
          own_->Take(trial);
        }
        expected_.Add(response.name(), "", v1::StudyEvent::STUDY_CREATED);
      });
}

bool BusyClient::UpdateStudy(Stub& stub) {
  v1::UpdateStudyRequest request;
  request.mutable_study()->set_name(own_->study.name());
  request.mutable_study()->set_display_name(NextId("title"));
  (*request.mutable_study()->mutable_labels())["client"] = absl::StrCat(Below(1000));
  request.mutable_update_mask()->add_paths("display_name");
  request.mutable_update_mask()->add_paths("labels");
  return calls_.Change(stub, "UpdateStudy", &Stub::UpdateStudy, request, NextId("id"),
                       [this](const v1::Study& response) {
                         own_->study = response;
                         expected_.Add(response.name(), "", v1::StudyEvent::STUDY_CHANGED);
                       });
}

bool BusyClient::DeleteStudy(Stub& stub) {
  v1::DeleteStudyRequest request;
  request.set_name(own_->study.name());
  return calls_.Change(stub, "DeleteStudy", &Stub::DeleteStudy, request, NextId("id"),
                       [this](const google::protobuf::Empty&) {
                         deleted_.push_back(own_->study.name());
                         own_.reset();
                       });
}

bool BusyClient::Suggest(Stub& stub, KnownStudy& study) {
  const int count = static_cast<int>(study.Active().size()) + 1 + Below(3) / 2;
  return calls_.Change(
      stub, "Suggest", &Stub::Suggest, AskRequest(study.study.name(), worker_, count), NextId("id"),
      [this, &study](const v1::SuggestResponse& response) { TakeSuggestion(response, study); });
}

void BusyClient::TakeSuggestion(const v1::SuggestResponse& response, KnownStudy& study) {
  std::vector<int64_t> held = study.Active();
  for (const v1::Trial& trial : response.trials()) {
    const int64_t number = NumberOf(trial);
    if (std::erase(held, number) == 0) {
      expected_.Add(study.study.name(), trial.name(), v1::StudyEvent::TRIAL_LEASED);
    }
    // One that was not there before is not from the queue.
    const bool is_new = study.trials.count(number) == 0;
    study.Take(trial);
    if (is_new && &study != &shared_) study.trials.at(number).suggested = true;
    if (&study == &shared_ && !shared_study_->holders.Take(number, client_)) {
      calls_.Fail(absl::StrCat(trial.name(), " was given to ", worker_, ", and another has it"));
    }
  }
  for (const int64_t number : held) {
    calls_.Fail(
        absl::StrCat(study.study.name(), ": trial ", number, " is not ", worker_, "'s any more"));
  }
}

bool BusyClient::Explain(Stub& stub) {
  std::vector<int64_t> unexplained;
  for (const auto& [number, known] : own_->trials) {
    if (known.suggested && !known.provenance.has_value()) unexplained.push_back(number);
  }
  if (unexplained.empty()) return Suggest(stub, *own_);
  const int64_t number = AnyOf(unexplained);
  v1::ExplainRequest request;
  request.set_trial(own_->trials.at(number).trial.name());
  return calls_.Call(stub, "Explain", &Stub::Explain, request,
                     [this, number](const v1::Explanation& response) {
                       own_->trials.at(number).provenance = response.provenance();
                     });
}

bool BusyClient::Observe(Stub& stub, KnownStudy& study) {
  const std::vector<int64_t> active = study.Active();
  if (active.empty()) return Suggest(stub, study);
  v1::Outcome outcome;
  const int kind = Below(6);
  if (kind < 3) {
    outcome = LossOutcome(Number());
  } else if (kind == 3) {
    outcome.mutable_failure()->set_reason(NextId("failure"));
  } else if (kind == 4) {
    outcome.mutable_infeasibility()->set_reason(NextId("impossible"));
  } else {
    outcome.mutable_early_stop()->set_reason(NextId("stop"));
  }
  const std::string trial = study.trials.at(AnyOf(active)).trial.name();
  return calls_.Change(stub, "Observe", &Stub::Observe, TellRequest(trial, outcome), NextId("id"),
                       [this, &study](const v1::Trial& response) {
                         study.Take(response);
                         expected_.Add(study.study.name(), response.name(),
                                       v1::StudyEvent::TRIAL_ENDED);
                       });
}

bool BusyClient::Heartbeat(Stub& stub, const KnownStudy& study) {
  v1::HeartbeatRequest request;
  request.set_study(study.study.name());
  request.set_worker(worker_);
  return calls_.Call(stub, "Heartbeat", &Stub::Heartbeat, request,
                     [this, &study](const v1::HeartbeatResponse& response) {
                       if (response.trials_size() == static_cast<int>(study.Active().size()))
                         return;
                       calls_.Fail(absl::StrCat(
                           "Heartbeat: ", worker_, " holds ", response.trials_size(), " trials of ",
                           study.study.name(), " instead of ", study.Active().size()));
                     });
}

bool BusyClient::Release(Stub& stub, KnownStudy& study) {
  const std::vector<int64_t> active = study.Active();
  if (active.empty()) return Suggest(stub, study);
  const int64_t number = AnyOf(active);
  v1::ReleaseTrialsRequest request;
  request.set_study(study.study.name());
  request.set_worker(worker_);
  request.add_trials(study.trials.at(number).trial.name());
  if (&study == &shared_) shared_study_->holders.GiveBack(number);
  return calls_.Change(stub, "ReleaseTrials", &Stub::ReleaseTrials, request, NextId("id"),
                       [this, &study](const v1::ReleaseTrialsResponse& response) {
                         for (const v1::Trial& trial : response.trials()) {
                           study.Take(trial);
                           if (&study == &shared_) study.trials.erase(NumberOf(trial));
                           expected_.Add(study.study.name(), trial.name(),
                                         v1::StudyEvent::TRIAL_RELEASED);
                         }
                       });
}

bool BusyClient::Report(Stub& stub, KnownStudy& study) {
  const std::vector<int64_t> active = study.Active();
  if (active.empty()) return Suggest(stub, study);
  const int64_t number = AnyOf(active);
  v1::ReportRequest request;
  request.set_trial(study.trials.at(number).trial.name());
  v1::StepMeasurement* report = request.add_reports();
  report->set_step(Below(5));
  (*report->mutable_measurement()->mutable_metrics())["loss"] = Number();
  return calls_.Call(stub, "Report", &Stub::Report, request,
                     [this, &study, number, report = *report](const v1::ReportResponse& response) {
                       KnownTrial& known = study.trials.at(number);
                       known.reports[report.step()] = report.measurement().metrics().at("loss");
                       known.trial.set_report_count(response.report_count());
                       known.trial.set_last_step(known.reports.rbegin()->first);
                       known.trial.set_last_value(known.reports.rbegin()->second);
                       expected_.Add(study.study.name(), known.trial.name(),
                                     v1::StudyEvent::TRIAL_REPORTED);
                     });
}

bool BusyClient::UpdateTrial(Stub& stub) {
  if (own_->trials.empty()) return Suggest(stub, *own_);
  v1::UpdateTrialRequest request;
  const int64_t number = 1 + Below(static_cast<int>(own_->trials.size()));
  request.mutable_trial()->set_name(own_->trials.at(number).trial.name());
  request.mutable_trial()->set_note(NextId("note"));
  (*request.mutable_trial()->mutable_labels())["label"] = absl::StrCat(Below(1000));
  request.mutable_update_mask()->add_paths("note");
  request.mutable_update_mask()->add_paths("labels");
  return calls_.Change(stub, "UpdateTrial", &Stub::UpdateTrial, request, NextId("id"),
                       [this](const v1::Trial& response) { own_->Take(response); });
}

bool BusyClient::AddTrials(Stub& stub) {
  v1::AddTrialsRequest request;
  request.set_study(own_->study.name());
  for (int i = 0; i < 1 + Below(3); ++i) {
    const v1::Configuration configuration = ExampleConfiguration(1e-4 + 0.9 * Number());
    if (Below(2) == 0) {
      request.add_observations()->mutable_configuration()->CopyFrom(configuration);
    } else {
      *request.add_observations() = MeasuredObservation(configuration, Number());
    }
  }
  return calls_.Change(stub, "AddTrials", &Stub::AddTrials, request, NextId("id"),
                       [this](const v1::AddTrialsResponse& response) {
                         for (const v1::Trial& trial : response.trials()) {
                           own_->Take(trial);
                           expected_.Add(own_->study.name(), trial.name(),
                                         trial.state() == v1::Trial::REQUESTED
                                             ? v1::StudyEvent::TRIAL_QUEUED
                                             : v1::StudyEvent::TRIAL_ENDED);
                         }
                       });
}

bool BusyClient::RegisterSource(Stub& stub) {
  if (sources_.size() >= kMostSources) return DeleteSource(stub);
  v1::RegisterSourceTaskRequest::Header header;
  v1::SourceTask* task = header.mutable_source_task();
  *task->mutable_space() = ExampleStudy().space();
  *task->mutable_metrics() = ExampleStudy().metrics();
  task->set_display_name(NextId("source"));
  header.set_request_id(NextId("id"));
  std::vector<v1::Observation> observations;
  for (int i = 0; i < 3; ++i) {
    observations.push_back(MeasuredObservation(ExampleConfiguration(1e-4 + 0.9 * Number()), i));
  }
  const auto send = [header, observations](Stub& server, v1::RegisterSourceTaskResponse* response) {
    return Register(server, header, observations, response);
  };
  return calls_.Upload<v1::RegisterSourceTaskResponse>(
      stub, "RegisterSourceTask", send, [this](const v1::RegisterSourceTaskResponse& response) {
        const v1::SourceTask& source = response.source_task();
        sources_[source.name()].source = source;
      });
}

bool BusyClient::DeleteSource(Stub& stub) {
  const auto there = std::find_if(sources_.begin(), sources_.end(),
                                  [](const auto& entry) { return !entry.second.deleted; });
  if (there == sources_.end()) return Suggest(stub, *own_);
  v1::DeleteSourceTaskRequest request;
  request.set_name(there->first);
  return calls_.Change(stub, "DeleteSourceTask", &Stub::DeleteSourceTask, request, NextId("id"),
                       [this, name = there->first](const google::protobuf::Empty&) {
                         sources_.at(name).deleted = true;
                       });
}

}  // namespace slipstream::kills
