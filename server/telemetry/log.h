// The server's log: one line for each event, for people or for machines.
//
//   Log log({.format = LogFormat::kText});
//   log.Write(LogLevel::kInfo, "serving", {{"address", "127.0.0.1:7411"}});
//
//   2026-05-01T09:30:00.123+02:00 info serving address=127.0.0.1:7411
//   {"time":"2026-05-01T09:30:00.123+02:00","level":"info","event":"serving","address":...}
//
// The caller makes sure that no secret is in a field. Thread-safe.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_LOG_H_
#define SLIPSTREAM_SERVER_TELEMETRY_LOG_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/telemetry/line_limit.h"

namespace slipstream {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

// The name is an identifier. Texts are truncated after kMostFieldBytes.
struct LogField {
  std::string name;
  std::variant<std::string, int64_t, double> value;
};
using LogFields = std::vector<LogField>;
inline constexpr size_t kMostFieldBytes = 512;

struct LogOptions {
  LogLevel level = LogLevel::kInfo;  // Events below it are not written.
  LogFormat format = LogFormat::kText;
  absl::TimeZone zone = absl::LocalTimeZone();
  LineLimitOptions limit = {};
  // Of WriteRarely.
  LineLimitOptions rare_limit = {.lines = 1, .window = absl::Minutes(10)};
  // Empty: standard error.
  std::function<void(absl::string_view line)> sink = {};
  std::function<absl::Time()> now = [] { return absl::Now(); };
};

class Log {
 public:
  explicit Log(LogOptions options);
  ~Log();

  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Whether events of this level are written.
  bool Takes(LogLevel level) const { return level >= options_.level; }

  void Write(LogLevel level, absl::string_view event, const LogFields& fields = {});

  // The same for an event that callers can cause as often as they like: of those with the
  // same `key` a number is written in a while, and then how many more there were. `fields` makes
  // the fields, for those that are written.
  void WriteLimited(LogLevel level, const std::string& key, absl::string_view event,
                    const std::function<LogFields()>& fields);

  // The same for an event that repeats itself for as long as its cause lasts, such as a failure of
  // what the server does every second: one is written in ten minutes.
  void WriteRarely(LogLevel level, const std::string& key, absl::string_view event,
                   const std::function<LogFields()>& fields);

  // Reports the events that WriteLimited and WriteRarely have left out since the last report. To
  // be called regularly.
  void TellOfRepeats();

 private:
  class Sink;

  void WriteRepeats(const LineLimit::Repeats& repeats);

  const LogOptions options_;
  LineLimit limit_;
  LineLimit rare_limit_;
  const std::unique_ptr<Sink> sink_;
};

// The level called `name`: debug, info, warning or error.
LogLevel LogLevelOf(absl::string_view name);

// One line without its end. A pure function.
std::string FormatLogLine(LogFormat format, const absl::TimeZone& zone, absl::Time time,
                          LogLevel level, absl::string_view event, const LogFields& fields);

// The fields as one JSON object, after the time. A pure function.
std::string FormatJsonLine(const absl::TimeZone& zone, absl::Time time, const LogFields& fields);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_LOG_H_
