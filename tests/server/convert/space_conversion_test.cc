#include "server/convert/space_conversion.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/status.h"

namespace slipstream {
namespace {

v1::SearchSpace Space(const std::string& text) {
  v1::SearchSpace space;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &space)) << text;
  return space;
}

constexpr char kWhole[] = R"(
  parameters { name: "lr" double_domain { min: 1e-5 max: 1 scale: LOG }
               default_value { double_value: 0.1 } }
  parameters { name: "momentum" double_domain { min: 0.5 max: 0.999 scale: REVERSE_LOG } }
  parameters { name: "layers" integer_domain { min: -2 max: 8 } }
  parameters { name: "batch" discrete_domain { values: 16 values: 64 values: 1024 scale: LOG } }
  parameters { name: "kernel" categorical_domain { values: "rbf" values: "poly" } }
  parameters { name: "bias" boolean_domain {} }
  parameters { name: "degree" integer_domain { min: 2 max: 5 }
               condition { parent: "kernel" values { category_value: "poly" } } })";

TEST(SpaceConversion, EveryKindOfParameterArrives) {
  const auto space = SpaceFromProto(Space(kWhole));
  ASSERT_TRUE(space.ok()) << space.status();
  ASSERT_EQ(space->dimension(), 7u);
  EXPECT_EQ(std::get<DoubleDomain>(space->parameters()[0].domain).scale, Scale::kLog);
  EXPECT_EQ(std::get<DoubleDomain>(space->parameters()[1].domain).scale, Scale::kReverseLog);
  EXPECT_EQ(std::get<IntegerDomain>(space->parameters()[2].domain).min, -2);
  EXPECT_EQ(std::get<DiscreteDomain>(space->parameters()[3].domain).values.size(), 3u);
  EXPECT_EQ(space->ParentOf(6), 4u);
  EXPECT_EQ(space->FallbackOf(0).number(), 0.1);
}

TEST(SpaceConversion, ConfigurationsReadBack) {
  const auto space = SpaceFromProto(Space(kWhole));
  ASSERT_TRUE(space.ok());
  v1::Configuration configuration;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"(values { key: "lr" value { double_value: 0.003 } }
         values { key: "momentum" value { double_value: 0.9 } }
         values { key: "layers" value { integer_value: -1 } }
         values { key: "batch" value { double_value: 64 } }
         values { key: "kernel" value { category_value: "poly" } }
         values { key: "bias" value { boolean_value: true } }
         values { key: "degree" value { integer_value: 3 } })",
      &configuration));
  const auto core = ConfigurationFromProto(*space, configuration);
  ASSERT_TRUE(core.ok()) << core.status();
  v1::Configuration back;
  ConfigurationToProto(*space, *core, &back);
  EXPECT_EQ(back.DebugString(), configuration.DebugString());
}

void ExpectRefused(const std::string& text, const std::string& field, const std::string& value) {
  const absl::Status status = SpaceFromProto(Space(text)).status();
  ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  const auto violation = ViolationOf(status);
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->field, field);
  EXPECT_THAT(violation->value, ::testing::HasSubstr(value));
}

TEST(SpaceConversion, RefusalsCarryThePathInsideTheMessage) {
  ExpectRefused(R"(parameters { name: "x" })", "parameters[0].domain", "empty");
  ExpectRefused(R"(parameters { name: "x" double_domain { min: 2 max: 1 } })",
                "parameters[0].double_domain.max", "1");
  ExpectRefused(R"(parameters { name: "x" integer_domain { min: 0 max: 8 scale: LOG } })",
                "parameters[0].integer_domain.min", "0");
  ExpectRefused(R"(parameters { name: "x" discrete_domain { values: 2 values: 1 } })",
                "parameters[0].discrete_domain.values[1]", "1");
  ExpectRefused(R"(parameters { name: "x" boolean_domain {} default_value {} })",
                "parameters[0].default_value", "empty");
  ExpectRefused(R"(parameters { name: "x" boolean_domain {}
                                condition { parent: "y" values { boolean_value: true } } })",
                "parameters[0].condition.parent", "y");
  v1::SearchSpace unknown_scale = Space(R"(parameters { name: "x" double_domain { max: 1 } })");
  unknown_scale.mutable_parameters(0)->mutable_double_domain()->set_scale(
      static_cast<v1::Scale>(9));
  EXPECT_EQ(ViolationOf(SpaceFromProto(unknown_scale).status())->field,
            "parameters[0].double_domain.scale");
}

}  // namespace
}  // namespace slipstream
