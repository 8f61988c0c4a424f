#include "client/cpp/existing_study.h"

#include <chrono>
#include <utility>

#include "client/cpp/study_name.h"
#include "client/cpp/value_message.h"

namespace slipstream::client_internal {
namespace {

using client::NewStudy;
using client::Parameter;
using client::TrialRecord;
using client::TrialState;

Parameter::Scale ScaleOf(v1::Scale scale) {
  if (scale == v1::LOG) return Parameter::Scale::kLog;
  return scale == v1::REVERSE_LOG ? Parameter::Scale::kReverseLog : Parameter::Scale::kLinear;
}

Parameter BareParameterOf(const v1::Parameter& message) {
  switch (message.domain_case()) {
    case v1::Parameter::kIntegerDomain: {
      const v1::IntegerDomain& domain = message.integer_domain();
      return client::Integer(domain.min(), domain.max()).On(ScaleOf(domain.scale()));
    }
    case v1::Parameter::kDiscreteDomain: {
      const v1::DiscreteDomain& domain = message.discrete_domain();
      return client::Discrete({domain.values().begin(), domain.values().end()})
          .On(ScaleOf(domain.scale()));
    }
    case v1::Parameter::kCategoricalDomain: {
      const v1::CategoricalDomain& domain = message.categorical_domain();
      return client::Choice({domain.values().begin(), domain.values().end()});
    }
    case v1::Parameter::kBooleanDomain:
      return client::Boolean();
    case v1::Parameter::kDoubleDomain:
    case v1::Parameter::DOMAIN_NOT_SET:
      break;
  }
  const v1::DoubleDomain& domain = message.double_domain();
  return client::Real(domain.min(), domain.max()).On(ScaleOf(domain.scale()));
}

Parameter ParameterOf(const v1::Parameter& message) {
  Parameter parameter = BareParameterOf(message);
  if (message.has_default_value()) parameter = parameter.Default(ValueOf(message.default_value()));
  if (!message.has_condition()) return parameter;
  std::vector<client::Value> values;
  for (const v1::ParameterValue& value : message.condition().values()) {
    values.push_back(ValueOf(value));
  }
  return parameter.When(message.condition().parent(), std::move(values));
}

void SetIngredient(const std::string& axis, const std::string& name, NewStudy* study) {
  if (!name.empty()) study->recipe[axis] = name;
}

void SetRecipe(const v1::Recipe& recipe, NewStudy* study) {
  SetIngredient("prior", recipe.prior(), study);
  SetIngredient("calibration", recipe.calibration(), study);
  SetIngredient("acquisition", recipe.acquisition(), study);
  SetIngredient("initial", recipe.initial(), study);
  SetIngredient("exploration", recipe.exploration(), study);
  for (const auto& [name, number] : recipe.options()) study->recipe[name] = number;
}

void SetObjective(const v1::Metric& metric, NewStudy* study) {
  (metric.goal() == v1::Metric::MAXIMIZE ? study->maximize : study->minimize) = metric.name();
  study->exact = metric.noise() == v1::Metric::EXACT;
}

// What a server answers has both parts.
void SetLease(const v1::LeasePolicy& policy, NewStudy* study) {
  const google::protobuf::Duration& lease = policy.duration();
  if (policy.has_duration()) {
    study->lease = std::chrono::seconds(lease.seconds()) + std::chrono::nanoseconds(lease.nanos());
  }
  if (policy.has_max_requeues()) study->requeues = policy.max_requeues();
}

TrialState StateOf(v1::Trial::State state) {
  switch (state) {
    case v1::Trial::REQUESTED:
      return TrialState::kRequested;
    case v1::Trial::ACTIVE:
      return TrialState::kActive;
    case v1::Trial::SUCCEEDED:
      return TrialState::kSucceeded;
    case v1::Trial::FAILED:
      return TrialState::kFailed;
    case v1::Trial::INFEASIBLE:
      return TrialState::kInfeasible;
    case v1::Trial::STOPPED:
      return TrialState::kStopped;
    case v1::Trial::STALE:
      return TrialState::kStale;
    case v1::Trial::WITHDRAWN:
      return TrialState::kWithdrawn;
    default:
      return TrialState::kUnknown;
  }
}

TrialRecord::Time TimeOf(const google::protobuf::Timestamp& stamp) {
  return TrialRecord::Time(std::chrono::duration_cast<TrialRecord::Time::duration>(
      std::chrono::seconds(stamp.seconds()) + std::chrono::nanoseconds(stamp.nanos())));
}

}  // namespace

google::protobuf::Timestamp TimestampOf(TrialRecord::Time time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  google::protobuf::Timestamp stamp;
  stamp.set_seconds(seconds.count());
  stamp.set_nanos(static_cast<int32_t>(std::chrono::nanoseconds(since - seconds).count()));
  return stamp;
}

namespace {

int64_t NumberIn(const std::string& trial) {
  return std::atoll(trial.substr(trial.rfind('/') + 1).c_str());
}

void SetWorker(const v1::Trial& message, TrialRecord* record) {
  const v1::WorkerProcess& process = message.worker_process();
  record->worker = message.worker();
  record->host = process.host();
  if (process.process_id() != 0) record->process_id = process.process_id();
}

void SetLinks(const v1::Trial& message, TrialRecord* record) {
  if (!message.requeue_of().empty()) record->requeue_of = NumberIn(message.requeue_of());
  if (!message.requeued_as().empty()) record->requeued_as = NumberIn(message.requeued_as());
}

void SetTimes(const v1::Trial& message, TrialRecord* record) {
  if (message.has_create_time()) record->created = TimeOf(message.create_time());
  if (message.has_start_time()) record->started = TimeOf(message.start_time());
  if (message.has_end_time()) record->ended = TimeOf(message.end_time());
  if (message.has_lease_end_time()) record->lease_ends = TimeOf(message.lease_end_time());
}

}  // namespace

NewStudy DescriptionOf(const v1::Study& message) {
  NewStudy study;
  StudyName name = StudyNameOf(message.name());
  study.id = std::move(name.id);
  study.project = std::move(name.project);
  for (const v1::Parameter& parameter : message.space().parameters()) {
    study.space.emplace_back(parameter.name(), ParameterOf(parameter));
  }
  for (const v1::Metric& metric : message.metrics()) SetObjective(metric, &study);
  for (const v1::Configuration& row : message.space().candidates().configurations()) {
    study.candidates.push_back(ConfigurationOf(row));
  }
  study.allow_repeats = message.space().candidates().allow_repeats();
  study.sources.assign(message.source_tasks().begin(), message.source_tasks().end());
  study.preset = message.algorithm().preset();
  SetRecipe(message.algorithm().recipe(), &study);
  if (message.has_seed()) study.seed = message.seed();
  study.stopping = message.early_stopping().rule();
  study.stopping_options.insert(message.early_stopping().options().begin(),
                                message.early_stopping().options().end());
  SetLease(message.lease_policy(), &study);
  study.title = message.display_name();
  study.labels.insert(message.labels().begin(), message.labels().end());
  return study;
}

TrialRecord RecordOf(const v1::Trial& message, const std::string& metric) {
  TrialRecord record;
  record.name = message.name();
  record.number = NumberIn(message.name());
  record.state = StateOf(message.state());
  record.params = ConfigurationOf(message.configuration());
  const auto& measured = message.measurement().metrics();
  if (const auto found = measured.find(metric); found != measured.end()) {
    record.value = found->second;
  }
  record.reason = message.reason();
  SetWorker(message, &record);
  if (message.has_candidate()) record.candidate = message.candidate();
  SetTimes(message, &record);
  record.report_count = message.report_count();
  if (message.has_last_step()) record.last_step = message.last_step();
  if (message.has_last_value()) record.last_value = message.last_value();
  SetLinks(message, &record);
  record.labels.insert(message.labels().begin(), message.labels().end());
  record.note = message.note();
  return record;
}

}  // namespace slipstream::client_internal
