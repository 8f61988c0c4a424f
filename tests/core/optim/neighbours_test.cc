#include "core/optim/neighbours.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/optim/spaces.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Neighbours, SteppedAreAllButRealNumbers) {
  const SearchSpace space = MakeSpace({{"real", DoubleDomain{0, 1}, {}, {}},
                                       {"whole", IntegerDomain{0, 9}, {}, {}},
                                       {"other", DoubleDomain{0, 1}, {}, {}},
                                       {"discrete", DiscreteDomain{{1, 2}}, {}, {}},
                                       {"word", CategoricalDomain{{"a", "b"}}, {}, {}},
                                       {"flag", BooleanDomain{}, {}, {}}});
  EXPECT_THAT(Neighbours(space, 32).Stepped(), ElementsAre(1, 3, 4, 5));
}

TEST(Neighbours, NumbersAreTheActiveOnes) {
  const SearchSpace space = ConditionalSpace();
  const Neighbours neighbours(space, 32);
  for (const Configuration& configuration : NaiveConfigurations(space)) {
    std::vector<Index> expected;
    if (configuration.values[0].active()) expected.push_back(0);
    if (configuration.values[2].active()) expected.push_back(2);
    EXPECT_EQ(neighbours.Numbers(configuration), expected);
  }
}

TEST(Neighbours, ChangeTriesEachOtherValueOnce) {
  const SearchSpace space = ConditionalSpace();
  const Neighbours neighbours(space, 32);
  const size_t counts[] = {3, 3, 4, 2, 2};
  for (const Configuration& configuration : NaiveConfigurations(space)) {
    for (size_t parameter : neighbours.Stepped()) {
      const auto changed = neighbours.Change(configuration, parameter, 1);
      if (!configuration.values[parameter].active()) {
        EXPECT_THAT(changed, IsEmpty());
        continue;
      }
      ASSERT_EQ(changed.size(), counts[parameter] - 1);
      for (size_t i = 0; i < changed.size(); ++i) {
        EXPECT_TRUE(IsLegal(space, changed[i]));
        EXPECT_FALSE(changed[i].values[parameter] == configuration.values[parameter]);
        for (size_t j = 0; j < i; ++j) {
          EXPECT_FALSE(changed[i].values[parameter] == changed[j].values[parameter]);
        }
      }
    }
  }
}

TEST(Neighbours, ChangeAltersOnlyTheParameterAndItsDependents) {
  const SearchSpace space = ConditionalSpace();
  const Neighbours neighbours(space, 32);
  for (const Configuration& configuration : NaiveConfigurations(space)) {
    for (size_t parameter : neighbours.Stepped()) {
      for (const Configuration& changed : neighbours.Change(configuration, parameter, 1)) {
        for (size_t i = 0; i < space.dimension(); ++i) {
          if (i == parameter || !changed.values[i].active()) continue;
          const bool kept = configuration.values[i].active();
          EXPECT_EQ(changed.values[i], kept ? configuration.values[i] : space.FallbackOf(i));
        }
      }
    }
  }
}

std::vector<int64_t> IntegersOf(const std::vector<Configuration>& configurations) {
  std::vector<int64_t> integers;
  for (const Configuration& configuration : configurations) {
    integers.push_back(configuration.values[0].integer());
  }
  std::sort(integers.begin(), integers.end());
  return integers;
}

TEST(Neighbours, ChangeTriesDistancesOfPowersOfTwoAmongManyNumbers) {
  const SearchSpace space = MakeSpace({{"count", IntegerDomain{0, 1000}, {}, {}}});
  const Neighbours neighbours(space, 8);
  EXPECT_THAT(IntegersOf(neighbours.Change({{Value::Integer(500)}}, 0, 1)),
              ElementsAre(492, 496, 498, 499, 501, 502, 504, 508));
  EXPECT_THAT(IntegersOf(neighbours.Change({{Value::Integer(0)}}, 0, 1)), ElementsAre(1, 2, 4, 8));
  EXPECT_THAT(IntegersOf(neighbours.Change({{Value::Integer(997)}}, 0, 1)),
              ElementsAre(989, 993, 995, 996, 998, 999));
}

