// Rounds of histories: concurrent clients call on many studies of one server, which is
// killed now and then; then each study's history is checked.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_HISTORY_ROUND_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_HISTORY_ROUND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/e2e/histories/recording_client.h"

namespace slipstream::histories {

struct RoundSettings {
  int studies = 50;
  int clients = 20;
  // Times that each client comes to each study, and calls that it then makes. Leases run out
  // between the times.
  int visits = 4;
  int calls_per_visit = 2;
  int crashes = 2;
};

struct RoundReport {
  int histories = 0;
  int crashes = 0;
  int64_t lease_ends = 0;
  int64_t steps = 0;       // All searches together took so many, ...
  int64_t most_steps = 0;  // ... and the longest one so many.
  int64_t trials = 0;
  int64_t requeued = 0;
  int64_t withdrawn = 0;
  CallCounts counts;
  // What was wrong: histories that are not linearizable or not decided, and calls that failed.
  std::vector<std::string> failures;

  void Add(RoundReport other);
  std::string Text() const;
};

// One round, on a server of its own.
RoundReport RunRound(const RoundSettings& settings, unsigned seed);

// Rounds of settings.studies until there are so many histories.
RoundReport RunRounds(const RoundSettings& settings, int histories, unsigned seed);

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_HISTORY_ROUND_H_
