#include "client/cli/checked_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/json_text.h"
#include "client/cli/space_grammar.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

using OptionalTexts = std::vector<std::optional<std::string>>;

CheckedSpace Space(const std::vector<std::string>& texts) {
  return *CheckedSpace::Create(*ParseSpace(texts));
}

// A chain of conditions, the children before their parents.
CheckedSpace Chain() {
  return Space({"gamma=double:0..1;when=degree:3", "degree=integer:2..5;when=kernel:poly",
                "kernel=categorical:rbf,poly"});
}

std::string ComplaintOfJson(const std::string& json) {
  v1::SearchSpace space;
  EXPECT_TRUE(ParseJson(json, &space).ok());
  return std::string(CheckedSpace::Create(space).status().message());
}

std::string Complaint(const CheckedSpace& space, const OptionalTexts& texts) {
  v1::Configuration configuration;
  const auto problem = space.Read(texts, &configuration);
  if (!problem.has_value()) return "none";
  return space.parameter(problem->parameter).name() + ": " + problem->complaint;
}

TEST(CheckedSpace, ReadsExactlyTheActiveParameters) {
  v1::Configuration configuration;
  ASSERT_FALSE(Chain().Read({"0.5", "3", "poly"}, &configuration).has_value());
  EXPECT_EQ(configuration.values_size(), 3);
  configuration.Clear();
  ASSERT_FALSE(Chain().Read({"", "4", "poly"}, &configuration).has_value());
  EXPECT_EQ(configuration.values_size(), 2);
  configuration.Clear();
  ASSERT_FALSE(Chain().Read({std::nullopt, "", "rbf"}, &configuration).has_value());
  EXPECT_EQ(configuration.values_size(), 1);
}

TEST(CheckedSpace, RefusesAValueOfAnInactiveParameter) {
  EXPECT_EQ(Complaint(Chain(), {"", "3", "rbf"}),
            "degree: '3' is given, but the parameter exists only where kernel is poly");
}

TEST(CheckedSpace, RefusesAValueBelowAnInactiveParent) {
  EXPECT_THAT(Complaint(Chain(), {"0.5", "", "rbf"}), HasSubstr("gamma: '0.5' is given, but"));
}

TEST(CheckedSpace, RefusesAnActiveParameterWithoutAValue) {
  EXPECT_EQ(Complaint(Chain(), {"", "3", "poly"}), "gamma: a value is missing, must be in 0..1");
  EXPECT_EQ(Complaint(Chain(), {"", "", ""}),
            "kernel: a value is missing, must be one of rbf, poly");
}

TEST(CheckedSpace, RefusesAValueOutsideItsDomain) {
  EXPECT_EQ(Complaint(Chain(), {"2", "3", "poly"}), "gamma: '2' is not in 0..1");
}

TEST(CheckedSpace, UnderstandsConditionsGivenInAnotherNumericKind) {
  v1::SearchSpace space;
  ASSERT_TRUE(ParseJson(R"({"parameters": [
      {"name": "batch", "discreteDomain": {"values": [16, 32]}},
      {"name": "x", "booleanDomain": {},
       "condition": {"parent": "batch", "values": [{"integerValue": "16"}]}}]})",
                        &space)
                  .ok());
  const auto checked = CheckedSpace::Create(space);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(Complaint(*checked, {"16", "true"}), "none");
  EXPECT_EQ(Complaint(*checked, {"32", ""}), "none");
}

TEST(CheckedSpace, RefusesConditionsInACircle) {
  EXPECT_THAT(ComplaintOfJson(R"({"parameters": [
      {"name": "a", "booleanDomain": {},
       "condition": {"parent": "b", "values": [{"booleanValue": true}]}},
      {"name": "b", "booleanDomain": {},
       "condition": {"parent": "a", "values": [{"booleanValue": true}]}}]})"),
              HasSubstr("parameter 'a': its conditions lead in a circle"));
  EXPECT_THAT(ComplaintOfJson(R"({"parameters": [
      {"name": "a", "booleanDomain": {},
       "condition": {"parent": "a", "values": [{"booleanValue": true}]}}]})"),
              HasSubstr("lead in a circle"));
}

TEST(CheckedSpace, RefusesConditionsThatCannotBe) {
  EXPECT_THAT(ComplaintOfJson(R"({"parameters": [
      {"name": "r", "doubleDomain": {"max": 1}},
      {"name": "a", "booleanDomain": {},
       "condition": {"parent": "r", "values": [{"doubleValue": 1}]}}]})"),
              HasSubstr("'r', a double parameter"));
  EXPECT_THAT(ComplaintOfJson(R"({"parameters": [
      {"name": "r", "booleanDomain": {}},
      {"name": "a", "booleanDomain": {}, "condition": {"parent": "r"}}]})"),
              HasSubstr("names no values"));
}

TEST(CheckedSpace, RefusesParametersWithoutNameOrDomain) {
  EXPECT_THAT(ComplaintOfJson("{}"), HasSubstr("no parameters"));
  EXPECT_THAT(ComplaintOfJson(R"({"parameters": [{"booleanDomain": {}}]})"),
              HasSubstr("parameter number 1 has no name"));
  EXPECT_THAT(ComplaintOfJson(R"({"parameters": [{"name": "a"}]})"),
              HasSubstr("parameter 'a': it has no domain"));
}

TEST(CheckedSpace, RefusesAnIllegalDefault) {
  EXPECT_THAT(ComplaintOfJson(R"({"parameters": [{"name": "a", "doubleDomain": {"max": 1},
                                                 "defaultValue": {"doubleValue": 2}}]})"),
              HasSubstr("the default '2' is not in 0..1"));
}

TEST(CheckedSpace, DropsTheCandidates) {
  v1::SearchSpace space = *ParseSpace({"a=boolean"});
  space.mutable_candidates()->add_configurations();
  EXPECT_FALSE(CheckedSpace::Create(space)->space().has_candidates());
}

}  // namespace
}  // namespace slipstream::cli
