#include "client/cli/configuration_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/json_text.h"
#include "client/cli/space_grammar.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

using OptionalTexts = std::vector<std::optional<std::string>>;

ConfigurationReader Space(const std::vector<std::string>& texts) {
  return *ConfigurationReader::Create(*ParseSpace(texts));
}

// A chain of conditions with children before their parents.
ConfigurationReader Chain() {
  return Space({"gamma=double:0..1;when=degree:3", "degree=integer:2..5;when=kernel:poly",
                "kernel=categorical:rbf,poly"});
}

std::string Complaint(const ConfigurationReader& space, const OptionalTexts& texts) {
  v1::Configuration configuration;
  const auto problem = space.Read(texts, &configuration);
  if (!problem.has_value()) return "none";
  return space.parameter(problem->parameter).name() + ": " + problem->complaint;
}

TEST(ConfigurationReader, ReadsExactlyTheActiveParameters) {
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

TEST(ConfigurationReader, FillsInDefaultsWhereThatIsAskedFor) {
  const ConfigurationReader space =
      Space({"degree=integer:2..5;default=3;when=kernel:poly", "gamma=double:0..1;default=0.5",
             "kernel=categorical:rbf,poly;default=poly"});
  v1::Configuration configuration;
  EXPECT_TRUE(space.Read({"", "0.25", ""}, &configuration).has_value());
  configuration.Clear();
  ASSERT_FALSE(space.Read({"", "0.25", ""}, &configuration, /*use_defaults=*/true).has_value());
  EXPECT_EQ(configuration.values().at("kernel").category_value(), "poly");
  EXPECT_EQ(configuration.values().at("degree").integer_value(), 3);
  EXPECT_EQ(configuration.values().at("gamma").double_value(), 0.25);
  configuration.Clear();
  ASSERT_FALSE(space.Read({"", "", "rbf"}, &configuration, /*use_defaults=*/true).has_value());
  EXPECT_EQ(configuration.values_size(), 2) << "degree is not active";
}

TEST(ConfigurationReader, RefusesAValueOfAnInactiveParameter) {
  EXPECT_EQ(Complaint(Chain(), {"", "3", "rbf"}),
            "degree: '3' is given, but the parameter is active only where kernel is poly");
}

TEST(ConfigurationReader, RefusesAValueBelowAnInactiveParent) {
  EXPECT_THAT(Complaint(Chain(), {"0.5", "", "rbf"}), HasSubstr("gamma: '0.5' is given, but"));
}

TEST(ConfigurationReader, RefusesAnActiveParameterWithoutAValue) {
  EXPECT_EQ(Complaint(Chain(), {"", "3", "poly"}), "gamma: a value is missing, must be in 0..1");
  EXPECT_EQ(Complaint(Chain(), {"", "", ""}),
            "kernel: a value is missing, must be one of rbf, poly");
}

TEST(ConfigurationReader, RefusesAValueOutsideItsDomain) {
  EXPECT_EQ(Complaint(Chain(), {"2", "3", "poly"}), "gamma: '2' is not in 0..1");
}

TEST(ConfigurationReader, AcceptsConditionsOfAnotherNumericKind) {
  v1::SearchSpace space;
  ASSERT_TRUE(ParseJson(R"({"parameters": [
      {"name": "batch", "discreteDomain": {"values": [16, 32]}},
      {"name": "x", "booleanDomain": {},
       "condition": {"parent": "batch", "values": [{"integerValue": "16"}]}}]})",
                        &space)
                  .ok());
  const auto checked = ConfigurationReader::Create(space);
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_EQ(Complaint(*checked, {"16", "true"}), "none");
  EXPECT_EQ(Complaint(*checked, {"32", ""}), "none");
}

TEST(ConfigurationReader, LeavesImpossibleConditionsToTheServer) {
  for (const char* parent : {"a", "b", "unknown"}) {
    v1::SearchSpace space = *ParseSpace({"a=boolean", "b=boolean;when=a:true"});
    v1::Condition& condition = *space.mutable_parameters(0)->mutable_condition();
    condition.set_parent(parent);
    condition.add_values()->set_boolean_value(true);
    const ConfigurationReader reader = *ConfigurationReader::Create(space);
    EXPECT_EQ(Complaint(reader, {"true", "true"}), "none") << parent;
  }
}

TEST(ConfigurationReader, RefusesTwoParametersWithOneName) {
  const auto reader = ConfigurationReader::Create(*ParseSpace({"a=boolean", "a=boolean"}));
  EXPECT_EQ(reader.status().message(), "two parameters are named 'a'");
}

}  // namespace
}  // namespace slipstream::cli
