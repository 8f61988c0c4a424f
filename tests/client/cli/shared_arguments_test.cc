#include "client/cli/shared_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/usage_error.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

std::string ObjectiveError(const ObjectiveArguments& arguments) {
  const absl::Status status = ReadObjective(arguments, "--metric").status();
  EXPECT_TRUE(IsUsageError(status)) << status;
  return std::string(status.message());
}

TEST(SharedArguments, ReadAnObjectiveInEitherForm) {
  const auto with_goal = ReadObjective({.name = "loss", .goal = "minimize"}, "--metric");
  const auto in_one = ReadObjective({.minimize = "loss"}, "--metric");
  EXPECT_EQ((*with_goal)->name(), "loss");
  EXPECT_EQ((*with_goal)->goal(), v1::Metric::MINIMIZE);
  EXPECT_EQ((*with_goal)->SerializeAsString(), (*in_one)->SerializeAsString());
  EXPECT_EQ((*ReadObjective({.maximize = "accuracy"}, "--metric"))->goal(), v1::Metric::MAXIMIZE);
  EXPECT_FALSE(ReadObjective({}, "--metric")->has_value());
}

TEST(SharedArguments, RefuseHalfAnObjectiveAndTwo) {
  EXPECT_THAT(ObjectiveError({.name = "loss"}), HasSubstr("--metric and --goal go together"));
  EXPECT_THAT(ObjectiveError({.goal = "minimize"}), HasSubstr("--metric and --goal go together"));
  EXPECT_THAT(ObjectiveError({.maximize = "a", .minimize = "b"}), HasSubstr("exclude each other"));
}

TEST(SharedArguments, ReadLabelsAndRefuseRepeatedKeys) {
  v1::Study study;
  ASSERT_TRUE(ReadLabels({"team=vision", "note=a=b"}, study.mutable_labels()).ok());
  EXPECT_EQ(study.labels().at("note"), "a=b");
  const absl::Status repeated = ReadLabels({"team=speech"}, study.mutable_labels());
  EXPECT_EQ(repeated.message(), "--label 'team' is given twice");
  EXPECT_TRUE(IsUsageError(ReadLabels({"=x"}, study.mutable_labels())));
}

TEST(SharedArguments, ReadASpaceFromOnePlaceOnly) {
  EXPECT_FALSE(ReadSpace({})->has_value());
  EXPECT_EQ((*ReadSpace({.file = "", .parameters = {"a=boolean"}}))->parameters_size(), 1);
  EXPECT_TRUE(IsUsageError(ReadSpace({.file = "-", .parameters = {"a=boolean"}}).status()));
}

}  // namespace
}  // namespace slipstream::cli
