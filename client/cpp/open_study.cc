#include "client/cpp/open_study.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cpp/call_error.h"
#include "client/cpp/differences.h"
#include "client/cpp/existing_study.h"
#include "client/cpp/this_process.h"
#include "client/cpp/value_message.h"

namespace slipstream::client_internal {
namespace {

using client::Configuration;
using client::NewStudy;
using client::TrialRecord;

constexpr int kTrialsPerPage = 500;

absl::Status Different(const Client& client, const NewStudy& asked,
                       const std::vector<std::string>& differences) {
  return absl::FailedPreconditionError(
      absl::StrCat("study '", asked.id, "' on ", client.options().address,
                   " exists, but is not the one asked for:\n  ", absl::StrJoin(differences, "\n  "),
                   "\nUse it unchanged with Load(\"", asked.id, "\"), or choose another id."));
}

}  // namespace

absl::StatusOr<std::string> FullName(const std::string& id) {
  const std::string bare(absl::StripPrefix(id, "studies/"));
  if (!bare.empty() && !absl::StrContains(bare, '/')) return "studies/" + bare;
  return absl::InvalidArgumentError(
      absl::StrCat("'", id, "' is not the id of a study, such as \"digits\""));
}

absl::StatusOr<v1::Study> CreateOrRead(Client& client, const NewStudy& asked) {
  const absl::StatusOr<std::string> name = FullName(asked.id);
  if (!name.ok()) return name.status();
  absl::StatusOr<v1::Study> study = client.GetStudy(*name);
  if (absl::IsNotFound(study.status())) {
    study = client.CreateStudy(asked);
    if (!absl::IsAlreadyExists(study.status())) return study;
    study = client.GetStudy(*name);  // Another process was faster.
  }
  if (!study.ok()) return study.status();
  const std::vector<std::string> differences = Differences(asked, DescriptionOf(*study));
  if (!differences.empty()) return Different(client, asked, differences);
  return study;
}

OpenStudy::OpenStudy(std::shared_ptr<Client> client, const v1::Study& study)
    : client_(std::move(client)),
      study_(study),
      description_(DescriptionOf(study)),
      lanes_(std::make_shared<Lanes>(ChooseWorker(client_->options().worker),
                                     /*may_have_left=*/!client_->options().worker.empty())),
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

absl::StatusOr<std::vector<std::shared_ptr<HeldTrial>>> OpenStudy::Suggest(int count) {
  if (count < 1) {
    return absl::InvalidArgumentError(absl::StrCat("count is ", count, ", must be 1 or more"));
  }
  if (absl::Status status = RecallLanes(); !status.ok()) return status;
  const size_t lane = lanes_->Take(count);
  const std::string worker = lanes_->WorkerOf(lane);
  v1::SuggestRequest request;
  study_.NameIn(&request);
  request.set_worker(worker);
  request.set_count(count);
  *request.mutable_process() = ThisProcess();
  const absl::StatusOr<v1::SuggestResponse> response = client_->Suggest(std::move(request));
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
                                           std::optional<double> value) {
  v1::AddTrialsRequest request;
  study_.NameIn(&request);
  v1::Observation& observation = *request.add_observations();
  *observation.mutable_configuration() = MessageOf(params);
  if (value.has_value()) {
    (*observation.mutable_outcome()->mutable_measurement()->mutable_metrics())[metric()] = *value;
  }
  const absl::StatusOr<v1::AddTrialsResponse> added = client_->AddTrials(std::move(request));
  if (!added.ok()) return added.status();
  return RecordOf(added->trials(0), metric());
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
