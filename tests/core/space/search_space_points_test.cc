// Encode, Decode and Sample, mostly as properties of random spaces.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

#include "core/space/search_space.h"
#include "gtest/gtest.h"
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

TEST(SearchSpacePoints, EveryLegalConfigurationIsDecodedExactly) {
  RandomStream random(1);
  size_t with_steps = 0;
  for (int s = 0; s < 3000; ++s) {
    const SearchSpace space = RandomSpace(random, 12);
    for (int c = 0; c < 20; ++c) {
      const Configuration configuration = RandomConfiguration(random, space);
      ASSERT_TRUE(space.IsLegal(configuration));
      const UnitPoint point = space.Encode(configuration);
      ASSERT_EQ(point.coordinates.size(), space.dimension());
      for (double coordinate : point.coordinates) {
        ASSERT_GE(coordinate, 0);
        ASSERT_LE(coordinate, 1);
      }
      ASSERT_EQ(space.Decode(point), configuration) << "space " << s;
      for (int64_t steps : point.steps) with_steps += steps != 0;
    }
  }
  EXPECT_GT(with_steps, 1000u);  // Otherwise the property would not have been tested.
}

TEST(SearchSpacePoints, EveryPointDecodesToALegalConfiguration) {
  RandomStream random(2);
  for (int s = 0; s < 2000; ++s) {
    const SearchSpace space = RandomSpace(random, 12);
    for (int p = 0; p < 20; ++p) {
      UnitPoint point{RandomCoordinates(random, space.dimension()), {}};
      ASSERT_TRUE(space.IsLegal(space.Decode(point))) << "space " << s;
      ASSERT_TRUE(space.IsLegal(space.Sample(point.coordinates))) << "space " << s;
    }
  }
}

TEST(SearchSpacePoints, EvenNonsensicalStepsDecodeToALegalConfiguration) {
  RandomStream random(3);
  for (int s = 0; s < 2000; ++s) {
    const SearchSpace space = RandomSpace(random, 8);
    UnitPoint point{RandomCoordinates(random, space.dimension()), {}};
    for (size_t i = 0; i < space.dimension(); ++i) {
      const int64_t ends[] = {std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max(), 0, 1, -1};
      point.steps.push_back(random.OneIn(2) ? ends[random.Below(5)]
                                            : static_cast<int64_t>(random.Bits()));
    }
    ASSERT_TRUE(space.IsLegal(space.Decode(point))) << "space " << s;
  }
}

TEST(SearchSpacePoints, PointsWithTooFewCoordinatesStillDecode) {
  RandomStream random(4);
  for (int s = 0; s < 200; ++s) {
    const SearchSpace space = RandomSpace(random, 8);
    EXPECT_TRUE(space.IsLegal(space.Decode(UnitPoint{})));
    EXPECT_TRUE(space.IsLegal(space.Sample({})));
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
      const double next = NumberOf(space.Decode(UnitPoint{{coordinate}, {}}).values[0]);
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
    const Value low = space.Decode(UnitPoint{{0.0}, {}}).values[0];
    const Value high = space.Decode(UnitPoint{{1.0}, {}}).values[0];
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

TEST(SearchSpacePoints, EncodeCoordinatesAgreesWithEncode) {
  RandomStream random(7);
  for (int s = 0; s < 300; ++s) {
    const SearchSpace space = RandomSpace(random, 10);
    const Configuration configuration = RandomConfiguration(random, space);
    std::vector<double> coordinates(space.dimension(), -1);
    space.EncodeCoordinates(configuration, absl::MakeSpan(coordinates));
    EXPECT_EQ(coordinates, space.Encode(configuration).coordinates);
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
  const UnitPoint point = space.Encode({{Value(), Value(), Value::Level(0)}});
  EXPECT_EQ(point.coordinates, (std::vector<double>{0.25, 0.5, 0.25}));
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
    ++decoded[place(space.Decode(UnitPoint{{coordinate}, {}}).values[0].number())];
  }
  EXPECT_EQ(sampled[0], 100);
  EXPECT_EQ(sampled[1], 100);
  EXPECT_EQ(sampled[2], 100);
  EXPECT_LT(decoded[0], 5);
  EXPECT_GT(decoded[2], 140);
}

}  // namespace
}  // namespace slipstream
