// Every space that Create must refuse, with its message.
#include <cfloat>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/space/search_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/space/space_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Parameter WithDefault(Domain domain, NamedValue value) {
  return {"lr", std::move(domain), std::move(value), std::nullopt};
}

Parameter Child(std::string name, std::string parent, std::vector<NamedValue> values) {
  return {std::move(name), BooleanDomain{}, std::nullopt,
          Condition{std::move(parent), std::move(values)}};
}

// Expects an InvalidField with exactly this field and value; the message must contain
// all of `words`.
void ExpectRefused(std::vector<Parameter> parameters, const std::string& field,
                   const std::string& value, const std::vector<std::string>& words) {
  const absl::StatusOr<SearchSpace> space = SearchSpace::Create(std::move(parameters));
  ASSERT_FALSE(space.ok()) << field;
  EXPECT_EQ(space.status().code(), absl::StatusCode::kInvalidArgument);
  const auto violation = ViolationOf(space.status());
  ASSERT_TRUE(violation.has_value()) << space.status();
  EXPECT_EQ(violation->field, field);
  EXPECT_EQ(violation->value, value);
  const std::string message(space.status().message());
  EXPECT_THAT(message, HasSubstr(field));
  for (const std::string& word : words) EXPECT_THAT(message, HasSubstr(word));
}

void ExpectRefusedDomain(Domain domain, const std::string& field, const std::string& value,
                         const std::string& bound) {
  ExpectRefused({Named("first", BooleanDomain{}), Named("lr", std::move(domain))},
                absl::StrCat("parameters[1].", field), value, {bound, "\"lr\""});
}

void ExpectAccepted(Domain domain) {
  const auto space = SearchSpace::Create({Named("lr", std::move(domain))});
  EXPECT_TRUE(space.ok()) << space.status();
}

TEST(SearchSpaceValidation, RefusesNoAndTooManyParameters) {
  ExpectRefused({}, "parameters", "0 parameters", {"1 to 200"});
  std::vector<Parameter> parameters;
  for (int i = 0; i < 200; ++i) parameters.push_back(Named(absl::StrCat(i), BooleanDomain{}));
  EXPECT_TRUE(SearchSpace::Create(parameters).ok());
  parameters.push_back(Named("one more", BooleanDomain{}));
  ExpectRefused(parameters, "parameters", "201 parameters", {"1 to 200"});
}

TEST(SearchSpaceValidation, RefusesBadNames) {
  ExpectRefused({Named("", BooleanDomain{})}, "parameters[0].name", "\"\"", {"1 to 128 bytes"});
  EXPECT_TRUE(SearchSpace::Create({Named(std::string(128, 'n'), BooleanDomain{})}).ok());
  ExpectRefused({Named(std::string(129, 'n'), BooleanDomain{})}, "parameters[0].name",
                "\"" + std::string(127, 'n'), {"1 to 128 bytes, not 129"});
  ExpectRefused({Named("l\xFFr", BooleanDomain{})}, "parameters[0].name", "\"l?r\"", {"UTF-8"});
  ExpectRefused({Named("l\nr", BooleanDomain{})}, "parameters[0].name", "\"l?r\"",
                {"without control characters"});
  ExpectRefused(
      {Named("lr", BooleanDomain{}), Named("a", BooleanDomain{}), Named("lr", BooleanDomain{})},
      "parameters[2].name", "\"lr\"", {"different from parameters[0].name"});
}

