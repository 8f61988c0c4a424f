#include "tests/fuzz/request_maker.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tests/e2e/messages.h"
#include "tests/fuzz/message_mutation.h"

namespace slipstream::fuzz {
namespace {

using google::protobuf::Message;

constexpr size_t kMostSources = 8;
constexpr size_t kMostStrangers = 50;
constexpr uint32_t kTrials = 8;

// Presets that suggest quickly count more.
const std::vector<std::string>& Presets() {
  static const auto& presets =
      *new std::vector<std::string>{"quasi_random", "quasi_random",    "quasi_random", "random", "",
                                    "gp_log_ei",    "source_portfolio"};
  return presets;
}

// Those of the studies that legal requests name.
const std::vector<std::string>& Ids() {
  static const auto& ids = *new std::vector<std::string>{"a", "b", "c"};
  return ids;
}

const std::string& Id(Dice& dice) { return dice.AnyOf(Ids()); }

std::string Worker(Dice& dice) { return absl::StrCat("worker-", dice.Below(3)); }

// Most calls have an id of their own, of which some meet again.
std::string RequestId(Dice& dice) {
  return dice.OneIn(3) ? absl::StrCat("id-", dice.Below(64)) : std::string();
}

v1::Configuration Configuration(Dice& dice) {
  return ExampleConfiguration(1e-5 + 1e-3 * dice.Below(900), 1 + static_cast<int>(dice.Below(8)));
}

v1::Outcome AnyOutcome(Dice& dice) {
  v1::Outcome outcome;
  switch (dice.Below(5)) {
    case 0:
      outcome.mutable_failure()->set_reason("out of memory");
      break;
    case 1:
      outcome.mutable_infeasibility();
      break;
    case 2:
      outcome.mutable_early_stop()->set_reason("hopeless");
      break;
    default:
      outcome = LossOutcome(0.01 * dice.Below(200) - 1);
  }
  return outcome;
}

// One of few, so that the same ones are registered again.
v1::RegisterSourceTaskRequest SourceToRegister(Dice& dice) {
  v1::RegisterSourceTaskRequest request;
  v1::SourceTask* task = request.mutable_header()->mutable_source_task();
  *task->mutable_space() = ExampleStudy().space();
  *task->mutable_metrics() = ExampleStudy().metrics();
  request.mutable_header()->set_request_id(RequestId(dice));
  request.mutable_header()->set_validate_only(dice.OneIn(4));
  RandomDice content(dice.Below(6));
  for (uint32_t i = 0; i < 2 + content.Below(6); ++i) {
    *request.add_observations() = MeasuredObservation(Configuration(content), content.Below(9));
  }
  return request;
}

template <typename Request>
std::unique_ptr<Message> Own(Request request) {
  return std::make_unique<Request>(std::move(request));
}

template <typename Names>
bool Has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename Parseable>
Parseable Parsed(const std::string& bytes) {
  Parseable message;
  if (!message.ParseFromString(bytes)) message.Clear();
  return message;
}

}  // namespace

RequestMaker::RequestMaker() { google::protobuf::SetLogHandler(nullptr); }

std::string RequestMaker::Study(Dice& dice) { return absl::StrCat("studies/", Id(dice)); }

std::string RequestMaker::Trial(Dice& dice) {
  return absl::StrCat(Study(dice), "/trials/", 1 + dice.Below(kTrials));
}

std::string RequestMaker::Source(Dice& dice) { return dice.AnyOf(sources_); }

v1::Study RequestMaker::StudyToMake(Dice& dice) {
  v1::Study study = dice.OneIn(5) ? CandidateStudy(5, dice.AnyOf(Presets()))
                                  : ExampleStudy(dice.AnyOf(Presets()));
  if (dice.OneIn(3)) study.add_source_tasks(Source(dice));
  if (dice.OneIn(3)) study.mutable_lease_policy()->mutable_duration()->set_seconds(1);
  if (dice.OneIn(3)) study.mutable_early_stopping()->set_rule(dice.OneIn(2) ? "asha" : "curve");
  return study;
}

v1::ImportStudyRequest RequestMaker::StudyToImport(Dice& dice) {
  std::vector<v1::Trial> trials(dice.Below(4));
  for (v1::Trial& trial : trials) {
    *trial.mutable_configuration() = Configuration(dice);
    trial.mutable_create_time()->set_seconds(2);
    trial.set_state(dice.OneIn(2) ? v1::Trial::REQUESTED : v1::Trial::SUCCEEDED);
    if (trial.state() == v1::Trial::REQUESTED) continue;
    *trial.mutable_measurement() = LossOutcome(0.01 * dice.Below(200) - 1).measurement();
    trial.mutable_end_time()->set_seconds(3);
  }
  v1::ImportStudyRequest request;
  request.mutable_header()->set_study_id(Id(dice));
  request.mutable_header()->set_request_id(RequestId(dice));
  request.mutable_header()->set_replace_existing(dice.OneIn(3));
  for (v1::ExportLine& line : LinesOf(StudyToMake(dice), trials)) {
    *request.add_lines() = std::move(line);
  }
  return request;
}

std::unique_ptr<Message> RequestMaker::Legal(Rpc rpc, Dice& dice) {
  switch (rpc) {
    case Rpc::kCreateStudy:
      return Own(CreateRequest(StudyToMake(dice), Id(dice), RequestId(dice)));
    case Rpc::kGetStudy: {
      v1::GetStudyRequest request;
      request.set_name(Study(dice));
      return Own(request);
    }
    case Rpc::kListStudies: {
      v1::ListStudiesRequest request;
      request.set_page_size(static_cast<int>(dice.Below(4)));
      if (dice.OneIn(3)) request.set_parent("projects/-");
      return Own(request);
    }
    case Rpc::kUpdateStudy: {
      v1::UpdateStudyRequest request;
      request.mutable_study()->set_name(Study(dice));
      request.mutable_study()->set_display_name("a title");
      request.mutable_study()->set_state(dice.OneIn(3) ? v1::Study::PAUSED : v1::Study::ACTIVE);
      request.mutable_update_mask()->add_paths(dice.OneIn(2) ? "display_name" : "state");
      request.set_request_id(RequestId(dice));
      return Own(request);
    }
    case Rpc::kDeleteStudy: {
      v1::DeleteStudyRequest request;
      request.set_name(Study(dice));
      request.set_request_id(RequestId(dice));
      return Own(request);
    }
    case Rpc::kExportStudy: {
      v1::ExportStudyRequest request;
      request.set_name(Study(dice));
      return Own(request);
    }
    case Rpc::kImportStudy:
      return Own(StudyToImport(dice));
    case Rpc::kSuggest:
      return Own(
          AskRequest(Study(dice), Worker(dice), static_cast<int>(dice.Below(4)), RequestId(dice)));
    case Rpc::kHeartbeat: {
      v1::HeartbeatRequest request;
      request.set_study(Study(dice));
      request.set_worker(Worker(dice));
      if (dice.OneIn(2)) request.add_trials(Trial(dice));
      return Own(request);
    }
    case Rpc::kReleaseTrials: {
      v1::ReleaseTrialsRequest request;
      request.set_study(Study(dice));
      request.set_worker(Worker(dice));
      if (dice.OneIn(2)) request.add_trials(Trial(dice));
      request.set_request_id(RequestId(dice));
      return Own(request);
    }
    case Rpc::kReport: {
      v1::ReportRequest request;
      request.set_trial(Trial(dice));
      v1::StepMeasurement* report = request.add_reports();
      report->set_step(dice.Below(20));
      *report->mutable_measurement() = LossOutcome(0.1 * dice.Below(100)).measurement();
      return Own(request);
    }
    case Rpc::kListReports: {
      v1::ListReportsRequest request;
      request.set_trial(Trial(dice));
      return Own(request);
    }
    case Rpc::kShouldStop: {
      v1::ShouldStopRequest request;
      request.set_trial(Trial(dice));
      return Own(request);
    }
    case Rpc::kObserve:
      return Own(TellRequest(Trial(dice), AnyOutcome(dice), RequestId(dice)));
    case Rpc::kUpdateTrial: {
      v1::UpdateTrialRequest request;
      request.mutable_trial()->set_name(Trial(dice));
      request.mutable_trial()->set_note("a note");
      request.mutable_update_mask()->add_paths("note");
      request.set_request_id(RequestId(dice));
      return Own(request);
    }
    case Rpc::kAddTrials: {
      v1::AddTrialsRequest request;
      request.set_study(Study(dice));
      for (uint32_t i = 0; i < 1 + dice.Below(3); ++i) {
        v1::Observation* observation = request.add_observations();
        *observation->mutable_configuration() = Configuration(dice);
        if (!dice.OneIn(3)) *observation->mutable_outcome() = AnyOutcome(dice);
      }
      request.set_request_id(RequestId(dice));
      return Own(request);
    }
    case Rpc::kGetTrial: {
      v1::GetTrialRequest request;
      request.set_name(Trial(dice));
      return Own(request);
    }
    case Rpc::kListTrials: {
      v1::ListTrialsRequest request;
      request.set_study(Study(dice));
      request.set_page_size(static_cast<int>(dice.Below(4)));
      return Own(request);
    }
    case Rpc::kBestTrials: {
      v1::BestTrialsRequest request;
      request.set_study(Study(dice));
      request.set_count(static_cast<int>(dice.Below(4)));
      return Own(request);
    }
    case Rpc::kExplain: {
      v1::ExplainRequest request;
      request.set_trial(Trial(dice));
      return Own(request);
    }
    case Rpc::kWatchStudy: {
      v1::WatchStudyRequest request;
      request.set_study(Study(dice));
      return Own(request);
    }
    case Rpc::kWatchStudies:
      return Own(v1::WatchStudiesRequest());
    case Rpc::kListPresets:
      return Own(v1::ListPresetsRequest());
    case Rpc::kRegisterSourceTask:
      return Own(SourceToRegister(dice));
    case Rpc::kGetSourceTask: {
      v1::GetSourceTaskRequest request;
      request.set_name(Source(dice));
      return Own(request);
    }
    case Rpc::kListSourceTasks: {
      v1::ListSourceTasksRequest request;
      request.set_page_size(static_cast<int>(dice.Below(4)));
      return Own(request);
    }
    case Rpc::kListSourceObservations: {
      v1::ListSourceObservationsRequest request;
      request.set_source_task(Source(dice));
      request.set_page_size(static_cast<int>(dice.Below(4)));
      return Own(request);
    }
    case Rpc::kDeleteSourceTask: {
      v1::DeleteSourceTaskRequest request;
      request.set_name(Source(dice));
      request.set_request_id(RequestId(dice));
      return Own(request);
    }
    case Rpc::kGetServerStatus:
      return Own(v1::GetServerStatusRequest());
    case Rpc::kBackupStore: {
      v1::BackupStoreRequest request;
      request.set_name(absl::StrCat(Id(dice), ".db"));
      return Own(request);
    }
  }
  return Own(v1::ListPresetsRequest());
}

MadeRequest RequestMaker::Any(Dice& dice) {
  if (strangers_.size() > kMostStrangers && dice.OneIn(4)) return DeletionOfStranger();
  MadeRequest made;
  made.rpc = RpcTable()[dice.Below(static_cast<uint32_t>(kRpcCount))].rpc;
  // So that studies live for a while.
  if (made.rpc == Rpc::kDeleteStudy && !dice.OneIn(5)) made.rpc = Rpc::kSuggest;
  const std::unique_ptr<Message> message = Legal(made.rpc, dice);
  // Half of all requests stay as they are, so that sequences get somewhere.
  for (uint32_t left = dice.Below(2) * (1 + dice.Below(3)); left > 0; --left) {
    Mutate(message.get(), dice);
  }
  made.bytes = message->SerializeAsString();
  return made;
}

// It may be refused, as when a study uses the source task, and is then made again later.
MadeRequest RequestMaker::DeletionOfStranger() {
  std::string name = std::move(strangers_.front());
  strangers_.pop_front();
  strangers_.push_back(name);
  MadeRequest made;
  if (absl::StrContains(name, "sourceTasks/")) {
    v1::DeleteSourceTaskRequest request;
    request.set_name(std::move(name));
    made = {Rpc::kDeleteSourceTask, request.SerializeAsString()};
  } else {
    v1::DeleteStudyRequest request;
    request.set_name(std::move(name));
    made = {Rpc::kDeleteStudy, request.SerializeAsString()};
  }
  return made;
}

void RequestMaker::LearnSource(const std::string& name) {
  if (Has(sources_, name)) return;
  if (sources_.size() >= kMostSources) {
    strangers_.push_back(std::move(sources_.front()));
    sources_.erase(sources_.begin());
  }
  sources_.push_back(name);
}

void RequestMaker::Learn(const MadeRequest& request, const std::string& response) {
  switch (request.rpc) {
    case Rpc::kRegisterSourceTask: {
      const std::string name =
          Parsed<v1::RegisterSourceTaskResponse>(response).source_task().name();
      if (!name.empty()) LearnSource(name);
      return;
    }
    case Rpc::kCreateStudy:
    case Rpc::kImportStudy: {
      const std::string name = Parsed<v1::Study>(response).name();
      const std::string id(absl::StripPrefix(name, "studies/"));
      const bool is_known = name.empty() || Has(Ids(), id) || Has(strangers_, name);
      if (!is_known) strangers_.push_back(name);
      return;
    }
    case Rpc::kDeleteStudy:
      std::erase(strangers_, Parsed<v1::DeleteStudyRequest>(request.bytes).name());
      return;
    case Rpc::kDeleteSourceTask:
      std::erase(strangers_, Parsed<v1::DeleteSourceTaskRequest>(request.bytes).name());
      return;
    default:
      return;
  }
}

}  // namespace slipstream::fuzz
