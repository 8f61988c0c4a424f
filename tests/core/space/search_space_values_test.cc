// Resolve, Name and related functions.
#include <cmath>
#include <limits>

#include "core/base/status.h"
#include "core/space/search_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"
#include "tests/core/space/space_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kTwoTo53 = int64_t{1} << 53;

// shift is active while kernel is "poly" and degree is 3.
SearchSpace KernelSpace() {
  Parameter degree = Named("degree", IntegerDomain{1, 5, Scale::kLinear});
  degree.condition = Condition{"kernel", {std::string("poly")}};
  Parameter shift = Named("shift", BooleanDomain{});
  shift.condition = Condition{"degree", {int64_t{3}, 5.0}};
  return MustCreateSpace({shift, degree, Named("kernel", CategoricalDomain{{"rbf", "poly"}}),
                          Named("cost", DoubleDomain{0, 8, Scale::kLinear})});
}

const std::string kRbf = "rbf";
const std::string kPoly = "poly";

void ExpectAssignmentsRefused(const SearchSpace& space, const std::vector<Assignment>& assignments,
                              const std::string& field, const std::string& value,
                              const std::string& bound) {
  const auto configuration = space.Resolve(assignments);
  ASSERT_FALSE(configuration.ok()) << field;
  const auto violation = ViolationOf(configuration.status());
  ASSERT_TRUE(violation.has_value()) << configuration.status();
  EXPECT_EQ(violation->field, field);
  EXPECT_EQ(violation->value, value);
  EXPECT_THAT(violation->bound, HasSubstr(bound));
}

TEST(SearchSpaceValues, ResolvesInAnyOrderWithoutInactiveParameters) {
  const SearchSpace space = KernelSpace();
  const auto configuration = space.Resolve({{"kernel", kRbf}, {"cost", 2.5}});
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  EXPECT_EQ(configuration->values,
            (std::vector<Value>{Value(), Value(), Value::Level(0), Value::Double(2.5)}));
  const auto nested =
      space.Resolve({{"cost", 0.0}, {"degree", int64_t{3}}, {"kernel", kPoly}, {"shift", true}});
  ASSERT_TRUE(nested.ok()) << nested.status();
  EXPECT_EQ(nested->values, (std::vector<Value>{Value::Boolean(true), Value::Integer(3),
                                                Value::Level(1), Value::Double(0)}));
}

TEST(SearchSpaceValues, RefusesUnknownRepeatedMissingAndInactiveParameters) {
  const SearchSpace space = KernelSpace();
  ExpectAssignmentsRefused(space, {{"kernel", kRbf}, {"cost", 1.0}, {"colour", true}},
                           "values[colour]", "true", "no parameter of that name");
  ExpectAssignmentsRefused(space, {{"kernel", kRbf}, {"cost", 1.0}, {"cost", 2.0}}, "values[cost]",
                           "1 and 2", "once");
  ExpectAssignmentsRefused(space, {{"kernel", kRbf}}, "values[cost]", "missing",
                           "a number from 0 to 8");
  ExpectAssignmentsRefused(space, {{"kernel", kPoly}, {"cost", 1.0}}, "values[degree]", "missing",
                           "a whole number from 1 to 5");
  ExpectAssignmentsRefused(space, {{"kernel", kRbf}, {"cost", 1.0}, {"degree", int64_t{3}}},
                           "values[degree]", "3", "\"kernel\"");
  // The grandparent decides even if the parent's value fits.
  ExpectAssignmentsRefused(
      space, {{"kernel", kPoly}, {"cost", 1.0}, {"degree", int64_t{2}}, {"shift", true}},
      "values[shift]", "true", "\"degree\"");
}

TEST(SearchSpaceValues, RefusesWrongKindsNonFiniteNumbersAndValuesOutside) {
  const SearchSpace space = KernelSpace();
  const auto with_cost = [](NamedValue cost) {
    return std::vector<Assignment>{{"kernel", kRbf}, {"cost", std::move(cost)}};
  };
  const std::string bound = "a number from 0 to 8";
  ExpectAssignmentsRefused(space, with_cost(std::nextafter(8.0, 9.0)), "values[cost]",
                           "8.000000000000002", bound);
  ExpectAssignmentsRefused(space, with_cost(-5e-324), "values[cost]", "-5e-324", bound);
  ExpectAssignmentsRefused(space, with_cost(std::numeric_limits<double>::quiet_NaN()),
                           "values[cost]", "nan", bound);
  ExpectAssignmentsRefused(space, with_cost(std::numeric_limits<double>::infinity()),
                           "values[cost]", "inf", bound);
  ExpectAssignmentsRefused(space, with_cost(std::string("1")), "values[cost]", "\"1\"", bound);
  ExpectAssignmentsRefused(space, with_cost(true), "values[cost]", "true", bound);
  ExpectAssignmentsRefused(space, {{"kernel", std::string("RBF")}, {"cost", 1.0}}, "values[kernel]",
                           "\"RBF\"", "one of \"rbf\", \"poly\"");
  ExpectAssignmentsRefused(space, {{"kernel", int64_t{0}}, {"cost", 1.0}}, "values[kernel]", "0",
                           "one of");
}