TEST(SearchSpaceValidation, RefusesBadDoubleRanges) {
  ExpectRefusedDomain(DoubleDomain{2, 1, Scale::kLinear}, "max", "1", "above min 2");
  ExpectRefusedDomain(DoubleDomain{1, 1, Scale::kLinear}, "max", "1", "above min 1");
  ExpectRefusedDomain(DoubleDomain{-0.0, 0.0, Scale::kLinear}, "max", "0", "above min -0");
  ExpectRefusedDomain(DoubleDomain{-kInfinity, 1, Scale::kLinear}, "min", "-inf", "finite");
  ExpectRefusedDomain(DoubleDomain{0, kInfinity, Scale::kLinear}, "max", "inf", "finite");
  ExpectRefusedDomain(DoubleDomain{std::numeric_limits<double>::quiet_NaN(), 1, Scale::kLinear},
                      "min", "nan", "finite");
  for (Scale scale : {Scale::kLog, Scale::kReverseLog}) {
    ExpectRefusedDomain(DoubleDomain{0, 1, scale}, "min", "0", "above 0 on a logarithmic scale");
    ExpectRefusedDomain(DoubleDomain{-1, 1, scale}, "min", "-1", "above 0 on a logarithmic scale");
    ExpectAccepted(DoubleDomain{5e-324, DBL_MAX, scale});
  }
  ExpectAccepted(DoubleDomain{-DBL_MAX, DBL_MAX, Scale::kLinear});
  ExpectAccepted(DoubleDomain{0, 5e-324, Scale::kLinear});
}

TEST(SearchSpaceValidation, RefusesBadIntegerRanges) {
  ExpectRefusedDomain(IntegerDomain{2, 1, Scale::kLinear}, "max", "1", "at least min 2");
  ExpectRefusedDomain(IntegerDomain{kMin64, kMax64, Scale::kLinear}, "max", absl::StrCat(kMax64),
                      "9007199254740992");
  ExpectRefusedDomain(IntegerDomain{-1, int64_t{1} << 53, Scale::kLinear}, "max",
                      "9007199254740992", "above min -1");
  for (Scale scale : {Scale::kLog, Scale::kReverseLog}) {
    ExpectRefusedDomain(IntegerDomain{0, 9, scale}, "min", "0", "above 0 on a logarithmic scale");
    ExpectAccepted(IntegerDomain{1, 9, scale});
  }
  ExpectAccepted(IntegerDomain{kMin64, kMin64 + (int64_t{1} << 53), Scale::kLinear});
  ExpectAccepted(IntegerDomain{7, 7, Scale::kLinear});
}

TEST(SearchSpaceValidation, RefusesBadDiscreteValues) {
  ExpectRefusedDomain(DiscreteDomain{{}, Scale::kLinear}, "values", "0 values", "1 to 1000");
  ExpectRefusedDomain(DiscreteDomain{std::vector<double>(1001), Scale::kLinear}, "values",
                      "1001 values", "1 to 1000");
  ExpectRefusedDomain(DiscreteDomain{{1, 3, 2}, Scale::kLinear}, "values[2]", "2", ", 3");
  ExpectRefusedDomain(DiscreteDomain{{1, 3, 3}, Scale::kLinear}, "values[2]", "3", ", 3");
  ExpectRefusedDomain(DiscreteDomain{{-0.0, 0.0}, Scale::kLinear}, "values[1]", "0", "above");
  ExpectRefusedDomain(DiscreteDomain{{1, kInfinity}, Scale::kLinear}, "values[1]", "inf", "finite");
  ExpectRefusedDomain(DiscreteDomain{{0, 1}, Scale::kLog}, "values[0]", "0", "above 0");
  ExpectRefusedDomain(DiscreteDomain{{-1}, Scale::kReverseLog}, "values[0]", "-1", "above 0");
}

TEST(SearchSpaceValidation, RefusesBadCategories) {
  ExpectRefusedDomain(CategoricalDomain{}, "values", "0 values", "1 to 1000");
  ExpectRefusedDomain(CategoricalDomain{std::vector<std::string>(1001, "a")}, "values",
                      "1001 values", "1 to 1000");
  ExpectRefusedDomain(CategoricalDomain{{"a", ""}}, "values[1]", "\"\"", "1 to 256 bytes");
  ExpectRefusedDomain(CategoricalDomain{{std::string(257, 'w')}}, "values[0]",
                      "\"" + std::string(127, 'w'), "not 257");
  ExpectAccepted(CategoricalDomain{{std::string(256, 'w')}});
  ExpectRefusedDomain(CategoricalDomain{{"\xC0\x80"}}, "values[0]", "\"??\"", "UTF-8");
  ExpectRefusedDomain(CategoricalDomain{{"a", "b", "a"}}, "values[2]", "\"a\"",
                      "different from values[0]");
}

