#include "server/telemetry/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace slipstream {
namespace {

constexpr char kTimeFormat[] = "%Y-%m-%dT%H:%M:%E3S%Ez";

absl::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

bool IsPlain(absl::string_view text) {
  for (const char c : text) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f) return false;
  }
  return !text.empty();
}

absl::string_view Cut(absl::string_view text) {
  size_t size = std::min(text.size(), kMostFieldBytes);
  // Not within a character of UTF-8.
  while (size < text.size() && size > 0 && (text[size] & 0xc0) == 0x80) --size;
  return text.substr(0, size);
}

// As it is, or quoted where a reader would otherwise not see where it ends. Nothing that callers
// sent can begin a line of its own or colour a terminal.
std::string TextOf(const LogField& field) {
  if (const auto* whole = std::get_if<int64_t>(&field.value)) return absl::StrCat(*whole);
  if (const auto* real = std::get_if<double>(&field.value)) return absl::StrCat(*real);
  const absl::string_view text = Cut(std::get<std::string>(field.value));
  if (IsPlain(text)) return std::string(text);
  // Which also escapes apostrophes, as C needs it and no reader does.
  const std::string escaped = absl::Utf8SafeCEscape(text);
  return absl::StrCat("\"", absl::StrReplaceAll(escaped, {{"\\\\", "\\\\"}, {"\\'", "'"}}), "\"");
}

nlohmann::ordered_json JsonOf(const LogField& field) {
  if (const auto* whole = std::get_if<int64_t>(&field.value)) return *whole;
  if (const auto* real = std::get_if<double>(&field.value)) return *real;
  return std::string(Cut(std::get<std::string>(field.value)));
}

std::string TextLine(absl::string_view time, LogLevel level, absl::string_view event,
                     const LogFields& fields) {
  std::string line = absl::StrCat(time, " ", NameOf(level), " ", event);
  for (const LogField& field : fields) absl::StrAppend(&line, " ", field.name, "=", TextOf(field));
  return line;
}

std::string Dump(const nlohmann::ordered_json& line) {
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonLine(absl::string_view time, LogLevel level, absl::string_view event,
                     const LogFields& fields) {
  nlohmann::ordered_json line;
  line["time"] = std::string(time);
  line["level"] = std::string(NameOf(level));
  line["event"] = std::string(event);
  for (const LogField& field : fields) line[field.name] = JsonOf(field);
  return Dump(line);
}

}  // namespace

LogLevel LogLevelOf(absl::string_view name) {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning}) {
    if (name == NameOf(level)) return level;
  }
  return LogLevel::kError;
}

std::string FormatLogLine(LogFormat format, const absl::TimeZone& zone, absl::Time time,
                          LogLevel level, absl::string_view event, const LogFields& fields) {
  const std::string when = absl::FormatTime(kTimeFormat, time, zone);
  return format == LogFormat::kJson ? JsonLine(when, level, event, fields)
                                    : TextLine(when, level, event, fields);
}

std::string FormatJsonLine(const absl::TimeZone& zone, absl::Time time, const LogFields& fields) {
  nlohmann::ordered_json line;
  line["time"] = absl::FormatTime(kTimeFormat, time, zone);
  for (const LogField& field : fields) line[field.name] = JsonOf(field);
  return Dump(line);
}

// Lines are whole, whichever threads write them.
class Log::Sink {
 public:
  explicit Sink(std::function<void(absl::string_view)> own)
      : own_(std::move(own)),
        logger_("slipstream", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
    logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v"));
  }

  void Write(const std::string& line) {
    if (own_) return own_(line);
    logger_.log(spdlog::level::critical, spdlog::string_view_t(line.data(), line.size()));
  }

 private:
  const std::function<void(absl::string_view)> own_;
  spdlog::logger logger_;
};

Log::Log(LogOptions options)
    : options_(std::move(options)),
      limit_(options_.limit),
      rare_limit_(options_.rare_limit),
      sink_(std::make_unique<Sink>(options_.sink)) {}

Log::~Log() = default;

void Log::Write(LogLevel level, absl::string_view event, const LogFields& fields) {
  if (!Takes(level)) return;
  sink_->Write(FormatLogLine(options_.format, options_.zone, options_.now(), level, event, fields));
}

void Log::WriteLimited(LogLevel level, const std::string& key, absl::string_view event,
                       const std::function<LogFields()>& fields) {
  if (!Takes(level) || !limit_.Admit(key, options_.now())) return;
  Write(level, event, fields());
}

void Log::WriteRarely(LogLevel level, const std::string& key, absl::string_view event,
                      const std::function<LogFields()>& fields) {
  if (!Takes(level) || !rare_limit_.Admit(key, options_.now())) return;
  Write(level, event, fields());
}

void Log::TellOfRepeats() {
  for (LineLimit* const limit : {&limit_, &rare_limit_}) {
    for (const LineLimit::Repeats& repeats : limit->TakeRepeats(options_.now())) {
      WriteRepeats(repeats);
    }
  }
}

// Only lines that the level lets through are counted, so the count is always written.
void Log::WriteRepeats(const LineLimit::Repeats& repeats) {
  Write(std::max(LogLevel::kInfo, options_.level), "further lines left out",
        {{"of", repeats.key},
         {"count", repeats.count},
         {"seconds", absl::ToDoubleSeconds(repeats.window)}});
}

}  // namespace slipstream
