#include "tests/e2e/kills/known_store.h"

#include <google/protobuf/util/message_differencer.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/e2e/requests.h"

namespace slipstream::kills {
namespace {

using google::protobuf::util::MessageDifferencer;
using Stub = v1::OptimizationService::Stub;

constexpr int kTrialsPerPage = 1000;

// Heartbeats move the end of a lease, and so does the time for which there was no server.
v1::Trial Comparable(v1::Trial trial) {
  trial.clear_lease_end_time();
  return trial;
}

// What its trials change of a study is compared with them.
v1::Study Comparable(v1::Study study) {
  study.clear_trial_count();
  study.clear_succeeded_trial_count();
  study.clear_transfer();
  study.clear_best_value();
  study.clear_last_trial_time();
  return study;
}

template <typename Message>
void Compare(const std::string& what, const Message& known, const Message& stored,
             Differences* differences) {
  if (MessageDifferencer::Equals(known, stored)) return;
  differences->push_back(
      absl::StrCat(what, " is\n", stored.DebugString(), "instead of\n", known.DebugString()));
}

void Tell(const std::string& what, const grpc::Status& status, Differences* differences) {
  differences->push_back(
      absl::StrCat(what, ": ", status.error_code(), " ", status.error_message()));
}

}  // namespace

void KnownStudy::Take(const v1::Trial& trial) {
  KnownTrial& known = trials[NumberOf(trial)];
  v1::Trial taken = trial;
  if (!taken.has_configuration()) *taken.mutable_configuration() = known.trial.configuration();
  if (taken.labels().empty()) *taken.mutable_labels() = known.trial.labels();
  if (taken.note().empty()) taken.set_note(known.trial.note());
  if (taken.report_count() == 0) known.reports.clear();
  known.trial = std::move(taken);
}

std::vector<int64_t> KnownStudy::Active() const {
  std::vector<int64_t> active;
  for (const auto& [number, known] : trials) {
    if (known.trial.state() == v1::Trial::ACTIVE) active.push_back(number);
  }
  return active;
}

int64_t NumberOf(const v1::Trial& trial) {
  return std::atoll(trial.name().c_str() + trial.name().rfind('/') + 1);
}

std::optional<std::map<int64_t, v1::Trial>> TrialsOf(Stub& stub, const std::string& study) {
  std::map<int64_t, v1::Trial> trials;
  v1::ListTrialsRequest request;
  request.set_study(study);
  request.set_page_size(kTrialsPerPage);
  do {
    v1::ListTrialsResponse response;
    if (!Call(stub, &Stub::ListTrials, request, &response).ok()) return std::nullopt;
    for (const v1::Trial& trial : response.trials()) trials[NumberOf(trial)] = trial;
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return trials;
}

void CompareTrial(const v1::Trial& known, const v1::Trial& stored, Differences* differences) {
  Compare(known.name(), Comparable(known), Comparable(stored), differences);
}

// What the study says of its best result and its newest trial has to follow from its trials.
void CompareSummary(const v1::Study& study, const std::map<int64_t, v1::Trial>& trials,
                    Differences* differences) {
  v1::Study expected = study;
  expected.clear_best_value();
  expected.clear_last_trial_time();
  const v1::Metric& metric = study.metrics(0);
  for (const auto& [number, trial] : trials) {
    *expected.mutable_last_trial_time() = trial.create_time();
    if (trial.state() != v1::Trial::SUCCEEDED) continue;
    const double value = trial.measurement().metrics().at(metric.name());
    const bool is_better = metric.goal() == v1::Metric::MAXIMIZE ? value > expected.best_value()
                                                                 : value < expected.best_value();
    if (!expected.has_best_value() || is_better) expected.set_best_value(value);
  }
  Compare("the summary of " + study.name(), expected, study, differences);
}

int64_t CompareStudy(Stub& stub, KnownStudy* known, Differences* differences) {
  const std::string& name = known->study.name();
  v1::GetStudyRequest request;
  request.set_name(name);
  v1::Study study;
  const grpc::Status status = Call(stub, &Stub::GetStudy, request, &study);
  if (!status.ok()) return Tell(name, status, differences), 0;
  Compare(name, Comparable(known->study), Comparable(study), differences);
  const auto trials = TrialsOf(stub, name);
  const auto count = static_cast<int64_t>(known->trials.size());
  if (!trials.has_value() || static_cast<int64_t>(trials->size()) != count ||
      study.trial_count() != count) {
    differences->push_back(
        absl::StrCat(name, " has ", study.trial_count(), " trials instead of ", count));
    return 0;
  }
  CompareSummary(study, *trials, differences);
  int64_t provenances = 0;
  for (auto& [number, trial] : known->trials) {
    const auto stored = trials->find(number);
    CompareTrial(trial.trial, stored == trials->end() ? v1::Trial() : stored->second, differences);
    if (!trial.reports.empty()) CompareReports(stub, trial, differences);
    if (trial.suggested && CompareProvenance(stub, &trial, differences)) ++provenances;
  }
  return provenances;
}

bool CompareProvenance(Stub& stub, KnownTrial* known, Differences* differences) {
  const std::string what = "the provenance of " + known->trial.name();
  v1::ExplainRequest request;
  request.set_trial(known->trial.name());
  v1::Explanation explanation;
  const grpc::Status status = Call(stub, &Stub::Explain, request, &explanation);
  if (!status.ok()) return Tell(what, status, differences), false;
  if (explanation.provenance().preset().empty()) {
    return differences->push_back(what + " is not there"), false;
  }
  if (!known->provenance.has_value()) {
    known->provenance = explanation.provenance();
    return false;
  }
  Compare(what, *known->provenance, explanation.provenance(), differences);
  return true;
}

void CompareReports(Stub& stub, const KnownTrial& known, Differences* differences) {
  v1::ListReportsRequest request;
  request.set_trial(known.trial.name());
  v1::ListReportsResponse response;
  const grpc::Status status = Call(stub, &Stub::ListReports, request, &response);
  if (!status.ok()) return Tell(known.trial.name(), status, differences);
  std::map<int64_t, double> stored;
  for (const v1::StepMeasurement& report : response.reports()) {
    stored[report.step()] = report.measurement().metrics().begin()->second;
  }
  if (stored == known.reports) return;
  differences->push_back(absl::StrCat("the reports of ", known.trial.name(), " are\n",
                                      response.DebugString(), "instead of ", known.reports.size(),
                                      " others"));
}

void CompareSource(Stub& stub, const KnownSource& known, Differences* differences) {
  v1::GetSourceTaskRequest request;
  request.set_name(known.source.name());
  v1::SourceTask stored;
  const grpc::Status status = Call(stub, &Stub::GetSourceTask, request, &stored);
  const grpc::StatusCode expected =
      known.deleted ? grpc::StatusCode::NOT_FOUND : grpc::StatusCode::OK;
  if (status.error_code() != expected) return Tell(known.source.name(), status, differences);
  if (known.deleted) return;
  v1::SourceTask expected_source = known.source;
  expected_source.clear_study_count();
  stored.clear_study_count();
  Compare(known.source.name(), expected_source, stored, differences);
}

void CompareDeleted(Stub& stub, const std::string& study, Differences* differences) {
  v1::GetStudyRequest request;
  request.set_name(study);
  const grpc::Status status = Call(stub, &Stub::GetStudy, request);
  if (status.error_code() == grpc::StatusCode::NOT_FOUND) return;
  Tell(absl::StrCat("the deleted ", study), status, differences);
}

}  // namespace slipstream::kills
