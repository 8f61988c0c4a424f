#include "server/convert/trial_conversion.h"

#include <algorithm>
#include <cstdlib>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/content_hash.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/space_conversion.h"
#include "server/convert/text_limits.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// States are stored as the wire's numbers.
static_assert(static_cast<int>(TrialState::kRequested) == v1::Trial::REQUESTED);
static_assert(static_cast<int>(TrialState::kActive) == v1::Trial::ACTIVE);
static_assert(static_cast<int>(TrialState::kSucceeded) == v1::Trial::SUCCEEDED);
static_assert(static_cast<int>(TrialState::kFailed) == v1::Trial::FAILED);
static_assert(static_cast<int>(TrialState::kInfeasible) == v1::Trial::INFEASIBLE);
static_assert(static_cast<int>(TrialState::kStopped) == v1::Trial::STOPPED);
static_assert(static_cast<int>(TrialState::kStale) == v1::Trial::STALE);
static_assert(static_cast<int>(TrialState::kWithdrawn) == v1::Trial::WITHDRAWN);

v1::Provenance::Rung RungToProto(Rung rung) {
  switch (rung) {
    case Rung::kRecipe:
      return v1::Provenance::RECIPE;
    case Rung::kWithoutTransfer:
      return v1::Provenance::WITHOUT_TRANSFER;
    case Rung::kQuasiRandom:
      return v1::Provenance::QUASI_RANDOM;
  }
  return v1::Provenance::RUNG_UNSPECIFIED;
}

std::string ProvenanceBytes(const Provenance& provenance, absl::string_view version) {
  v1::Provenance proto;
  proto.set_preset(provenance.preset);
  proto.set_version(std::string(version));
  proto.set_seed(provenance.seed);
  proto.set_last_trial_seen(provenance.last_trial_seen);
  proto.set_rung(RungToProto(provenance.rung));
  proto.set_rung_reason(provenance.rung_reason);
  for (const SourceWeight& source : provenance.sources) {
    v1::Provenance::SourceWeight* weight = proto.add_sources();
    weight->set_source_task(source.source);
    weight->set_weight(source.weight);
  }
  for (const Fact& fact : provenance.facts) {
    v1::Provenance::Fact* entry = proto.add_facts();
    entry->set_name(fact.name);
    if (const double* number = std::get_if<double>(&fact.value)) entry->set_number(*number);
    if (const std::string* text = std::get_if<std::string>(&fact.value)) entry->set_text(*text);
  }
  for (const Note& note : provenance.notes) {
    v1::Provenance::Note* entry = proto.add_notes();
    entry->set_name(note.name);
    entry->mutable_values()->Add(note.values.begin(), note.values.end());
  }
  return proto.SerializeAsString();
}

constexpr int kNanosPerMs = 1'000'000;

absl::Status Unreadable(const v1::Trial& trial) {
  return absl::DataLossError(absl::StrCat(trial.name(), " cannot be read from the store"));
}

std::string ConfigurationBytes(const SearchSpace& space, const Configuration& configuration) {
  v1::Configuration proto;
  ConfigurationToProto(space, configuration, &proto);
  return DeterministicBytes(proto);
}

}  // namespace

google::protobuf::Timestamp TimestampOf(int64_t ms) {
  google::protobuf::Timestamp timestamp;
  timestamp.set_seconds(ms / 1000);
  timestamp.set_nanos(static_cast<int32_t>(ms % 1000) * 1000000);
  return timestamp;
}

absl::StatusOr<int64_t> MsFromProto(absl::string_view field,
                                    const google::protobuf::Timestamp& time) {
  const bool is_legal = time.seconds() >= 0 && time.seconds() <= kMostTimeSeconds &&
                        time.nanos() >= 0 && time.nanos() < 1000 * kNanosPerMs;
  if (is_legal) return time.seconds() * 1000 + time.nanos() / kNanosPerMs;
  return InvalidField(field, SecondsText(time.seconds(), time.nanos()),
                      "a time from 1970 to 9999");
}

