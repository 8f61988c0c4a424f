#include "core/strategy/random_strategy.h"

#include <cmath>
#include <map>
#include <set>

#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

TEST(RandomStrategy, AskingForTwoAtOnceIsAskingTwice) {
  for (const auto& space : {MixedSpace(), LineOfCandidates(40), LineOfCandidates(5, true)}) {
    FakeStudy at_once(space);
    FakeStudy one_by_one(space);
    const auto five = MustSuggest("random", at_once.view(), 5, 8);
    for (int i = 0; i < 5; ++i) {
      const auto next = MustSuggest("random", one_by_one.view(), 1, 8);
      EXPECT_EQ(next[0].configuration, five[static_cast<size_t>(i)].configuration);
      EXPECT_EQ(next[0].candidate, five[static_cast<size_t>(i)].candidate);
      EXPECT_EQ(NumberFact(next[0], "random_index"), i);
      one_by_one.Lease(next);
    }
  }
}

TEST(RandomStrategy, IsPureAndDiffersBySeed) {
  const FakeStudy study(MixedSpace());
  EXPECT_TRUE(SameSuggestions(MustSuggest("random", study.view(), 20, 1),
                              MustSuggest("random", study.view(), 20, 1)));
  EXPECT_FALSE(SameSuggestions(MustSuggest("random", study.view(), 20, 1),
                               MustSuggest("random", study.view(), 20, 2)));
}

TEST(RandomStrategy, IsUniformOverEveryKind) {
  FakeStudy study(MixedSpace());
  const int count = 9000;
  std::map<double, int> sizes;
  std::map<int64_t, int> kernels;
  std::map<int64_t, int> degrees;
  int warm = 0;
  double log_rate = 0;
  for (const Suggestion& suggestion : MustSuggest("random", study.view(), count, 4)) {
    const std::vector<Value>& values = suggestion.configuration.values;
    log_rate += std::log10(values[0].number());
    ++sizes[values[1].number()];
    ++kernels[values[2].level()];
    warm += values[3].boolean();
    if (values[4].active()) ++degrees[values[4].integer()];
  }
  EXPECT_NEAR(log_rate / count, -2.5, 0.08);  // Five standard deviations.
  ASSERT_EQ(sizes.size(), 4u);
  for (const auto& [size, times] : sizes) EXPECT_NEAR(times, count / 4, 210) << size;
  for (const auto& [kernel, times] : kernels) EXPECT_NEAR(times, count / 3, 225) << kernel;
  EXPECT_NEAR(warm, count / 2, 240);
  ASSERT_EQ(degrees.size(), 5u);
  for (const auto& [degree, times] : degrees) EXPECT_NEAR(times, count / 15, 125) << degree;
}

TEST(RandomStrategy, IsUniformAmongTheUntriedCandidates) {
  FakeStudy study(LineOfCandidates(6));
  study.Queue(study.space->candidates()[0]);
  study.Queue(study.space->candidates()[3]);
  study.End(Ending::kFailed);
  std::map<int64_t, int> times;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    ++times[*MustSuggest("random", study.view(), 1, seed)[0].candidate];
  }
  ASSERT_EQ(times.size(), 4u);
  EXPECT_EQ(times.count(0) + times.count(3), 0u);
  for (const auto& [candidate, count] : times) EXPECT_NEAR(count, 1000, 140) << candidate;
}

TEST(RandomStrategy, RepeatsCandidatesWhereAllowed) {
  FakeStudy study(LineOfCandidates(3, true));
  for (int i = 0; i < 3; ++i) study.Queue(study.space->candidates()[static_cast<size_t>(i)]);
  std::set<int64_t> seen;
  const auto suggestions = MustSuggest("random", study.view(), 60, 5);
  ASSERT_EQ(suggestions.size(), 60u);
  for (const Suggestion& suggestion : suggestions) seen.insert(*suggestion.candidate);
  EXPECT_EQ(seen.size(), 3u);
}

TEST(RandomStrategy, SuggestionsAreLegalInEverySpace) {
  RandomStream random(51);
  for (int s = 0; s < 300; ++s) {
    FakeStudy study(std::make_shared<const SearchSpace>(RandomSpace(random, 10)));
    for (const Suggestion& suggestion : MustSuggest("random", study.view(), 10, 6)) {
      ASSERT_TRUE(IsLegal(*study.space, suggestion.configuration));
    }
  }
}

}  // namespace
}  // namespace slipstream
