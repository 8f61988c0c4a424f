#include "core/prior/priors.h"

#include <memory>
#include <set>
#include <string>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

Choice<PriorRow> ChoiceOf(const std::string& name) {
  return Choice<PriorRow>(*FindRow(PriorRows(), name));
}

TEST(Priors, AllButOneMakeAPriorFromSources) {
  std::set<std::string> names;
  for (const PriorRow* row : PriorRows()) {
    EXPECT_TRUE(names.insert(std::string(row->about.name)).second) << row->about.name;
    const Choice<PriorRow> choice(*row);
    const std::shared_ptr<const Prior> prior = CommonPrior(choice, {});
    EXPECT_EQ(prior != nullptr, row->uses_sources()) << row->about.name;
    EXPECT_EQ(row->about.source.empty(), !row->uses_sources()) << row->about.name;
  }
  EXPECT_FALSE(FindRow(PriorRows(), "none")->uses_sources());
}

TEST(CommonPrior, IsSharedByEqualChoices) {
  const std::shared_ptr<const Prior> prior = CommonPrior(ChoiceOf("cluster"), {});
  EXPECT_EQ(CommonPrior(ChoiceOf("cluster"), {}), prior);
  Choice<PriorRow> other = ChoiceOf("cluster");
  other.options().Set("clusters", 3);
  EXPECT_NE(CommonPrior(other, {}), prior);
  EXPECT_NE(CommonPrior(ChoiceOf("rgpe"), {}), prior);
}

TEST(CommonPrior, DependsOnTheAcquisitionOnlyIfItFollowsIt) {
  const FollowedAcquisition draws{.draws = true};
  const FollowedAcquisition bound{.multiplier = 2};
  for (const PriorRow* row : PriorRows()) {
    if (!row->uses_sources()) continue;
    const Choice<PriorRow> choice(*row);
    const auto plain = CommonPrior(choice, {});
    EXPECT_EQ(CommonPrior(choice, draws) == plain, !row->follows_acquisition) << row->about.name;
    EXPECT_EQ(CommonPrior(choice, bound) == plain, !row->follows_acquisition) << row->about.name;
  }
  EXPECT_TRUE(FindRow(PriorRows(), "rm_gp")->follows_acquisition);
}

TEST(CommonPrior, IsDroppedWithItsLastUser) {
  std::shared_ptr<const Prior> prior = CommonPrior(ChoiceOf("scaml"), {});
  const std::weak_ptr<const Prior> watched = prior;
  prior.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_NE(CommonPrior(ChoiceOf("scaml"), {}), nullptr);
}

}  // namespace
}  // namespace slipstream