std::string SecondsText(int64_t seconds, int32_t nanos) {
  const bool is_one_number = std::abs(int64_t{nanos}) < 1000 * kNanosPerMs &&
                             (nanos == 0 || seconds == 0 || (nanos < 0) == (seconds < 0));
  if (!is_one_number) return absl::StrCat(seconds, " s and ", nanos, " ns");
  return absl::StrCat(FormatNumber(static_cast<double>(seconds) + nanos / 1e9), " s");
}

google::protobuf::Duration DurationOf(int64_t ms) {
  google::protobuf::Duration duration;
  duration.set_seconds(ms / 1000);
  duration.set_nanos(static_cast<int32_t>(ms % 1000) * 1000000);
  return duration;
}

size_t MostTrialBytes(const SearchSpace& space) {
  constexpr size_t kFixed = 1024;   // For the names of study, worker and host, times and numbers.
  constexpr size_t kPerValue = 32;  // For a number and the framing of an entry.
  size_t bytes = kFixed;
  for (const Parameter& parameter : space.parameters()) {
    bytes += parameter.name.size() + kPerValue;
    if (const auto* words = std::get_if<CategoricalDomain>(&parameter.domain)) {
      size_t longest = 0;
      for (const std::string& word : words->values) longest = std::max(longest, word.size());
      bytes += longest;
    }
  }
  return bytes;
}

absl::Status LeasedTrialToProto(absl::string_view study_id, const TrialRecord& record,
                                v1::Trial* trial) {
  SLIPSTREAM_RETURN_IF_ERROR(TrialOutlineToProto(study_id, record, trial));
  if (trial->mutable_configuration()->ParseFromString(record.configuration)) {
    return absl::OkStatus();
  }
  return Unreadable(*trial);
}

absl::Status LeasedTrialsToProto(absl::string_view study_id,
                                 const std::vector<TrialRecord>& records,
                                 v1::SuggestResponse* response) {
  std::vector<const TrialRecord*> order;
  for (const TrialRecord& record : records) order.push_back(&record);
  std::sort(order.begin(), order.end(),
            [](const TrialRecord* a, const TrialRecord* b) { return a->number < b->number; });
  response->Clear();
  for (const TrialRecord* record : order) {
    SLIPSTREAM_RETURN_IF_ERROR(LeasedTrialToProto(study_id, *record, response->add_trials()));
  }
  return absl::OkStatus();
}

absl::Status TrialToProto(absl::string_view study_id, const TrialRecord& record, v1::Trial* trial) {
  SLIPSTREAM_RETURN_IF_ERROR(LeasedTrialToProto(study_id, record, trial));
  v1::Trial labels;
  if (!labels.ParseFromString(record.labels)) return Unreadable(*trial);
  trial->mutable_labels()->swap(*labels.mutable_labels());
  trial->set_note(record.note);
  return absl::OkStatus();
}

absl::StatusOr<WorkerProcess> WorkerProcessFromProto(const v1::WorkerProcess& process) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckText("process.host", process.host(), kMaxHostBytes));
  if (process.process_id() < 0) {
    return InvalidField("process.process_id", absl::StrCat(process.process_id()), "0 or more");
  }
  return WorkerProcess{process.host(), process.process_id()};
}

std::string LabelBytes(const v1::Trial& trial) {
  v1::Trial labels;
  *labels.mutable_labels() = trial.labels();
  return DeterministicBytes(labels);
}

