// What the server knows of trials, as it was when it was read.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_RECORDS_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_RECORDS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "slipstream/new_study.h"

namespace slipstream::client {

enum class TrialState {
  kUnknown,    // A state that only later servers know.
  kRequested,  // Queued; the next suggestion hands it out.
  kActive,     // Held by a worker.
  kSucceeded,
  kFailed,      // The worker failed, perhaps by chance.
  kInfeasible,  // The configuration has no value.
  kStopped,     // Early, by its worker.
  kStale,       // Its lease has run out. A late outcome is still accepted.
  kWithdrawn,   // Taken out of the queue, or given back when nobody needed it any more.
};

struct TrialRecord {
  using Time = std::chrono::system_clock::time_point;

  std::string name;    // "studies/{study}/trials/{number}".
  int64_t number = 0;  // From 1, in the order of creation.
  TrialState state = TrialState::kUnknown;
  Configuration params;
  std::optional<double> value;  // What was measured, if anything was.
  std::string reason;           // Why it failed, is infeasible, was stopped or will not be tried.
  std::string worker;
  std::string host;                   // That the worker runs on; empty if it is not known.
  std::optional<int64_t> process_id;  // The worker's process on that host.
  std::optional<int64_t> candidate;   // The index in the list of candidates.
  std::optional<Time> created;
  std::optional<Time> started;
  std::optional<Time> ended;
  std::optional<Time> lease_ends;
  int64_t report_count = 0;
  std::optional<int64_t> last_step;
  std::optional<double> last_value;
  // When a lease runs out, the configuration is queued again as a new trial, and the two are
  // linked by their numbers.
  std::optional<int64_t> requeue_of;   // The first trial with the configuration of this one.
  std::optional<int64_t> requeued_as;  // The trial that was queued in place of this one.
  std::map<std::string, std::string> labels;
  std::string note;
};

}  // namespace slipstream::client

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_RECORDS_H_
