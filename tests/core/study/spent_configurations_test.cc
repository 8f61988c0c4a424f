#include "core/study/spent_configurations.h"

#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

TEST(SpentConfigurations, AreInfeasibleFailAgainAndAgainOrAreKnownExactly) {
  FakeStudy study(MakeSpace({{"n", IntegerDomain{1, 4}, {}, {}}}));
  const auto end_at = [&study](int64_t n, Ending ending) {
    study.Queue({{Value::Integer(n)}});
    study.End(ending, ending == Ending::kMeasured ? std::optional<double>(1) : std::nullopt);
  };
  const auto is_spent = [&study](int64_t n, bool noiseless = false) {
    StudyView view = study.view();
    view.noiseless = noiseless;
    const Configuration configuration{{Value::Integer(n)}};
    return SpentConfigurations(view).contains(&configuration);
  };
  end_at(1, Ending::kInfeasible);
  EXPECT_TRUE(is_spent(1));
  end_at(2, Ending::kFailed);
  EXPECT_FALSE(is_spent(2)) << "which may have been chance";
  end_at(2, Ending::kFailed);
  EXPECT_TRUE(is_spent(2));
  end_at(3, Ending::kMeasured);
  EXPECT_FALSE(is_spent(3));
  EXPECT_TRUE(is_spent(3, /*noiseless=*/true));
  end_at(4, Ending::kStopped);
  EXPECT_FALSE(is_spent(4, /*noiseless=*/true));
}

TEST(SpentConfigurations, AreMeasuredOnesOnceRepeatsHaveGivenTheSameEachTime) {
  FakeStudy study(MakeSpace({{"n", IntegerDomain{1, 4}, {}, {}}}));
  const auto measure = [&study](int64_t n, double value) {
    study.Queue({{Value::Integer(n)}});
    study.End(Ending::kMeasured, value);
  };
  measure(1, 0.5);
  measure(2, 0.75);
  measure(1, 0.5);
  EXPECT_TRUE(SpentConfigurations(study.view()).empty());
  measure(2, 0.75);
  EXPECT_EQ(SpentConfigurations(study.view()).size(), 2u);
  measure(1, 0.5000001);
  EXPECT_TRUE(SpentConfigurations(study.view()).empty());
}

}  // namespace
}  // namespace slipstream
