#include "core/space/branches.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/core/space/space_fixtures.h"

namespace slipstream {
namespace {

Parameter Below(Parameter parameter, const std::string& parent, NamedValue value) {
  parameter.condition = Condition{parent, {std::move(value)}};
  return parameter;
}

TEST(Branches, ASpaceIsMixedWithWordsSwitchesOrConditions) {
  const Parameter number = Named("n", DoubleDomain{});
  const Parameter whole = Named("w", IntegerDomain{});
  const Parameter steps = Named("d", DiscreteDomain{{1, 2}, Scale::kLinear});
  EXPECT_FALSE(IsMixed(MustCreateSpace({number, whole, steps})));
  EXPECT_TRUE(IsMixed(MustCreateSpace({number, Named("c", CategoricalDomain{{"x", "y"}})})));
  EXPECT_TRUE(IsMixed(MustCreateSpace({number, Named("b", BooleanDomain{})})));
  EXPECT_TRUE(IsMixed(MustCreateSpace({whole, Below(number, "w", int64_t{1})})));
}

// A switch below a word, a number below the switch, and two numbers of which one is below the word.
SearchSpace Branched() {
  return MustCreateSpace({Below(Named("leaf", DoubleDomain{}), "middle", true),
                          Below(Named("middle", BooleanDomain{}), "root", std::string("on")),
                          Named("free", DoubleDomain{}),
                          Named("root", CategoricalDomain{{"off", "on", "other", "last"}}),
                          Below(Named("own", DoubleDomain{}), "root", std::string("off"))});
}

TEST(Branches, ParentsBranchOnceEach) {
  EXPECT_EQ(BranchingParameters(Branched()), (std::vector<size_t>{1, 3}));
  EXPECT_TRUE(BranchingParameters(MustCreateSpace({Named("b", BooleanDomain{})})).empty());
}

TEST(Branches, ParametersCountByHowOftenTheyExist) {
  EXPECT_NEAR(MeanActive(Branched()), 2 + 0.25 + 0.125 + 0.25, 0.01);
  EXPECT_EQ(MeanActive(MustCreateSpace({Named("x", DoubleDomain{}), Named("y", BooleanDomain{})})),
            2);
}

}  // namespace
}  // namespace slipstream
