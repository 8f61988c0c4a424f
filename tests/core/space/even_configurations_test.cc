#include "core/space/even_configurations.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/space/quasi_random.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"
#include "tests/core/space/space_fixtures.h"

namespace slipstream {
namespace {

Parameter BelowWord(Parameter parameter, const std::string& parent, NamedValue value) {
  parameter.condition = Condition{parent, {std::move(value)}};
  return parameter;
}

std::vector<std::string> Words(size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back("word" + std::to_string(i));
  return words;
}

std::vector<Configuration> BlockOf(const SearchSpace& space, uint64_t seed, uint64_t block) {
  std::vector<Configuration> configurations;
  for (uint64_t i = 8 * block; i < 8 * block + 8; ++i) {
    configurations.push_back(EvenConfiguration(space, seed, i));
  }
  return configurations;
}

// How many values of equal shares a parameter has whose values are spread; 0 if it is none.
size_t SpreadValues(const SearchSpace& space, size_t parameter) {
  const Domain& domain = space.parameters()[parameter].domain;
  if (std::holds_alternative<BooleanDomain>(domain)) return 2;
  if (const auto* words = std::get_if<CategoricalDomain>(&domain)) return words->values.size();
  bool decides = false;
  for (size_t child = 0; child < space.dimension(); ++child) {
    decides = decides || space.ParentOf(child) == parameter;
  }
  if (!decides) return 0;
  if (const auto* steps = std::get_if<DiscreteDomain>(&domain)) return steps->values.size();
  const auto* whole = std::get_if<IntegerDomain>(&domain);
  if (whole == nullptr || whole->scale != Scale::kLinear) return 0;
  return static_cast<size_t>(std::min<uint64_t>(
      1000, static_cast<uint64_t>(whole->max) - static_cast<uint64_t>(whole->min) + 1));
}

TEST(EvenConfiguration, EachBlockHasAsManyValuesOfEachChoiceAsItCan) {
  RandomStream random(7);
  size_t nested = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const SearchSpace space = RandomSpace(random, 12);
    const std::vector<Configuration> block = BlockOf(space, random.Bits(), random.Below(1000));
    for (size_t parameter = 0; parameter < space.dimension(); ++parameter) {
      const size_t values = SpreadValues(space, parameter);
      if (values == 0) continue;
      size_t active = 0;
      std::vector<Value> different;
      for (const Configuration& configuration : block) {
        const Value& value = configuration.values[parameter];
        if (!value.active()) continue;
        ++active;
        const auto known = std::find(different.begin(), different.end(), value);
        if (known == different.end()) different.push_back(value);
      }
      EXPECT_EQ(different.size(), std::min(active, values)) << space.parameters()[parameter].name;
      if (active < 8 && active > 1) ++nested;
    }
  }
  EXPECT_GT(nested, 100u);
}

TEST(EvenConfiguration, ManyAtOnceAreThoseOneByOne) {
  RandomStream random(9);
  for (int trial = 0; trial < 50; ++trial) {
    const SearchSpace space = RandomSpace(random, 6);
    const uint64_t seed = random.Bits();
    const uint64_t first = random.Below(30);
    std::vector<Configuration> one_by_one;
    for (uint64_t i = 0; i < 20; ++i) {
      one_by_one.push_back(EvenConfiguration(space, seed, first + i));
    }
    EXPECT_EQ(EvenConfigurations(space, seed, first, 20), one_by_one);
    EXPECT_TRUE(EvenConfigurations(space, seed, first, 0).empty());
  }
}

TEST(EvenConfiguration, AllAreLegal) {
  RandomStream random(8);
  for (int trial = 0; trial < 100; ++trial) {
    const SearchSpace space = RandomSpace(random, 12);
    EXPECT_TRUE(IsLegal(space, EvenConfiguration(space, random.Bits(), random.Below(1 << 20))));
  }
}

TEST(EvenConfiguration, NumbersAreThoseOfTheSequence) {
  const SearchSpace numbers = MustCreateSpace(
      {Named("x", DoubleDomain{}), Named("n", IntegerDomain{1, 9}), Named("y", DoubleDomain{})});
  const SearchSpace mixed = MustCreateSpace({Named("x", DoubleDomain{}),
                                             Named("word", CategoricalDomain{Words(5)}),
                                             Named("n", IntegerDomain{1, 9})});
  for (uint64_t index = 0; index < 40; ++index) {
    const std::vector<double> point = QuasiRandomPoints(3, 5, index, 1)[0];
    EXPECT_EQ(EvenConfiguration(numbers, 5, index), numbers.Sample(point));
    const Configuration configuration = EvenConfiguration(mixed, 5, index);
    EXPECT_EQ(configuration.values[0], mixed.Sample(point).values[0]);
    EXPECT_EQ(configuration.values[2], mixed.Sample(point).values[2]);
  }
}

// A deviation of the count of a value with share p after n points is less than that of independent
// draws, sqrt(n p (1 - p)).
TEST(EvenConfiguration, EachValueHasItsShareAndGoesWithAllOfTheOthers) {
  const SearchSpace space = MustCreateSpace(
      {Named("root", CategoricalDomain{Words(6)}), Named("other", CategoricalDomain{Words(11)}),
       BelowWord(Named("leaf", CategoricalDomain{Words(3)}), "root", std::string("word4"))});
  constexpr size_t kPoints = 6 * 11 * 100;
  std::map<std::pair<int64_t, int64_t>, size_t> pairs;
  std::map<int64_t, size_t> leaves;
  size_t roots = 0;
  for (uint64_t index = 0; index < kPoints; ++index) {
    const Configuration configuration = EvenConfiguration(space, 11, index);
    const auto level = [&](size_t i) { return configuration.values[i].level(); };
    ++pairs[{level(0), level(1)}];
    if (!configuration.values[2].active()) continue;
    ++roots;
    ++leaves[level(2)];
  }
  EXPECT_NEAR(static_cast<double>(roots), kPoints / 6.0, 60);
  EXPECT_EQ(pairs.size(), 66u);
  for (const auto& [pair, count] : pairs) EXPECT_NEAR(static_cast<double>(count), 100, 35);
  for (const auto& [level, count] : leaves) {
    EXPECT_NEAR(static_cast<double>(count), static_cast<double>(roots) / 3, 50) << level;
  }
}

TEST(EvenConfiguration, ValuesThatAreThereTwiceAreOthersInOtherBlocks) {
  const SearchSpace space = MustCreateSpace({Named("word", CategoricalDomain{Words(7)})});
  std::set<int64_t> twice;
  for (uint64_t block = 0; block < 40; ++block) {
    std::map<int64_t, int> counts;
    for (const Configuration& configuration : BlockOf(space, 3, block)) {
      ++counts[configuration.values[0].level()];
    }
    for (const auto& [level, count] : counts) {
      if (count == 2) twice.insert(level);
    }
  }
  EXPECT_EQ(twice.size(), 7u);
}

}  // namespace
}  // namespace slipstream
