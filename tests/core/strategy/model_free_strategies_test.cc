#include "core/strategy/model_free_strategies.h"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/space/quasi_random.h"
#include "core/strategy/make_strategy.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

TEST(QuasiRandomStrategy, SuggestionNumberIsThePointsNumber) {
  FakeStudy study(SquareSpace());
  study.suggested = 100;
  const auto suggestions = MustSuggest("quasi_random", study.view(), 3, 12);
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(suggestions[i].configuration,
              study.space->Sample(QuasiRandomPoints(2, 12, 100 + i, 1)[0]));
    EXPECT_EQ(NumberFact(suggestions[i], "sobol_index"), 100.0 + static_cast<double>(i));
    EXPECT_FALSE(suggestions[i].candidate.has_value());
  }
}

TEST(ModelFreeStrategies, AskingForTwoAtOnceIsAskingTwice) {
  for (const std::string preset : {"quasi_random", "random"}) {
    const std::string fact = preset == "random" ? "random_index" : "sobol_index";
    for (const auto& space : {MixedSpace(), LineOfCandidates(40), LineOfCandidates(5, true)}) {
      FakeStudy at_once(space);
      FakeStudy one_by_one(space);
      const auto five = MustSuggest(preset, at_once.view(), 5, 8);
      for (size_t i = 0; i < 5; ++i) {
        const auto next = MustSuggest(preset, one_by_one.view(), 1, 8);
        EXPECT_EQ(next[0].configuration, five[i].configuration);
        EXPECT_EQ(next[0].candidate, five[i].candidate);
        EXPECT_EQ(NumberFact(next[0], fact), static_cast<double>(i));
        one_by_one.Lease(next);
      }
    }
  }
}

TEST(QuasiRandomStrategy, TakesTheNearestUntriedCandidateToEachPoint) {
  FakeStudy study(LineOfCandidates(11));
  std::set<int64_t> tried;
  for (uint64_t i = 0; i < 11; ++i) {
    const auto next = MustSuggest("quasi_random", study.view(), 1, 3);
    const double wanted = QuasiRandomPoints(1, 3, i, 1)[0][0];
    int64_t nearest = -1;
    for (int64_t c = 0; c < 11; ++c) {
      if (tried.count(c) > 0) continue;
      const auto distance = [&](int64_t at) {
        return std::fabs(static_cast<double>(at) / 10 - wanted);
      };
      if (nearest < 0 || distance(c) < distance(nearest)) nearest = c;
    }
    ASSERT_EQ(next[0].candidate, nearest) << i;
    EXPECT_EQ(next[0].configuration, study.space->candidates()[static_cast<size_t>(nearest)]);
    tried.insert(nearest);
    study.Lease(next);
    study.End(Ending::kInfeasible);
  }
}

TEST(ModelFreeStrategies, GiveWhatIsLeftOfTheCandidatesAndThenSayHowManyThereWere) {
  FakeStudy study(LineOfCandidates(5));
  study.Lease(MustSuggest("quasi_random", study.view(), 3, 1));
  const auto rest = MustSuggest("quasi_random", study.view(), 100, 1);
  EXPECT_EQ(rest.size(), 2u);
  study.Lease(rest);
  for (const char* preset : {"quasi_random", "random", "source_portfolio"}) {
    const auto none =
        MakeStrategy(*FindPreset(preset))->Suggest(study.view(), 1, 1, Deadline::Infinite());
    ASSERT_EQ(none.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(none.status().message().find("all 5 candidates"), absl::string_view::npos);
  }
}

TEST(QuasiRandomStrategy, IgnoresAPassedDeadline) {
  const FakeStudy study(MixedSpace());
  EXPECT_TRUE(SameSuggestions(MustSuggest("quasi_random", study.view(), 4, 1, Deadline::Passed()),
                              MustSuggest("quasi_random", study.view(), 4, 1)));
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