TEST(Neighbours, ChangeTriesAllNumbersUpToTheLimit) {
  const SearchSpace space = MakeSpace({{"count", IntegerDomain{1, 8}, {}, {}}});
  EXPECT_THAT(IntegersOf(Neighbours(space, 8).Change({{Value::Integer(3)}}, 0, 1)),
              ElementsAre(1, 2, 4, 5, 6, 7, 8));
}

TEST(Neighbours, ChangeDrawsSomeOfManyWordsBySeed) {
  CategoricalDomain words;
  for (int i = 0; i < 500; ++i) words.values.push_back("word " + std::to_string(i));
  const SearchSpace space = MakeSpace({{"word", words, {}, {}}});
  const Neighbours neighbours(space, 16);
  std::set<int64_t> seen;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto changed = neighbours.Change({{Value::Level(7)}}, 0, seed);
    EXPECT_LE(changed.size(), 16u);
    EXPECT_GE(changed.size(), 12u);
    EXPECT_EQ(changed, neighbours.Change({{Value::Level(7)}}, 0, seed));
    for (const Configuration& configuration : changed) {
      EXPECT_TRUE(IsLegal(space, configuration));
      EXPECT_NE(configuration.values[0].level(), 7);
      seen.insert(configuration.values[0].level());
    }
  }
  EXPECT_GT(seen.size(), 450u);
}

TEST(Neighbours, AreLegalInAnySpace) {
  RandomStream random(3);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const SearchSpace space = RandomSpace(random, 8);
    const Neighbours neighbours(space, 12);
    const Configuration configuration = RandomConfiguration(random, space);
    for (size_t parameter : neighbours.Stepped()) {
      const auto changed = neighbours.Change(configuration, parameter, random.Bits());
      EXPECT_LE(changed.size(), 12u);
      for (const Configuration& other : changed) {
        ASSERT_TRUE(IsLegal(space, other));
        EXPECT_FALSE(other == configuration);
      }
    }
  }
}

TEST(PerturbedBy, IsLegalAndPureInAnySpace) {
  RandomStream random(4);
  for (int repeat = 0; repeat < 150; ++repeat) {
    const SearchSpace space = RandomSpace(random, 8);
    const Configuration centre = RandomConfiguration(random, space);
    for (uint64_t index = 0; index < 20; ++index) {
      const Configuration near = PerturbedBy(space, centre, 9, index);
      ASSERT_TRUE(IsLegal(space, near));
      EXPECT_EQ(near, PerturbedBy(space, centre, 9, index));
    }
  }
}

TEST(PerturbedBy, MovesAtLeastOneCoordinateAndNeverFar) {
  for (size_t dimension : {1, 2, 10, 100}) {
    const SearchSpace space = Cube(dimension);
    const Configuration centre{std::vector<Value>(dimension, Value::Double(0.5))};
    double moved_on_average = 0;
    for (uint64_t index = 0; index < 200; ++index) {
      const Configuration near = PerturbedBy(space, centre, 5, index);
      int moved = 0;
      for (const Value& value : near.values) {
        const double distance = std::fabs(value.number() - 0.5);
        if (distance > 1e-12) ++moved;
        EXPECT_LT(distance, 0.45);
      }
      EXPECT_GE(moved, 1);
      moved_on_average += moved / 200.0;
    }
    EXPECT_GT(moved_on_average, std::min(3.0, static_cast<double>(dimension) - 0.1));
  }
}

TEST(PerturbedBy, MakesStepsOfSeveralSizes) {
  const SearchSpace space = Cube(1);
  int tiny = 0;
  int large = 0;
  for (uint64_t index = 0; index < 200; ++index) {
    const Configuration near = PerturbedBy(space, {{Value::Double(0.5)}}, 5, index);
    const double distance = std::fabs(near.values[0].number() - 0.5);
    tiny += distance < 0.002;
    large += distance > 0.03;
  }
  EXPECT_GT(tiny, 20);
  EXPECT_GT(large, 20);
}

TEST(PerturbedBy, DrawsWordsAgain) {
  const SearchSpace space = MakeSpace({{"word", CategoricalDomain{{"a", "b", "c"}}, {}, {}}});
  std::set<int64_t> seen;
  for (uint64_t index = 0; index < 50; ++index) {
    seen.insert(PerturbedBy(space, {{Value::Level(0)}}, 5, index).values[0].level());
  }
  EXPECT_EQ(seen.size(), 3u);
}

}  // namespace
}  // namespace slipstream
