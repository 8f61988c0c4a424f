#include "core/space/space_mapping.h"

#include "core/base/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"
#include "tests/core/space/space_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

SpaceMapping Mapping(const SearchSpace& source, const SearchSpace& target) {
  absl::StatusOr<SpaceMapping> mapping = SpaceMapping::Create(source, target);
  EXPECT_TRUE(mapping.ok()) << mapping.status();
  return *std::move(mapping);
}

using Values = std::vector<Value>;

TEST(SpaceMapping, ToTheSameSpaceIsTheIdentity) {
  RandomStream random(31);
  for (int s = 0; s < 500; ++s) {
    const SearchSpace space = RandomSpace(random, 10);
    const SpaceMapping mapping = Mapping(space, space);
    const Configuration configuration = RandomConfiguration(random, space);
    ASSERT_EQ(mapping.Map(configuration), configuration);
  }
}

TEST(SpaceMapping, MappedConfigurationsAreLegalInTheTarget) {
  RandomStream random(32);
  int mapped_count = 0;
  for (int s = 0; s < 2000; ++s) {
    const SearchSpace source = RandomSpace(random, 3);
    const SearchSpace target = RandomSpace(random, 6);
    const SpaceMapping mapping = Mapping(source, target);  // Both have a "p0".
    const auto mapped = mapping.Map(RandomConfiguration(random, source));
    if (!mapped.has_value()) continue;
    ++mapped_count;
    ASSERT_TRUE(IsLegal(target, *mapped)) << s;
  }
  EXPECT_GT(mapped_count, 100);
}

TEST(SpaceMapping, MatchesByNameInRawUnitsDespiteOrderScaleAndKind) {
  const SearchSpace source = MustCreateSpace(
      {Named("lr", DoubleDomain{0.001, 1, Scale::kLog}),
       Named("layers", DiscreteDomain{{1, 2, 4}, Scale::kLinear}),
       Named("opt", CategoricalDomain{{"sgd", "adam"}}), Named("extra", BooleanDomain{})});
  const SearchSpace target =
      MustCreateSpace({Named("opt", CategoricalDomain{{"adam", "rmsprop", "sgd"}}),
                       Named("layers", IntegerDomain{1, 3, Scale::kLinear}),
                       Named("lr", DoubleDomain{0, 0.5, Scale::kLinear})});
  const SpaceMapping mapping = Mapping(source, target);
  const auto mapped =
      mapping.Map({{Value::Double(0.01), Value::Double(2), Value::Level(1), Value::Boolean(true)}});
  ASSERT_TRUE(mapped.has_value());
  EXPECT_EQ(mapped->values, (Values{Value::Level(0), Value::Integer(2), Value::Double(0.01)}));
  // Each single value outside the target's domain is enough to fail.
  EXPECT_FALSE(
      mapping.Map({{Value::Double(0.6), Value::Double(2), Value::Level(1), Value::Boolean(true)}}));
  EXPECT_FALSE(mapping.Map(
      {{Value::Double(0.01), Value::Double(4), Value::Level(1), Value::Boolean(true)}}));
}

TEST(SpaceMapping, AllParametersAreToldByWhichAConfigurationIsOutside) {
  const SearchSpace source = MustCreateSpace({Named("lr", DoubleDomain{0, 9}), Named("new", {}),
                                              Named("opt", CategoricalDomain{{"sgd", "adam"}}),
                                              Named("flag", BooleanDomain{})});
  Parameter momentum = Named("momentum", DoubleDomain{0, 1});
  momentum.condition = Condition{"opt", {NamedValue("adam")}};
  const SearchSpace target = MustCreateSpace({std::move(momentum), Named("flag", BooleanDomain{}),
                                              Named("opt", CategoricalDomain{{"adam", "lion"}}),
                                              Named("lr", DoubleDomain{0, 1})});
  const SpaceMapping mapping = Mapping(source, target);
  const auto outside = [&](double lr, int64_t opt) {
    const Configuration configuration = {
        {Value::Double(lr), Value::Double(0), Value::Level(opt), Value::Boolean(true)}};
    std::vector<std::pair<size_t, size_t>> found;
    for (const auto& [parameter, namesake] : mapping.OutsideBy(configuration)) {
      found.emplace_back(parameter, namesake);
    }
    EXPECT_EQ(found.empty(), mapping.Map(configuration).has_value());
    return found;
  };
  using Pairs = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(outside(0.5, 1), Pairs());
  EXPECT_EQ(outside(1, 1), Pairs());
  EXPECT_EQ(outside(1.5, 1), (Pairs{{3, 0}}));
  EXPECT_EQ(outside(1, 0), (Pairs{{2, 2}}));
  EXPECT_THAT(outside(9, 0), testing::UnorderedElementsAreArray(Pairs{{2, 2}, {3, 0}}));
}

TEST(SpaceMapping, NumbersBetweenStepsCountAsTheNearerOne) {
  const SearchSpace source = MustCreateSpace({Named("depth", DoubleDomain{0, 10, Scale::kLinear}),
                                              Named("batch", IntegerDomain{1, 100})});
  const SearchSpace target = MustCreateSpace({Named("depth", IntegerDomain{1, 8}),
                                              Named("batch", DiscreteDomain{{16, 32, 64}})});
  const SpaceMapping mapping = Mapping(source, target);
  const auto values_of = [&](double depth, int64_t batch) {
    const auto mapped = mapping.Map({{Value::Double(depth), Value::Integer(batch)}});
    return mapped.has_value() ? mapped->values : Values();
  };
  EXPECT_EQ(values_of(3.7, 20), (Values{Value::Integer(4), Value::Double(16)}));
  EXPECT_EQ(values_of(7.6, 49), (Values{Value::Integer(8), Value::Double(64)}));
  EXPECT_EQ(values_of(1.4, 64), (Values{Value::Integer(1), Value::Double(64)}));
  EXPECT_EQ(values_of(8.4, 20), Values()) << "outside";
  EXPECT_EQ(values_of(0.6, 20), Values()) << "outside";
  EXPECT_EQ(values_of(3, 15), Values()) << "outside";
  EXPECT_EQ(values_of(3, 65), Values()) << "outside";
}

