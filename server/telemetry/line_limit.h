// Bounds how often the same event is logged, and counts what is left out. Thread-safe.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_LINE_LIMIT_H_
#define SLIPSTREAM_SERVER_TELEMETRY_LINE_LIMIT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace slipstream {

struct LineLimitOptions {
  // Lines with one key in one window.
  int64_t lines = 10;
  absl::Duration window = absl::Seconds(10);
  // Keys that are told apart in one window; all lines with further keys are counted together.
  size_t keys = 1000;
};

class LineLimit {
 public:
  // Lines that were left out.
  struct Repeats {
    std::string key;
    int64_t count = 0;
    absl::Duration window;
  };

  explicit LineLimit(LineLimitOptions options) : options_(options) {}

  // Whether the line may be written. A window begins with its first line.
  bool Admit(const std::string& key, absl::Time now);

  // What was left out in windows that are over; each is reported once. Forgets these windows.
  std::vector<Repeats> TakeRepeats(absl::Time now);

 private:
  struct Window {
    absl::Time begin;
    int64_t lines = 0;
  };

  const LineLimitOptions options_;
  std::mutex mutex_;
  std::map<std::string, Window> windows_;
  std::vector<Repeats> over_;  // Windows that another one with the same key has replaced.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_LINE_LIMIT_H_
