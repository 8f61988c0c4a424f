#include "client/cpp/open_study.h"

#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cpp/call_error.h"
#include "client/cpp/differences.h"
#include "client/cpp/existing_study.h"
#include "client/cpp/new_study_message.h"
#include "client/cpp/outcome_message.h"
#include "client/cpp/study_name.h"
#include "client/cpp/this_process.h"
#include "client/cpp/turns.h"
#include "client/cpp/value_message.h"

namespace slipstream::client_internal {
namespace {

using client::Configuration;
using client::NewStudy;
using client::Outcome;
using client::TrialRecord;

constexpr int kTrialsPerPage = 500;

absl::Status Different(const Client& client, const std::string& name,
                       const std::vector<std::string>& differences) {
  return absl::FailedPreconditionError(
      absl::StrCat("study '", name, "' on ", client.options().address,
                   " exists, but is not the one asked for:\n  ", absl::StrJoin(differences, "\n  "),
                   "\nUse it unchanged with Load(\"", name, "\"), or choose another id."));
}

}  // namespace

absl::StatusOr<v1::Study> CreateOrRead(Client& client, const NewStudy& asked) {
  const std::string& otherwise = client.options().project;
  const absl::StatusOr<StudyName> name = ReadStudyName(asked.id, asked.project, otherwise);
  if (!name.ok()) return name.status();
  absl::StatusOr<v1::Study> study = client.GetStudy(name->Full());
  if (absl::IsNotFound(study.status())) {
    study = client.CreateStudy(asked);
    if (!absl::IsAlreadyExists(study.status())) return study;
    study = client.GetStudy(name->Full());  // Another process was faster.
  }
  if (!study.ok()) return study.status();
  const absl::StatusOr<NewStudy> named = InItsProject(asked, otherwise);
  if (!named.ok()) return named.status();
  const std::vector<std::string> differences = Differences(*named, DescriptionOf(*study));
  if (!differences.empty()) return Different(client, name->Short(), differences);
  return study;
}

OpenStudy::OpenStudy(std::shared_ptr<Client> client, const v1::Study& study)
    : client_(std::move(client)),
      study_(study),
      description_(DescriptionOf(study)),
      lanes_(LanesOf(client_->options().worker, client_->options().address, study_.Identity())),
      renewals_(std::make_shared<Renewals>()),
      annotations_(std::make_shared<Annotations>(client_, study_)) {}

const std::string& OpenStudy::metric() const {
  return description_.maximize.empty() ? description_.minimize : description_.maximize;
}

absl::Status OpenStudy::RecallLanes() {
  if (lanes_->recalled()) return absl::OkStatus();
  v1::ListTrialsRequest request;
  study_.NameIn(&request);
  request.set_page_size(kTrialsPerPage);
  request.add_states(v1::Trial::ACTIVE);
  request.mutable_read_mask()->add_paths("worker");
  std::vector<std::string> holders;
  const absl::Status listed = client_->ListAllTrials(request, [&](const v1::Trial& trial) {
    holders.push_back(trial.worker());
    return true;
  });
  if (listed.ok()) lanes_->Recall(holders);
  return listed;
}

absl::StatusOr<std::vector<std::shared_ptr<HeldTrial>>> OpenStudy::Suggest(
    int count, const std::function<bool()>& is_wanted) {
  if (count < 1) {
    return absl::InvalidArgumentError(absl::StrCat("count is ", count, ", must be 1 or more"));
  }
  if (absl::Status status = renewals_->Start(); !status.ok()) return status;
  if (absl::Status status = RecallLanes(); !status.ok()) return status;
  const size_t lane = lanes_->Take(count);
  const std::string worker = lanes_->WorkerOf(lane);
  v1::SuggestRequest request;
  study_.NameIn(&request);
  request.set_worker(worker);
  request.set_count(count);
  *request.mutable_process() = ThisProcess();
  const absl::StatusOr<v1::SuggestResponse> response =
      client_->Suggest(std::move(request), is_wanted);
  const int got = response.ok() ? response->trials_size() : 0;
  lanes_->Resumed(lane, got);
  if (absl::IsFailedPrecondition(response.status())) lanes_->ResumedAll(lane);
  lanes_->GiveBack(lane, count - got);
  if (IsUsedUp(response.status())) return absl::OutOfRangeError(response.status().message());
  if (!response.ok()) return response.status();
  const Holder holder = {client_,
                         renewals_,
                         annotations_,
                         study_,
                         metric(),
                         worker,
                         description_.lease.value_or(std::chrono::nanoseconds(0)),
                         [lanes = lanes_, lane] { lanes->GiveBack(lane); }};
  std::vector<std::shared_ptr<HeldTrial>> held;
  for (const v1::Trial& trial : response->trials()) {
    held.push_back(HeldTrial::Hold(holder, RecordOf(trial, metric())));
  }
  return held;
}

absl::StatusOr<std::vector<TrialRecord>> OpenStudy::Trials() {
  v1::ListTrialsRequest request;
  study_.NameIn(&request);
  request.set_page_size(kTrialsPerPage);
  std::vector<TrialRecord> records;
  const absl::Status listed = client_->ListAllTrials(request, [&](const v1::Trial& trial) {
    records.push_back(RecordOf(trial, metric()));
    return true;
  });
  if (!listed.ok()) return listed;
  return records;
}

absl::StatusOr<std::optional<TrialRecord>> OpenStudy::Best() {
  v1::BestTrialsRequest request;
  study_.NameIn(&request);
  request.set_count(1);
  const absl::StatusOr<v1::BestTrialsResponse> best = client_->BestTrials(request);
  if (!best.ok()) return best.status();
  if (best->trials().empty()) return std::optional<TrialRecord>();
  return std::make_optional(RecordOf(best->trials(0), metric()));
}

absl::StatusOr<TrialRecord> OpenStudy::Add(const Configuration& params,
                                           const std::optional<Outcome>& outcome) {
  v1::AddTrialsRequest request;
  study_.NameIn(&request);
  v1::Observation& observation = *request.add_observations();
  *observation.mutable_configuration() = MessageOf(params);
  if (outcome.has_value()) {
    absl::StatusOr<v1::Outcome> message = MessageOf(*outcome, metric());
    if (!message.ok()) return message.status();
    *observation.mutable_outcome() = *std::move(message);
  }
  const absl::StatusOr<v1::AddTrialsResponse> added = client_->AddTrials(std::move(request));
  if (!added.ok()) return added.status();
  return RecordOf(added->trials(0), metric());
}

absl::StatusOr<v1::Study> OpenStudy::Read() {
  absl::StatusOr<v1::Study> study = client_->GetStudy(name());
  if (!study.ok() || study_.Is(*study)) return study;
  return absl::NotFoundError(absl::StrCat(
      "cannot read ", name(), " on ", client_->options().address,
      ": the study that was opened has been deleted, and another one has its name"));
}

absl::StatusOr<v1::Trial> OpenStudy::ReadTrial(int64_t number) {
  absl::StatusOr<v1::Trial> trial = client_->GetTrial(absl::StrCat(name(), "/trials/", number));
  if (!trial.ok()) return trial;
  // Trials are read by name alone, so that it may be another study's.
  if (absl::Status status = Read().status(); !status.ok()) return status;
  return trial;
}

absl::StatusOr<TrialRecord> OpenStudy::Find(int64_t number) {
  const absl::StatusOr<v1::Trial> trial = ReadTrial(number);
  if (!trial.ok()) return trial.status();
  return RecordOf(*trial, metric());
}

absl::StatusOr<TrialRecord> OpenStudy::Tell(int64_t number, const Outcome& outcome) {
  absl::StatusOr<v1::Outcome> message = MessageOf(outcome, metric());
  if (!message.ok()) return message.status();
  const absl::StatusOr<v1::Trial> trial = ReadTrial(number);
  if (!trial.ok()) return trial.status();
  v1::ObserveRequest request;
  request.set_trial(trial->name());
  if (trial->has_create_time()) *request.mutable_create_time() = trial->create_time();
  *request.mutable_outcome() = *std::move(message);
  const absl::StatusOr<v1::Trial> observed = client_->Observe(std::move(request));
  if (!observed.ok()) return observed.status();
  return RecordOf(*observed, metric());
}

absl::StatusOr<NewStudy> OpenStudy::Change(const client::StudyChange& change) {
  const std::shared_ptr<std::mutex> turn = TurnOf(client_->options().address, name());
  const std::lock_guard<std::mutex> lock(*turn);
  const absl::StatusOr<v1::Study> now = Read();
  if (!now.ok()) return now.status();
  v1::UpdateStudyRequest request;
  study_.TellTimeIn(&request);
  v1::Study& changed = *request.mutable_study();
  changed.set_name(name());
  *changed.mutable_labels() = now->labels();
  *changed.mutable_lease_policy() = now->lease_policy();
  if (change.title.value_or(now->display_name()) != now->display_name()) {
    changed.set_display_name(*change.title);
    request.mutable_update_mask()->add_paths("display_name");
  }
  if (ChangeLabels(change.labels, changed.mutable_labels())) {
    request.mutable_update_mask()->add_paths("labels");
  }
  if (change.lease.has_value() || change.requeues.has_value()) {
    FillLease(change.lease, change.requeues, changed.mutable_lease_policy());
    request.mutable_update_mask()->add_paths("lease_policy");
  }
  if (request.update_mask().paths().empty()) return DescriptionOf(*now);
  const absl::StatusOr<v1::Study> then = client_->UpdateStudy(std::move(request));
  if (!then.ok()) return then.status();
  return DescriptionOf(*then);
}

absl::StatusOr<TrialRecord> OpenStudy::Annotate(int64_t number,
                                                const client::Annotation& annotation) {
  const absl::StatusOr<v1::Trial> trial =
      annotations_->Write(absl::StrCat(name(), "/trials/", number), std::nullopt, annotation);
  if (!trial.ok()) return trial.status();
  return RecordOf(*trial, metric());
}

absl::Status OpenStudy::SetState(v1::Study::State state) {
  v1::UpdateStudyRequest request;
  study_.TellTimeIn(&request);
  request.mutable_study()->set_name(name());
  request.mutable_study()->set_state(state);
  request.mutable_update_mask()->add_paths("state");
  return client_->UpdateStudy(std::move(request)).status();
}

}  // namespace slipstream::client_internal
