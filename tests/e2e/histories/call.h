// Calls on one study as clients saw them: what was asked for and when, what was
// answered and when. A history is all calls on a study.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_CALL_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_CALL_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "slipstream/v1/study.pb.h"

namespace slipstream::histories {

using State = v1::Trial::State;

// A trial as an answer shows it.
struct TrialSight {
  int64_t number = 0;
  State state = v1::Trial::REQUESTED;
  std::string worker;
  std::optional<double> objective;
  int64_t first = 0;  // The trial that this one repeats; 0: none.
  int64_t next = 0;   // The trial that was queued in place of this one; 0: none.
  int64_t report_count = 0;
  std::optional<int64_t> last_step;
  std::optional<double> last_value;
  std::optional<std::string> configuration;  // Absent where the answer omits it.
  std::optional<std::string> note;           // The same.
  std::optional<bool> has_end;               // Whether it has an end_time; the same.

  std::string Text() const;
};

enum class Verb {
  kSuggest,
  kObserve,
  kHeartbeat,
  kRelease,
  kReport,
  kUpdate,
  kAdd,
  kGet,
  kList,
  // No client's: a lease ran out, as the study's events told. It began when the event
  // says and ended when the event arrived.
  kLeaseEnd,
};

enum class Answer {
  kGiven,
  kRefused,   // FAILED_PRECONDITION
  kNotFound,  // NOT_FOUND
  kLost,      // Never arrived. The call may have taken effect at any time after its beginning.
};

struct Call {
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  int client = 0;
  Verb verb = Verb::kGet;
  int64_t start_us = 0;     // When the first attempt began.
  int64_t end_us = kNever;  // When the last one was answered, if it was.
  // When the client gave up the last attempt of a call that was lost.
  int64_t given_up_us = 0;
  // When it probably happened; a search begins with that.
  std::optional<int64_t> moment_us;

  // ---- What was asked for ----
  std::string worker;
  int count = 0;                 // Suggest.
  std::vector<int64_t> numbers;  // The trials; empty: all that the worker holds.
  std::optional<State> outcome;  // Observe; Add, whose trials are queued without one.
  std::optional<double> value;   // The outcome's or the report's.
  int64_t step = 0;              // Report.
  std::string note;              // Update.
  std::string configuration;     // Add.

  // ---- What was answered ----
  Answer answer = Answer::kLost;
  std::vector<TrialSight> trials;
  std::vector<bool> held;  // Heartbeat, by trial.

  bool IsLost() const { return answer == Answer::kLost; }
  // Whether it changes nothing but the time for which leases last, whenever it happens.
  bool HasNoEffect() const {
    return verb == Verb::kGet || verb == Verb::kList || verb == Verb::kHeartbeat ||
           answer == Answer::kRefused || answer == Answer::kNotFound;
  }
  std::string Text() const;
};

// A time in which there was no server: since it was killed, until the next one was ready.
struct Outage {
  int64_t begin_us = 0;
  int64_t end_us = 0;
};
using Outages = std::vector<Outage>;  // In their order.

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_CALL_H_
