#include "tests/e2e/histories/recorded_call.h"

#include <map>
#include <stdexcept>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/e2e/messages.h"

namespace slipstream::histories {
namespace {

constexpr int kMostTrials = 1000;

std::string NameOf(const std::string& study, int64_t number) {
  return absl::StrCat(study, "/trials/", number);
}

v1::Outcome OutcomeOf(State state, const std::optional<double>& value) {
  v1::Outcome outcome;
  switch (state) {
    case v1::Trial::SUCCEEDED:
      return LossOutcome(*value);
    case v1::Trial::FAILED:
      outcome.mutable_failure();
      return outcome;
    case v1::Trial::INFEASIBLE:
      outcome.mutable_infeasibility();
      return outcome;
    default:
      outcome.mutable_early_stop();
      if (value.has_value()) {
        *outcome.mutable_early_stop()->mutable_measurement() = LossOutcome(*value).measurement();
      }
      return outcome;
  }
}

template <typename Trials>
void TakeTrials(const Trials& trials, Shown shown, Call& call) {
  for (const v1::Trial& trial : trials) call.trials.push_back(SightOf(trial, shown));
}

}  // namespace

int64_t NumberOf(const std::string& trial_name) {
  if (trial_name.empty()) return 0;
  int64_t number = 0;
  const absl::string_view last = absl::string_view(trial_name).substr(trial_name.rfind('/') + 1);
  if (!absl::SimpleAtoi(last, &number)) throw std::runtime_error("no trial: " + trial_name);
  return number;
}

std::string TextOf(const v1::Configuration& configuration) {
  const auto& values = configuration.values();
  std::string text;
  for (const auto& [name, value] :
       std::map<std::string, v1::ParameterValue>(values.begin(), values.end())) {
    absl::StrAppend(&text, name, ": ", value.SerializeAsString(), "; ");
  }
  return text;
}

TrialSight SightOf(const v1::Trial& trial, Shown shown) {
  TrialSight sight;
  sight.number = NumberOf(trial.name());
  sight.state = trial.state();
  sight.worker = trial.worker();
  sight.has_end = trial.has_end_time();
  if (trial.has_measurement()) sight.objective = trial.measurement().metrics().at("loss");
  sight.first = NumberOf(trial.requeue_of());
  sight.next = NumberOf(trial.requeued_as());
  sight.report_count = trial.report_count();
  if (trial.has_last_step()) sight.last_step = trial.last_step();
  if (trial.has_last_value()) sight.last_value = trial.last_value();
  if (shown != Shown::kOutline) sight.configuration = TextOf(trial.configuration());
  if (shown == Shown::kWhole) sight.note = trial.note();
  return sight;
}

v1::SuggestRequest SuggestRequestOf(const Call& call, const std::string& study) {
  return AskRequest(study, call.worker, call.count);
}

v1::ObserveRequest ObserveRequestOf(const Call& call, const std::string& study) {
  return TellRequest(NameOf(study, call.numbers.front()), OutcomeOf(*call.outcome, call.value));
}

v1::HeartbeatRequest HeartbeatRequestOf(const Call& call, const std::string& study) {
  v1::HeartbeatRequest request;
  request.set_study(study);
  request.set_worker(call.worker);
  for (const int64_t number : call.numbers) request.add_trials(NameOf(study, number));
  return request;
}

v1::ReleaseTrialsRequest ReleaseRequestOf(const Call& call, const std::string& study) {
  v1::ReleaseTrialsRequest request;
  request.set_study(study);
  request.set_worker(call.worker);
  for (const int64_t number : call.numbers) request.add_trials(NameOf(study, number));
  return request;
}

v1::ReportRequest ReportRequestOf(const Call& call, const std::string& study) {
  v1::ReportRequest request;
  request.set_trial(NameOf(study, call.numbers.front()));
  v1::StepMeasurement* const report = request.add_reports();
  report->set_step(call.step);
  (*report->mutable_measurement()->mutable_metrics())["loss"] = *call.value;
  return request;
}

v1::UpdateTrialRequest UpdateRequestOf(const Call& call, const std::string& study) {
  v1::UpdateTrialRequest request;
  request.mutable_trial()->set_name(NameOf(study, call.numbers.front()));
  request.mutable_trial()->set_note(call.note);
  request.mutable_update_mask()->add_paths("note");
  return request;
}

v1::AddTrialsRequest AddRequestOf(Call& call, const std::string& study, double learning_rate) {
  v1::AddTrialsRequest request;
  request.set_study(study);
  v1::Observation* const added = request.add_observations();
  *added->mutable_configuration() = ExampleConfiguration(learning_rate);
  if (call.outcome.has_value()) *added->mutable_outcome() = OutcomeOf(*call.outcome, call.value);
  call.configuration = TextOf(added->configuration());
  return request;
}

v1::GetTrialRequest GetRequestOf(const Call& call, const std::string& study) {
  v1::GetTrialRequest request;
  request.set_name(NameOf(study, call.numbers.front()));
  return request;
}

v1::ListTrialsRequest ListRequestOf(const std::string& study) {
  v1::ListTrialsRequest request;
  request.set_study(study);
  request.set_page_size(kMostTrials);
  return request;
}

void Take(const v1::SuggestResponse& response, Call& call) {
  TakeTrials(response.trials(), Shown::kLeased, call);
}

void Take(const v1::HeartbeatResponse& response, Call& call) {
  for (const v1::HeartbeatResponse::HeldTrial& trial : response.trials()) {
    TrialSight sight;
    sight.number = NumberOf(trial.trial());
    sight.state = trial.state();
    call.trials.push_back(std::move(sight));
    call.held.push_back(trial.held());
  }
}

void Take(const v1::ReleaseTrialsResponse& response, Call& call) {
  TakeTrials(response.trials(), Shown::kLeased, call);
}

void Take(const v1::ReportResponse& response, Call& call) {
  TrialSight sight;
  sight.number = call.numbers.front();
  sight.state = response.state();
  sight.report_count = response.report_count();
  call.trials.push_back(std::move(sight));
}

void Take(const v1::AddTrialsResponse& response, Call& call) {
  TakeTrials(response.trials(), Shown::kWhole, call);
}

void Take(const v1::ListTrialsResponse& response, Call& call) {
  TakeTrials(response.trials(), Shown::kWhole, call);
}

void Take(const v1::Trial& response, Call& call) {
  const Shown shown = call.verb == Verb::kObserve ? Shown::kOutline : Shown::kWhole;
  call.trials.push_back(SightOf(response, shown));
}

}  // namespace slipstream::histories
