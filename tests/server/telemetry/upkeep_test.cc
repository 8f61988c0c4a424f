#include "server/telemetry/upkeep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Upkeep, AClockThatWasSetIsReported) {
  std::vector<std::string> lines;
  LogOptions options;
  options.sink = [&](absl::string_view line) { lines.emplace_back(line); };
  Log log(options);
  absl::Time now = absl::FromUnixSeconds(1'777'627'800);
  std::chrono::steady_clock::time_point steady;
  const std::unique_ptr<Store> store = MakeMemoryStore({});
  Upkeep upkeep(store.get(), &log, [](bool) {},
                {.now = [&] { return now; }, .steady_now = [&] { return steady; }});
  const auto pass = [&](absl::Duration shown, std::chrono::seconds passed) {
    now += shown;
    steady += passed;
    upkeep.Run();
  };
  pass(absl::Seconds(1), std::chrono::seconds(1));
  pass(absl::Hours(3), std::chrono::hours(3));  // A round that came late.
  pass(absl::Seconds(30), std::chrono::seconds(1));
  EXPECT_THAT(lines, IsEmpty());
  pass(absl::Hours(48), std::chrono::seconds(0));
  pass(-absl::Hours(48), std::chrono::seconds(0));
  pass(absl::Seconds(1), std::chrono::seconds(1));
  EXPECT_THAT(lines,
              ElementsAre(HasSubstr("warning the system's clock was set by_seconds=172800 "),
                          HasSubstr("by_seconds=-172800 ")));
}

}  // namespace
}  // namespace slipstream
