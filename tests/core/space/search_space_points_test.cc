// EncodeCoordinates, Decode and Sample, mostly as properties of random spaces.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <optional>

#include "core/space/search_space.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"
#include "tests/core/space/space_fixtures.h"

namespace slipstream {
namespace {

// Random coordinates, including the ends, their neighbours and nonsense.
std::vector<double> RandomCoordinates(RandomStream& random, size_t dimension) {
  constexpr double kSpecial[] = {0.0,
                                 1.0,
                                 -0.0,
                                 5e-324,
                                 1 - DBL_EPSILON / 2,
                                 0.5,
                                 -3.0,
                                 1e300,
                                 -std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  std::vector<double> coordinates(dimension);
  for (double& coordinate : coordinates) {
    coordinate = random.OneIn(4) ? kSpecial[random.Below(std::size(kSpecial))] : random.Uniform();
  }
  return coordinates;
}

// Whether two numbers differ by no more than rounding does.
bool AreNeighbours(const Value& a, const Value& b) {
  if (a.kind() != Value::Kind::kDouble) return a == b;
  const double most = std::max(std::abs(a.number()), std::abs(b.number()));
  return std::abs(a.number() - b.number()) <= 8 * DBL_EPSILON * most;
}

// Ranges may be so wide that coordinates do not tell all numbers apart, or so narrow that rounding
// is a large part of them.
TEST(SearchSpacePoints, EveryLegalConfigurationIsDecodedToItselfOrANeighbour) {
  RandomStream random(1);
  size_t exact = 0;
  for (int s = 0; s < 3000; ++s) {
    const SearchSpace space = RandomSpace(random, 12);
    for (int c = 0; c < 20; ++c) {
      const Configuration configuration = RandomConfiguration(random, space);
      ASSERT_TRUE(IsLegal(space, configuration));
      const std::vector<double> coordinates = CoordinatesOf(space, configuration);
      for (double coordinate : coordinates) {
        ASSERT_GE(coordinate, 0);
        ASSERT_LE(coordinate, 1);
      }
      const Configuration decoded = space.Decode(coordinates);
      const std::vector<double> again = CoordinatesOf(space, decoded);
      for (size_t i = 0; i < space.dimension(); ++i) {
        const std::optional<size_t> parent = space.ParentOf(i);
        const bool has_other_parent =
            parent.has_value() && decoded.values[*parent] != configuration.values[*parent];
        if (has_other_parent) continue;
        ASSERT_EQ(decoded.values[i].active(), configuration.values[i].active()) << "space " << s;
        ASSERT_TRUE(std::abs(again[i] - coordinates[i]) < 1e-12 ||
                    AreNeighbours(decoded.values[i], configuration.values[i]))
            << "space " << s;
        if (space.IsUnordered(i)) {
          ASSERT_EQ(decoded.values[i], configuration.values[i]) << "space " << s;
        }
      }
      exact += decoded == configuration ? 1 : 0;
    }
  }
  EXPECT_GT(exact, 10000u);
}

TEST(SearchSpacePoints, EveryPointDecodesToALegalConfiguration) {
  RandomStream random(2);
  for (int s = 0; s < 2000; ++s) {
    const SearchSpace space = RandomSpace(random, 12);
    for (int p = 0; p < 20; ++p) {
      const std::vector<double> point = RandomCoordinates(random, space.dimension());
      ASSERT_TRUE(IsLegal(space, space.Decode(point))) << "space " << s;
      ASSERT_TRUE(IsLegal(space, space.Sample(point))) << "space " << s;
    }
  }
}

TEST(SearchSpacePoints, PointsWithTooFewCoordinatesStillDecode) {
  RandomStream random(4);
  for (int s = 0; s < 200; ++s) {
    const SearchSpace space = RandomSpace(random, 8);
    EXPECT_TRUE(IsLegal(space, space.Decode({})));
    EXPECT_TRUE(IsLegal(space, space.Sample({})));
  }
}

double NumberOf(const Value& value) {
  return value.kind() == Value::Kind::kDouble ? value.number()
                                              : static_cast<double>(value.integer());
}

TEST(SearchSpacePoints, NumbersDoNotDecreaseAsTheCoordinateIncreases) {
  RandomStream random(5);
  for (int s = 0; s < 3000; ++s) {
    const SearchSpace space = RandomSpace(random, 1);
    if (space.IsUnordered(0)) continue;
    std::vector<double> coordinates = {0.0, 1.0};
    for (int i = 0; i < 60; ++i) {
      coordinates.push_back(random.Uniform());
      coordinates.push_back(std::nextafter(coordinates.back(), 2.0));
    }
    std::sort(coordinates.begin(), coordinates.end());
    double decoded = -std::numeric_limits<double>::infinity();
    double sampled = decoded;
    for (double coordinate : coordinates) {
      const double next = NumberOf(space.Decode({coordinate}).values[0]);
      ASSERT_GE(next, decoded) << "space " << s << " at " << coordinate;
      decoded = next;
      const double next_sample = NumberOf(space.Sample({coordinate}).values[0]);
      ASSERT_GE(next_sample, sampled) << "space " << s << " at " << coordinate;
      sampled = next_sample;
    }
  }
}

TEST(SearchSpacePoints, TheEndsOfTheUnitIntervalAreTheEndsOfEveryRange) {
  RandomStream random(6);
  for (int s = 0; s < 3000; ++s) {
    const SearchSpace space = RandomSpace(random, 1);
    const Value low = space.Decode({0.0}).values[0];
    const Value high = space.Decode({1.0}).values[0];
    const Domain& domain = space.parameters()[0].domain;
    if (const auto* real = std::get_if<DoubleDomain>(&domain)) {
      ASSERT_EQ(low.number(), real->min);
      ASSERT_EQ(high.number(), real->max);
    } else if (const auto* whole = std::get_if<IntegerDomain>(&domain)) {
      ASSERT_EQ(low.integer(), whole->min);
      ASSERT_EQ(high.integer(), whole->max);
    } else if (const auto* discrete = std::get_if<DiscreteDomain>(&domain)) {
      ASSERT_EQ(low.number(),
                discrete->values.size() == 1 ? discrete->values[0] : discrete->values.front());
      ASSERT_EQ(high.number(), discrete->values.back());
    }
  }
}

TEST(SearchSpacePoints, InactiveParametersLieAtTheirDefaultOrInTheMiddle) {
  Parameter degree = Named("degree", DoubleDomain{0, 4, Scale::kLinear});
  degree.default_value = 1.0;
  degree.condition = Condition{"kernel", {std::string("poly")}};
  Parameter gamma = Named("gamma", DoubleDomain{0, 4, Scale::kLinear});
  gamma.condition = degree.condition;
  const SearchSpace space =
      MustCreateSpace({degree, gamma, Named("kernel", CategoricalDomain{{"rbf", "poly"}})});
  const std::vector<double> point =
      CoordinatesOf(space, {{Value(), Value(), Value::Level(0)}});
  EXPECT_EQ(point, (std::vector<double>{0.25, 0.5, 0.25}));
  const Configuration back = space.Decode(point);
  EXPECT_FALSE(back.values[0].active());
  EXPECT_FALSE(back.values[1].active());
}

TEST(SearchSpacePoints, SampleGivesDiscreteValuesEqualSharesAndDecodeGoesByDistance) {
  const SearchSpace space =
      MustCreateSpace({Named("size", DiscreteDomain{{1, 2, 100}, Scale::kLinear})});
  int sampled[3] = {0, 0, 0};
  int decoded[3] = {0, 0, 0};
  const auto place = [](double value) { return value == 1 ? 0 : value == 2 ? 1 : 2; };
  for (int i = 0; i < 300; ++i) {
    const double coordinate = (i + 0.5) / 300;
    ++sampled[place(space.Sample({coordinate}).values[0].number())];
    ++decoded[place(space.Decode({coordinate}).values[0].number())];
  }
  EXPECT_EQ(sampled[0], 100);
  EXPECT_EQ(sampled[1], 100);
  EXPECT_EQ(sampled[2], 100);
  EXPECT_LT(decoded[0], 5);
  EXPECT_GT(decoded[2], 140);
}

}  // namespace
}  // namespace slipstream
