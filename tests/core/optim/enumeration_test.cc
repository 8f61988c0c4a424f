#include "core/optim/enumeration.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/optim/spaces.h"

namespace slipstream {
namespace {

std::vector<SearchSpace> SmallSpaces() {
  std::vector<SearchSpace> spaces;
  spaces.push_back(MakeSpace({{"count", IntegerDomain{-2, 3}, {}, {}}}));
  spaces.push_back(MakeSpace({{"flag", BooleanDomain{}, {}, {}},
                              {"rate", DiscreteDomain{{0.1, 1, 10}}, {}, {}},
                              {"kind", CategoricalDomain{{"a", "b", "c", "d"}}, {}, {}},
                              {"only", IntegerDomain{5, 5}, {}, {}}}));
  spaces.push_back(ConditionalSpace());
  spaces.push_back(MakeSpace({{"inner", IntegerDomain{1, 3}, {}, Condition{"middle", {true}}},
                              {"middle", BooleanDomain{}, {}, Condition{"outer", {0.5, 2.0}}},
                              {"outer", DiscreteDomain{{0.5, 1, 2}}, {}, {}}}));
  return spaces;
}

TEST(AllConfigurations, AgreeWithTryingEveryCombination) {
  for (const SearchSpace& space : SmallSpaces()) {
    const std::vector<Configuration> naive = NaiveConfigurations(space);
    const auto all = AllConfigurations(space, 1000);
    ASSERT_TRUE(all.has_value());
    EXPECT_EQ(all->size(), naive.size());
    for (const Configuration& configuration : naive) {
      EXPECT_EQ(std::count(all->begin(), all->end(), configuration), 1);
    }
  }
}

TEST(AllConfigurations, AreReturnedUpToExactlyTheLimit) {
  for (const SearchSpace& space : SmallSpaces()) {
    const size_t count = NaiveConfigurations(space).size();
    EXPECT_TRUE(AllConfigurations(space, count).has_value());
    EXPECT_FALSE(AllConfigurations(space, count - 1).has_value());
    EXPECT_FALSE(AllConfigurations(space, 1).has_value());
    EXPECT_FALSE(AllConfigurations(space, 0).has_value());
  }
}

TEST(AllConfigurations, AreNotReturnedForRealNumbersEvenConditionalOnes) {
  EXPECT_FALSE(AllConfigurations(Cube(1), 1000000).has_value());
  const SearchSpace conditional =
      MakeSpace({{"flag", BooleanDomain{}, {}, {}},
                 {"rate", DoubleDomain{0, 1}, {}, Condition{"flag", {true}}}});
  EXPECT_FALSE(AllConfigurations(conditional, 1000000).has_value());
}

TEST(AllConfigurations, AreRefusedAtOnceForHugeSpaces) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 200; ++i) {
    parameters.push_back({"x" + std::to_string(i), IntegerDomain{0, int64_t{1} << 53}, {}, {}});
  }
  EXPECT_FALSE(AllConfigurations(MakeSpace(parameters), 100000).has_value());
  for (Parameter& parameter : parameters) parameter.domain = BooleanDomain{};
  EXPECT_FALSE(AllConfigurations(MakeSpace(parameters), 10000).has_value());
}

}  // namespace
}  // namespace slipstream