TEST(SpaceMapping, TheNearerOneIsThatByRatioOnALogarithmicScale) {
  const SearchSpace source =
      MustCreateSpace({Named("lr", DoubleDomain{1e-5, 1, Scale::kLog}),
                       Named("width", DoubleDomain{1, 1000, Scale::kLog})});
  const SearchSpace target =
      MustCreateSpace({Named("lr", DiscreteDomain{{1e-4, 1e-3, 1e-2}, Scale::kLog}),
                       Named("width", IntegerDomain{1, 1000, Scale::kLog})});
  const SpaceMapping mapping = Mapping(source, target);
  const auto mapped = mapping.Map({{Value::Double(5e-4), Value::Double(1.45)}});
  ASSERT_TRUE(mapped.has_value());
  EXPECT_EQ(mapped->values, (Values{Value::Double(1e-3), Value::Integer(2)}));
}

TEST(SpaceMapping, UnknownWordsAndOtherKindsAreOutside) {
  const SearchSpace source = MustCreateSpace({Named("a", CategoricalDomain{{"x", "y"}})});
  const SearchSpace words = MustCreateSpace({Named("a", CategoricalDomain{{"y", "z"}})});
  EXPECT_FALSE(Mapping(source, words).Map({{Value::Level(0)}}));
  EXPECT_EQ(Mapping(source, words).Map({{Value::Level(1)}})->values, Values{Value::Level(0)});
  const SearchSpace truth = MustCreateSpace({Named("a", BooleanDomain{})});
  EXPECT_FALSE(Mapping(source, truth).Map({{Value::Level(0)}}));
  EXPECT_FALSE(Mapping(truth, source).Map({{Value::Boolean(false)}}));
}

TEST(SpaceMapping, MissingParametersGetTheirDefaultOrTheMiddle) {
  Parameter with = Named("with", DoubleDomain{0, 8, Scale::kLinear});
  with.default_value = 1.0;
  const SearchSpace source = MustCreateSpace({Named("a", BooleanDomain{})});
  const SearchSpace target = MustCreateSpace(
      {Named("a", BooleanDomain{}), with, Named("middle", DoubleDomain{0, 8, Scale::kLinear}),
       Named("words", CategoricalDomain{{"u", "v", "w"}}), Named("flag", BooleanDomain{})});
  EXPECT_EQ(Mapping(source, target).Map({{Value::Boolean(true)}})->values,
            (Values{Value::Boolean(true), Value::Double(1), Value::Double(4), Value::Level(0),
                    Value::Boolean(false)}));
}

TEST(SpaceMapping, TheTargetsConditionsDecide) {
  Parameter degree = Named("degree", IntegerDomain{1, 9, Scale::kLinear});
  const Parameter kernel = Named("kernel", CategoricalDomain{{"rbf", "poly"}});
  const SearchSpace free = MustCreateSpace({kernel, degree});
  degree.domain = IntegerDomain{1, 3, Scale::kLinear};
  degree.condition = Condition{"kernel", {std::string("poly")}};
  const SearchSpace conditional = MustCreateSpace({degree, kernel});

  const SpaceMapping narrowing = Mapping(free, conditional);
  // Outside, but inactive, so it does not matter.
  EXPECT_EQ(narrowing.Map({{Value::Level(0), Value::Integer(9)}})->values,
            (Values{Value(), Value::Level(0)}));
  EXPECT_FALSE(narrowing.Map({{Value::Level(1), Value::Integer(9)}}));
  EXPECT_EQ(narrowing.Map({{Value::Level(1), Value::Integer(2)}})->values,
            (Values{Value::Integer(2), Value::Level(1)}));
  // Inactive in the source, so the middle of the target's range.
  EXPECT_EQ(Mapping(conditional, free).Map({{Value(), Value::Level(0)}})->values,
            (Values{Value::Level(0), Value::Integer(5)}));
}

TEST(SpaceMapping, WhatIsMappedNeedNotBeACandidateOfTheTarget) {
  const SearchSpace source = MustCreateSpace({Named("x", DoubleDomain{0, 9, Scale::kLinear})});
  const SearchSpace target =
      MustCreateSpace({Named("x", DoubleDomain{0, 9, Scale::kLinear})},
                      SearchSpace::CandidateTable{{{{"x", 1.0}}, {{"x", 2.0}}}});
  const SpaceMapping mapping = Mapping(source, target);
  EXPECT_EQ(mapping.Map({{Value::Double(2)}})->values, Values{Value::Double(2)});
  EXPECT_EQ(mapping.Map({{Value::Double(3)}})->values, Values{Value::Double(3)});
}

TEST(SpaceMapping, SpacesWithoutACommonNameAreRefusedWithBothSetsOfNames) {
  const SearchSpace source =
      MustCreateSpace({Named("alpha", BooleanDomain{}), Named("beta", BooleanDomain{})});
  const SearchSpace target = MustCreateSpace({Named("Alpha", BooleanDomain{})});
  const auto mapping = SpaceMapping::Create(source, target);
  ASSERT_FALSE(mapping.ok());
  EXPECT_EQ(mapping.status().code(), absl::StatusCode::kInvalidArgument);
  for (const char* name : {"alpha", "beta", "Alpha"}) {
    EXPECT_THAT(std::string(mapping.status().message()), HasSubstr(name));
  }
}

}  // namespace
}  // namespace slipstream
