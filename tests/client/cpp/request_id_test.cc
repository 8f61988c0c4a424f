#include "slipstream/request_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

namespace slipstream {
namespace {

std::vector<std::string> Draw(RequestIdGenerator& generator, int count) {
  std::vector<std::string> ids;
  for (int i = 0; i < count; ++i) ids.push_back(generator.Next());
  return ids;
}

bool StrictlyAscends(const std::vector<std::string>& ids) {
  return std::is_sorted(ids.begin(), ids.end()) &&
         std::adjacent_find(ids.begin(), ids.end()) == ids.end();
}

// Matches xxxxxxxx-xxxx-7xxx-yxxx-xxxxxxxxxxxx with x a lower-case hexadecimal digit and y one of
// 8, 9, a, b.
auto MatchesUuidOfVersionSeven() {
  const std::string digit = "[0-9a-f]";
  const auto digits = [&](int count) {
    std::string pattern;
    for (int i = 0; i < count; ++i) pattern += digit;
    return pattern;
  };
  return testing::MatchesRegex(digits(8) + "-" + digits(4) + "-7" + digits(3) + "-[89ab]" +
                               digits(3) + "-" + digits(12));
}

TEST(RequestId, HasTheFormOfAUuidOfVersionSeven) {
  for (int i = 0; i < 1000; ++i) {
    const std::string id = MakeRequestId();
    EXPECT_THAT(id, MatchesUuidOfVersionSeven());
  }
}

TEST(RequestId, BeginsWithTheMillisecondsOfTheUnixTime) {
  RequestIdGenerator generator([] { return int64_t{0x0193'2c07'209f}; });
  EXPECT_EQ(generator.Next().substr(0, 14), "01932c07-209f-");
}

TEST(RequestId, BeginsWithTheTimeOfDayInThisProcess) {
  const auto milliseconds = [] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  const int64_t before = milliseconds();
  const std::string id = MakeRequestId();
  const int64_t told = std::stoll(id.substr(0, 8) + id.substr(9, 4), nullptr, 16);
  EXPECT_GE(told, before);
  EXPECT_LE(told, milliseconds() + 1000);  // Other tests may have advanced it.
}

TEST(RequestId, AscendsWhileTheClockStandsStill) {
  RequestIdGenerator generator([] { return int64_t{1'700'000'000'000}; });
  EXPECT_TRUE(StrictlyAscends(Draw(generator, 20'000)));  // More than one counter has room for.
}

TEST(RequestId, AscendsWhenTheClockIsSetBack) {
  int64_t now = 1'700'000'000'000;
  RequestIdGenerator generator([&now] { return now -= 1000; });
  EXPECT_TRUE(StrictlyAscends(Draw(generator, 100)));
}

TEST(RequestId, AscendsOnEveryThreadAndIsNeverDrawnTwice) {
  constexpr int kThreads = 8;
  constexpr int kEach = 2000;
  std::vector<std::vector<std::string>> drawn(kThreads);
  std::vector<std::thread> threads;
  for (auto& ids : drawn) {
    threads.emplace_back([&ids] {
      for (int i = 0; i < kEach; ++i) ids.push_back(MakeRequestId());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& ids : drawn) {
    EXPECT_TRUE(StrictlyAscends(ids));
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), size_t{kThreads * kEach});
}

TEST(RequestId, DiffersBetweenGeneratorsAtTheSameMoment) {
  RequestIdGenerator one([] { return int64_t{1}; });
  RequestIdGenerator other([] { return int64_t{1}; });
  std::vector<std::string> tails;
  for (int i = 0; i < 100; ++i) tails.push_back(one.Next().substr(19));
  for (int i = 0; i < 100; ++i) {
    EXPECT_THAT(tails, testing::Not(testing::Contains(other.Next().substr(19))));
  }
}

}  // namespace
}  // namespace slipstream