absl::Status TrialOutlineToProto(absl::string_view study_id, const TrialRecord& record,
                                 v1::Trial* trial) {
  trial->set_name(NameOfTrial(study_id, record.number));
  trial->set_state(static_cast<v1::Trial::State>(record.state));
  if (record.objective && !trial->mutable_measurement()->ParseFromString(record.measurement)) {
    return Unreadable(*trial);
  }
  if (record.candidate) trial->set_candidate(*record.candidate);
  trial->set_worker(record.worker);
  trial->set_reason(record.reason);
  *trial->mutable_create_time() = TimestampOf(record.create_ms);
  if (record.start_ms) *trial->mutable_start_time() = TimestampOf(*record.start_ms);
  if (record.end_ms) *trial->mutable_end_time() = TimestampOf(*record.end_ms);
  if (record.lease_end_ms) *trial->mutable_lease_end_time() = TimestampOf(*record.lease_end_ms);
  if (record.requeue_of > 0) trial->set_requeue_of(NameOfTrial(study_id, record.requeue_of));
  if (record.requeued_as > 0) {
    trial->set_requeued_as(NameOfTrial(study_id, record.requeued_as));
  }
  if (!record.process.host.empty()) {
    trial->mutable_worker_process()->set_host(record.process.host);
  }
  if (record.process.id > 0) trial->mutable_worker_process()->set_process_id(record.process.id);
  trial->set_report_count(record.report_count);
  if (record.last_step) trial->set_last_step(*record.last_step);
  if (record.last_value) trial->set_last_value(*record.last_value);
  return absl::OkStatus();
}

absl::StatusOr<TrialState> TrialStateFromProto(absl::string_view field, v1::Trial::State state) {
  if (state >= v1::Trial::REQUESTED && state <= v1::Trial::WITHDRAWN) {
    return static_cast<TrialState>(state);
  }
  return InvalidField(field, absl::StrCat(static_cast<int>(state)),
                      "REQUESTED, ACTIVE, SUCCEEDED, FAILED, INFEASIBLE, STOPPED, STALE or "
                      "WITHDRAWN");
}

NewTrial SuggestedTrial(const SearchSpace& space, const Suggestion& suggestion,
                        absl::string_view version) {
  NewTrial trial;
  trial.configuration = ConfigurationBytes(space, suggestion.configuration);
  trial.candidate = suggestion.candidate;
  trial.provenance = ProvenanceBytes(suggestion.provenance, version);
  return trial;
}

absl::StatusOr<NewTrial> AddedTrial(const SearchSpace& space, absl::string_view metric,
                                    const v1::Observation& observation) {
  absl::StatusOr<Configuration> configuration =
      ConfigurationFromProto(space, observation.configuration());
  if (!configuration.ok()) return WithFieldPrefix(configuration.status(), "configuration.");
  NewTrial trial;
  trial.configuration = ConfigurationBytes(space, *configuration);
  trial.candidate = space.CandidateIndex(*configuration);
  if (space.has_candidates() && !trial.candidate) {
    return InvalidField("configuration", observation.configuration().ShortDebugString(),
                        "one of the study's candidates");
  }
  if (observation.has_outcome()) {
    absl::StatusOr<TrialOutcome> outcome = OutcomeFromProto(metric, observation.outcome());
    if (!outcome.ok()) return WithFieldPrefix(outcome.status(), "outcome.");
    trial.outcome = *std::move(outcome);
  }
  return trial;
}

absl::StatusOr<v1::Provenance> StoredProvenance(int64_t number, const std::string& provenance) {
  v1::Provenance proto;
  if (proto.ParseFromString(provenance)) return proto;
  return absl::DataLossError(absl::StrCat("the provenance of trial ", number, " cannot be read"));
}

absl::StatusOr<Notes> StoredNotes(int64_t number, const std::string& provenance) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const v1::Provenance proto, StoredProvenance(number, provenance));
  Notes notes;
  for (const v1::Provenance::Note& note : proto.notes()) {
    notes.push_back({note.name(), {note.values().begin(), note.values().end()}});
  }
  return notes;
}

absl::StatusOr<Configuration> StoredConfiguration(const SearchSpace& space,
                                                  const TrialRecord& record) {
  v1::Configuration proto;
  if (proto.ParseFromString(record.configuration)) {
    absl::StatusOr<Configuration> configuration = ConfigurationFromProto(space, proto);
    if (configuration.ok()) return configuration;
  }
  return absl::DataLossError(
      absl::StrCat("the configuration of trial ", record.number, " cannot be read"));
}

}  // namespace slipstream
