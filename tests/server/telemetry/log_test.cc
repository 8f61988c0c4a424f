#include "server/telemetry/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const absl::Time kNow = absl::FromUnixMillis(1'777'627'800'123);

std::string TextLine(const LogFields& fields) {
  return FormatLogLine(LogFormat::kText, absl::UTCTimeZone(), kNow, LogLevel::kInfo, "event",
                       fields);
}

nlohmann::json JsonLine(const LogFields& fields) {
  return nlohmann::json::parse(FormatLogLine(LogFormat::kJson, absl::UTCTimeZone(), kNow,
                                             LogLevel::kWarning, "event", fields));
}

TEST(LogLine, ATextLineHasTheTimeWithItsZoneTheLevelTheEventAndTheFields) {
  EXPECT_EQ(TextLine({{"study", "studies/s"}, {"count", 3}, {"ms", 0.25}}),
            "2026-05-01T09:30:00.123+00:00 info event study=studies/s count=3 ms=0.25");
  EXPECT_THAT(FormatLogLine(LogFormat::kText, absl::FixedTimeZone(2 * 60 * 60), kNow,
                            LogLevel::kError, "event", {}),
              "2026-05-01T11:30:00.123+02:00 error event");
}

TEST(LogLine, TextThatCouldBeTakenForMoreThanOneFieldOrLineIsQuoted) {
  EXPECT_THAT(TextLine({{"worker", "a b=c"}}), HasSubstr("worker=\"a b=c\""));
  EXPECT_THAT(TextLine({{"worker", "a\n2026 error forged"}}), Not(HasSubstr("\n")));
  EXPECT_THAT(TextLine({{"worker", "\x1b[31mred"}}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(TextLine({{"worker", ""}}), HasSubstr("worker=\"\""));
  EXPECT_THAT(TextLine({{"worker", "größe"}}), HasSubstr("größe"));
  EXPECT_THAT(TextLine({{"worker", "it's a"}}), HasSubstr("worker=\"it's a\""));
  EXPECT_THAT(TextLine({{"worker", "a \\'b\""}}), HasSubstr(R"(worker="a \\'b\"")"));
}

TEST(LogLine, AJsonLineIsOneObjectWhateverTheTextIs) {
  const nlohmann::json line =
      JsonLine({{"worker", "a\"b\n\xff"}, {"count", int64_t{1} << 60}, {"ms", 0.25}});
  EXPECT_EQ(line["time"], "2026-05-01T09:30:00.123+00:00");
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["event"], "event");
  EXPECT_EQ(line["worker"], "a\"b\n\xEF\xBF\xBD");
  EXPECT_EQ(line["count"], int64_t{1} << 60);
  EXPECT_EQ(line["ms"], 0.25);
}

TEST(LogLine, LongTextsAreCutBetweenCharacters) {
  std::string text;
  for (size_t i = 0; i < kMostFieldBytes; ++i) text += "ß";
  const std::string kept = JsonLine({{"message", text}})["message"];
  EXPECT_LE(kept.size(), kMostFieldBytes);
  EXPECT_GE(kept.size(), kMostFieldBytes - 1);
  EXPECT_THAT(kept, Not(HasSubstr("\xEF\xBF\xBD")));
}

struct Lines {
  LogOptions Options(LogLevel level = LogLevel::kInfo) {
    LogOptions options;
    options.level = level;
    options.zone = absl::UTCTimeZone();
    options.limit = {.lines = 2, .window = absl::Seconds(10)};
    options.sink = [this](absl::string_view line) { lines.emplace_back(line.substr(30)); };
    options.now = [this] { return now; };
    return options;
  }
  std::vector<std::string> lines;
  absl::Time now = kNow;
};

TEST(Log, EventsBelowTheLevelAreNotWritten) {
  Lines lines;
  Log log(lines.Options(LogLevel::kWarning));
  EXPECT_FALSE(log.Takes(LogLevel::kInfo));
  log.Write(LogLevel::kInfo, "quiet");
  log.Write(LogLevel::kError, "loud");
  log.WriteLimited(LogLevel::kDebug, "key", "quiet", [] { return LogFields{}; });
  EXPECT_THAT(lines.lines, ElementsAre("error loud"));
  EXPECT_EQ(LogLevelOf("warning"), LogLevel::kWarning);
}

TEST(Log, RepeatedEventsAreWrittenAFewTimesAndThenCounted) {
  Lines lines;
  Log log(lines.Options());
  int made = 0;
  for (int i = 0; i < 5; ++i) {
    log.WriteLimited(LogLevel::kInfo, "flood", "refused", [&] {
      ++made;
      return LogFields{{"number", i}};
    });
  }
  EXPECT_EQ(made, 2) << "fields are made for lines that are written";
  log.TellOfRepeats();
  lines.now += absl::Seconds(10);
  log.TellOfRepeats();
  EXPECT_THAT(lines.lines, ElementsAre("info refused number=0", "info refused number=1",
                                       "info further lines left out of=flood count=3 seconds=10"));
}

TEST(Log, AnEventThatRepeatsItselfForLongIsWrittenOnceInTenMinutes) {
  Lines lines;
  Log log(lines.Options());
  for (int second = 0; second <= 600; ++second, lines.now += absl::Seconds(1)) {
    log.WriteRarely(LogLevel::kError, "sweep", "cannot sweep", [] { return LogFields{}; });
    log.TellOfRepeats();
  }
  EXPECT_THAT(lines.lines,
              ElementsAre("error cannot sweep", "error cannot sweep",
                          "info further lines left out of=sweep count=599 seconds=600"));
}

TEST(Log, RepeatedEventsAreCountedAtEveryLevel) {
  Lines lines;
  LogOptions options = lines.Options();
  options.level = LogLevel::kWarning;
  Log log(options);
  for (int i = 0; i < 3; ++i) {
    log.WriteLimited(LogLevel::kWarning, "flood", "refused", [] { return LogFields{}; });
  }
  lines.now += absl::Seconds(10);
  log.TellOfRepeats();
  EXPECT_THAT(lines.lines,
              ElementsAre("warning refused", "warning refused",
                          "warning further lines left out of=flood count=1 seconds=10"));
}

TEST(Log, LinesOfSeveralThreadsAreWhole) {
  testing::internal::CaptureStderr();
  {
    Log log({.limit = {}, .now = [] { return kNow; }});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) log.Write(LogLevel::kInfo, "event", {{"text", "0123456789"}});
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  const std::string output = testing::internal::GetCapturedStderr();
  size_t begin = 0;
  int count = 0;
  for (size_t end = output.find('\n'); end != std::string::npos; end = output.find('\n', begin)) {
    EXPECT_THAT(output.substr(begin, end - begin), testing::EndsWith("info event text=0123456789"));
    begin = end + 1;
    ++count;
  }
  EXPECT_EQ(count, 400);
}

}  // namespace
}  // namespace slipstream
