#include "core/space/search_space.h"

#include "gtest/gtest.h"
#include "tests/core/space/random_space.h"

namespace slipstream {
namespace {

SearchSpace Nested() {
  Parameter leaf{"leaf", BooleanDomain{}, {}, Condition{"middle", {true}}};
  Parameter middle{"middle", BooleanDomain{}, {}, Condition{"root", {std::string("on")}}};
  Parameter root{"root", CategoricalDomain{{"off", "on"}}, {}, {}};
  absl::StatusOr<SearchSpace> space = SearchSpace::Create({leaf, middle, root});
  EXPECT_TRUE(space.ok()) << space.status();
  return *std::move(space);
}

TEST(SearchSpace, FindsParametersByName) {
  const SearchSpace space = Nested();
  EXPECT_EQ(space.dimension(), 3u);
  EXPECT_EQ(space.IndexOf("middle"), 1u);
  EXPECT_EQ(space.IndexOf("Middle"), std::nullopt);
  EXPECT_EQ(space.IndexOf(""), std::nullopt);
}

TEST(SearchSpace, KnowsParentsAndPutsThemFirst) {
  const SearchSpace space = Nested();
  EXPECT_EQ(space.ParentOf(0), 1u);
  EXPECT_EQ(space.ParentOf(1), 2u);
  EXPECT_EQ(space.ParentOf(2), std::nullopt);
  EXPECT_EQ(space.ParentsFirst(), (std::vector<size_t>{2, 1, 0}));
}

TEST(SearchSpace, ActivityDependsOnAllAncestors) {
  const SearchSpace space = Nested();
  Configuration configuration{{Value(), Value(), Value::Level(1)}};
  EXPECT_TRUE(space.IsActive(2, configuration));
  EXPECT_TRUE(space.IsActive(1, configuration));
  EXPECT_FALSE(space.IsActive(0, configuration));
  configuration.values[1] = Value::Boolean(true);
  EXPECT_TRUE(space.IsActive(0, configuration));
  configuration.values[1] = Value::Boolean(false);
  EXPECT_FALSE(space.IsActive(0, configuration));
}

TEST(SearchSpace, OnlyWordsAndBooleansAreUnordered) {
  const auto space =
      SearchSpace::Create({{"a", DoubleDomain{}, {}, {}},
                           {"b", IntegerDomain{}, {}, {}},
                           {"c", DiscreteDomain{{1}, Scale::kLinear}, {}, {}},
                           {"d", CategoricalDomain{{"x"}}, {}, {}},
                           {"e", BooleanDomain{}, {}, {}}});
  ASSERT_TRUE(space.ok());
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(space->IsUnordered(i), i >= 3) << i;
}

TEST(SearchSpace, EveryRandomSpaceHasAllParametersInItsOrderOnceParentsFirst) {
  RandomStream random(21);
  for (int s = 0; s < 500; ++s) {
    const SearchSpace space = RandomSpace(random, 20);
    std::vector<bool> seen(space.dimension(), false);
    for (size_t parameter : space.ParentsFirst()) {
      const auto parent = space.ParentOf(parameter);
      ASSERT_FALSE(seen[parameter]);
      ASSERT_TRUE(!parent.has_value() || seen[*parent]);
      seen[parameter] = true;
    }
    ASSERT_EQ(space.ParentsFirst().size(), space.dimension());
  }
}

TEST(SearchSpace, MovedSpacesKeepTheirNames) {
  SearchSpace first = Nested();
  SearchSpace second = std::move(first);
  EXPECT_EQ(second.IndexOf("leaf"), 0u);
  EXPECT_TRUE(second.ResolveValue(2, std::string("on")).ok());
}

TEST(SearchSpace, MemoryGrowsWithTheWords) {
  std::vector<std::string> words;
  for (int i = 0; i < 1000; ++i) words.push_back(std::string(200, 'w') + std::to_string(i));
  const auto large = SearchSpace::Create({{"a", CategoricalDomain{words}, {}, {}}});
  const auto small = SearchSpace::Create({{"a", CategoricalDomain{{"w"}}, {}, {}}});
  ASSERT_TRUE(large.ok() && small.ok());
  EXPECT_GT(large->MemoryBytes(), small->MemoryBytes() + 200000);
}

}  // namespace
}  // namespace slipstream
