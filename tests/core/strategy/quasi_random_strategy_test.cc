#include "core/strategy/quasi_random_strategy.h"

#include <cmath>
#include <set>

#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/space/quasi_random.h"
#include "core/strategy/make_strategy.h"
#include "gtest/gtest.h"
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

TEST(QuasiRandomStrategy, AskingForTwoAtOnceIsAskingTwice) {
  for (const auto& space : {MixedSpace(), LineOfCandidates(40), LineOfCandidates(5, true)}) {
    FakeStudy at_once(space);
    FakeStudy one_by_one(space);
    const auto five = MustSuggest("quasi_random", at_once.view(), 5, 8);
    for (size_t i = 0; i < 5; ++i) {
      const auto next = MustSuggest("quasi_random", one_by_one.view(), 1, 8);
      EXPECT_EQ(next[0].configuration, five[i].configuration);
      EXPECT_EQ(next[0].candidate, five[i].candidate);
      one_by_one.Lease(next);
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

TEST(QuasiRandomStrategy, GivesWhatIsLeftOfTheCandidatesAndThenSaysHowManyThereWere) {
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

}  // namespace
}  // namespace slipstream