TEST(SearchSpaceValues, WholeDoublesAreAcceptedAsIntegers) {
  const SearchSpace space =
      MustCreateSpace({Named("n", IntegerDomain{-kTwoTo53 + 10, 10, Scale::kLinear}),
                       Named("m", IntegerDomain{kTwoTo53 - 9, kTwoTo53 + 9, {}})});
  EXPECT_EQ(space.ResolveValue(0, 3.0).value(), Value::Integer(3));
  EXPECT_EQ(space.ResolveValue(0, -0.0).value(), Value::Integer(0));
  EXPECT_EQ(space.ResolveValue(0, -9007199254740982.0).value(), Value::Integer(-kTwoTo53 + 10));
  EXPECT_FALSE(space.ResolveValue(0, 3.5).ok());
  EXPECT_FALSE(space.ResolveValue(0, 1e300).ok());
  EXPECT_FALSE(space.ResolveValue(0, std::nan("")).ok());
  EXPECT_EQ(space.ResolveValue(1, 9007199254740992.0).value(), Value::Integer(kTwoTo53));
  EXPECT_FALSE(space.ResolveValue(1, 9007199254740994.0).ok());
  EXPECT_EQ(space.ResolveValue(1, kTwoTo53 + 2).value(), Value::Integer(kTwoTo53 + 2));
}

TEST(SearchSpaceValues, IntegersAreAcceptedAsDoublesIfExact) {
  const SearchSpace space =
      MustCreateSpace({Named("x", DoubleDomain{-1e19, 1e19, Scale::kLinear}),
                       Named("d", DiscreteDomain{{1, 2.5, 4}, Scale::kLinear})});
  EXPECT_EQ(space.ResolveValue(0, kTwoTo53).value(), Value::Double(9007199254740992.0));
  EXPECT_EQ(space.ResolveValue(0, kTwoTo53 + 2).value(), Value::Double(9007199254740994.0));
  EXPECT_FALSE(space.ResolveValue(0, kTwoTo53 + 1).ok());
  EXPECT_FALSE(space.ResolveValue(0, std::numeric_limits<int64_t>::max()).ok());
  EXPECT_EQ(space.ResolveValue(0, std::numeric_limits<int64_t>::min()).value(),
            Value::Double(-9223372036854775808.0));
  EXPECT_EQ(space.ResolveValue(1, int64_t{4}).value(), Value::Double(4));
  EXPECT_FALSE(space.ResolveValue(1, int64_t{2}).ok());
}

TEST(SearchSpaceValues, DiscreteValuesMustMatchExactly) {
  const SearchSpace space =
      MustCreateSpace({Named("d", DiscreteDomain{{0.1, 0.3}, Scale::kLinear})});
  EXPECT_TRUE(space.ResolveValue(0, 0.3).ok());
  EXPECT_FALSE(space.ResolveValue(0, 0.1 + 0.2).ok());
  EXPECT_FALSE(space.ResolveValue(0, 0.2).ok());
  EXPECT_FALSE(space.ResolveValue(0, std::nan("")).ok());
}

TEST(SearchSpaceValues, NameIsTheInverseOfResolve) {
  RandomStream random(11);
  for (int s = 0; s < 500; ++s) {
    const SearchSpace space = RandomSpace(random, 10);
    const Configuration configuration = RandomConfiguration(random, space);
    const auto again = space.Resolve(space.Name(configuration));
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(*again, configuration);
  }
}

TEST(SearchSpaceValues, DefaultsAndFallbacks) {
  Parameter with = Named("with", IntegerDomain{1, 9, Scale::kLinear});
  with.default_value = 3.0;
  const SearchSpace space = MustCreateSpace(
      {with, Named("real", DoubleDomain{0.01, 100, Scale::kLog}),
       Named("words", CategoricalDomain{{"a", "b", "c"}}), Named("flag", BooleanDomain{})});
  EXPECT_EQ(space.FallbackOf(0), Value::Integer(3));
  EXPECT_NEAR(space.FallbackOf(1).number(), 1, 1e-12);
  EXPECT_EQ(space.FallbackOf(2), Value::Level(0));
  EXPECT_EQ(space.FallbackOf(3), Value::Boolean(false));
}

TEST(SearchSpaceValues, IsLegalChecksSizeKindRangeAndActivity) {
  const SearchSpace space = KernelSpace();
  const Value cost = Value::Double(1);
  EXPECT_TRUE(IsLegal(space, {{Value(), Value(), Value::Level(0), cost}}));
  EXPECT_FALSE(IsLegal(space, {}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Level(0)}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Level(0), cost, cost}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Level(2), cost}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Level(-1), cost}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Integer(0), cost}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Level(0), Value()}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Level(0), Value::Double(9)}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value(), Value::Level(0), Value::Double(std::nan(""))}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value::Integer(3), Value::Level(0), cost}}));
  EXPECT_FALSE(IsLegal(space, {{Value(), Value::Integer(3), Value::Level(1), cost}}));
  EXPECT_TRUE(IsLegal(space, {{Value::Boolean(false), Value::Integer(3), Value::Level(1), cost}}));
  EXPECT_TRUE(IsLegal(space, {{Value(), Value::Integer(2), Value::Level(1), cost}}));
}

}  // namespace
}  // namespace slipstream