TEST(SearchSpaceValidation, RefusesDefaultsOutsideTheDomain) {
  const auto refuse = [](Domain domain, NamedValue value, const std::string& text,
                         const std::string& bound) {
    ExpectRefused({WithDefault(std::move(domain), std::move(value))}, "parameters[0].default_value",
                  text, {bound, "\"lr\""});
  };
  refuse(DoubleDomain{0, 1, Scale::kLinear}, 1.5, "1.5", "a number from 0 to 1");
  refuse(DoubleDomain{0, 1, Scale::kLinear}, std::string("0.5"), "\"0.5\"", "a number from 0 to 1");
  refuse(IntegerDomain{1, 5, Scale::kLinear}, 2.5, "2.5", "a whole number from 1 to 5");
  refuse(DiscreteDomain{{1, 2}, Scale::kLinear}, 1.5, "1.5", "one of 1, 2");
  refuse(CategoricalDomain{{"a", "b"}}, std::string("c"), "\"c\"", "one of \"a\", \"b\"");
  refuse(BooleanDomain{}, int64_t{1}, "1", "true or false");
}

TEST(SearchSpaceValidation, RefusesBadConditions) {
  const Parameter kernel = Named("kernel", CategoricalDomain{{"rbf", "poly"}});
  const Parameter gamma = Named("gamma", DoubleDomain{0, 1, Scale::kLinear});
  const std::string poly = "poly";
  const std::string parent = "parameters[2].condition.parent";
  ExpectRefused({kernel, gamma, Child("degree", "colour", {poly})}, parent, "\"colour\"",
                {"name of a parameter", "\"degree\""});
  ExpectRefused({kernel, gamma, Child("degree", "degree", {true})}, parent, "\"degree\"",
                {"another parameter", "\"degree\""});
  ExpectRefused({kernel, gamma, Child("degree", "gamma", {0.5})}, parent, "\"gamma\"",
                {"categorical, boolean, discrete or integer", "\"degree\""});
  ExpectRefused({kernel, gamma, Child("degree", "kernel", {})}, "parameters[2].condition.values",
                "empty", {"at least one value", "\"degree\""});
  ExpectRefused({kernel, gamma, Child("degree", "kernel", {poly, std::string("cubic")})},
                "parameters[2].condition.values[1]", "\"cubic\"",
                {"\"rbf\", \"poly\"", "\"kernel\"", "\"degree\""});
  ExpectRefused({kernel, gamma, Child("degree", "kernel", {true})},
                "parameters[2].condition.values[0]", "true", {"\"rbf\", \"poly\""});
}

TEST(SearchSpaceValidation, RefusesConditionsInACycle) {
  ExpectRefused({Child("a", "c", {true}), Child("b", "a", {true}), Child("c", "b", {true})},
                "parameters[0].condition.parent", "\"c\"", {"\"a\""});
  // A parameter that only leads into a cycle is not on it but cannot be active either.
  ExpectRefused({Child("x", "a", {true}), Child("a", "b", {true}), Child("b", "a", {true})},
                "parameters[0].condition.parent", "\"a\"", {"\"x\""});
}

TEST(SearchSpaceValidation, AcceptsTheLongestChainOfConditionsBackToFront) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 199; ++i) {
    parameters.push_back(Child(absl::StrCat(i), absl::StrCat(i + 1), {true}));
  }
  parameters.push_back(Named("199", BooleanDomain{}));
  const auto space = SearchSpace::Create(parameters);
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->ParentsFirst().front(), 199u);
  EXPECT_EQ(space->ParentsFirst().back(), 0u);
}

TEST(SearchSpaceValidation, MessagesAreShortAndNameTheParameterEvenForLongWords) {
  std::vector<std::string> words;
  for (int i = 0; i < 1000; ++i) words.push_back(absl::StrCat(i, std::string(250, 'w')));
  const auto space =
      SearchSpace::Create({WithDefault(CategoricalDomain{words}, std::string(1 << 20, 'x'))});
  const std::string message(space.status().message());
  EXPECT_LT(message.size(), 1500u);
  EXPECT_THAT(message, HasSubstr("for parameter \"lr\""));
}

}  // namespace
}  // namespace slipstream
