// One server that is killed again and again, at random moments, while several clients make every
// call that changes anything; and whether it keeps what it acknowledged.
#ifndef SLIPSTREAM_TESTS_E2E_KILLS_KILL_LANE_H_
#define SLIPSTREAM_TESTS_E2E_KILLS_KILL_LANE_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "tests/e2e/kills/known_store.h"
#include "tests/e2e/kills/retried_calls.h"

namespace slipstream::kills {

struct LaneSettings {
  int kills = 100;
  // No kill begins after this moment.
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::time_point::max();
  int clients = 4;
  // Where the data is; empty for where the system keeps temporary files.
  std::string folder = {};
  unsigned seed = 1;
};

struct LaneReport {
  int64_t kills = 0;
  int64_t kills_at_start = 0;  // Before the server was ready.
  int64_t checks = 0;          // Each is of all that is known.
  int64_t trials_compared = 0;
  int64_t provenances_compared = 0;
  int64_t events = 0;
  CallCounts calls;
  Differences failures;

  void Add(const LaneReport& other);
  std::string Text() const;
};

// Runs until all kills are done, the time is over or something is wrong.
LaneReport RunLane(const LaneSettings& settings);

struct KillSettings {
  int kills = 200;
  double seconds = 3600;
  int servers = 3;  // Side by side.
  int clients = 4;  // Each server has so many.
  std::string folder = {};
  unsigned seed = 1;
};

// Lanes side by side, each on a new store after some hundred kills. It is a failure if the time is
// over before all kills are done.
LaneReport RunKills(const KillSettings& settings);

}  // namespace slipstream::kills

#endif  // SLIPSTREAM_TESTS_E2E_KILLS_KILL_LANE_H_
