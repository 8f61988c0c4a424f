// The records of the store, as plain values. Payloads that the store never looks
// into (spaces, configurations, measurements, labels) are opaque bytes; whatever
// it decides or sorts by has a field of its own. Times are milliseconds since
// 1970-01-01 UTC.
#ifndef SLIPSTREAM_SERVER_STORE_RECORDS_H_
#define SLIPSTREAM_SERVER_STORE_RECORDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slipstream {

// Stored as numbers: never renumber.
enum class StudyState : int { kActive = 1, kPaused = 2, kCompleted = 3 };
enum class TrialState : int {
  kRequested = 1,
  kActive = 2,
  kSucceeded = 3,
  kFailed = 4,
  kInfeasible = 5,
  kStopped = 6,
};

inline bool HasEnded(TrialState state) {
  return state != TrialState::kRequested && state != TrialState::kActive;
}

// A study as its creator gives it.
struct NewStudy {
  std::string id;          // Last part of the resource name; unique.
  std::string definition;  // Opaque, immutable.
  std::string candidates;  // Opaque, immutable, perhaps large; read on demand.
  std::string display_name;
  std::string labels;                   // Opaque.
  std::vector<std::string> source_ids;  // Source tasks that must exist.
};

struct StudyRecord {
  int64_t key = 0;  // Internal, never given out twice.
  std::string id;
  std::string definition;
  std::string display_name;
  std::string labels;
  StudyState state = StudyState::kActive;
  int64_t create_ms = 0;
  int64_t update_ms = 0;
  int64_t trial_count = 0;  // Also the highest trial number.
  int64_t succeeded_count = 0;
  int64_t suggested_count = 0;  // Trials that came from leases of new suggestions.
};

// A study by its id; with a key only the study that has it, as another study may
// get the id after a deletion.
struct StudyRef {
  StudyRef() = default;
  StudyRef(const char* study_id) : id(study_id) {}
  StudyRef(std::string study_id, std::optional<int64_t> study_key = std::nullopt)
      : id(std::move(study_id)), key(study_key) {}

  std::string id;
  std::optional<int64_t> key;
};

// A change by UpdateStudy; absent fields stay.
struct StudyChange {
  std::optional<std::string> display_name;
  std::optional<std::string> labels;
  std::optional<StudyState> state;
};

// How a trial ended.
struct TrialOutcome {
  TrialState state = TrialState::kSucceeded;  // HasEnded(state) is true.
  std::optional<double> objective;            // Always present when kSucceeded.
  std::string measurement;                    // Opaque; equal results have equal bytes.
  std::string reason;
};

// A trial before it has a number.
struct NewTrial {
  std::string configuration;  // Opaque.
  std::optional<int64_t> candidate;
  std::string provenance;  // Opaque; empty for trials that a person added.
  // For trials added by a person: absent makes them kRequested.
  std::optional<TrialOutcome> outcome;
};

struct TrialRecord {
  int64_t number = 0;  // From 1, in the order of creation.
  TrialState state = TrialState::kActive;
  bool suggested = false;  // Made by Suggest rather than added by a person.
  std::string configuration;
  std::optional<int64_t> candidate;
  std::string worker;
  std::optional<double> objective;
  std::string measurement;
  std::string reason;
  int64_t create_ms = 0;
  std::optional<int64_t> start_ms;
  std::optional<int64_t> end_ms;
};

struct TrialFilter {
  int64_t after_number = 0;
  int limit = 100;
  std::vector<TrialState> states;  // Empty: all.
};

struct TrialProvenance {
  int64_t number = 0;
  std::string provenance;
};

struct ExplainedTrial {
  TrialRecord trial;
  std::string provenance;  // Empty for trials that a person added.
};

struct NewSourceTask {
  std::string id;                   // Derived from the content: equal ids mean equal content.
  std::string definition;           // Opaque.
  std::vector<std::string> chunks;  // Opaque, the observations in order.
  int64_t observation_count = 0;
  int64_t measured_count = 0;
};

struct SourceTaskRecord {
  int64_t key = 0;
  std::string id;
  std::string definition;
  int64_t observation_count = 0;
  int64_t measured_count = 0;
  int64_t create_ms = 0;
  int64_t study_count = 0;  // Studies that use it.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_RECORDS_H_
