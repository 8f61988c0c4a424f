#include "client/cli/shared_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/cli/usage_error.h"

namespace slipstream::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(SharedArguments, TakeLabelsOnlyWhereSomeOrNoneAreAskedFor) {
  const auto paths_of = [](const LabelChange& change, v1::Study* study) {
    google::protobuf::FieldMask mask;
    EXPECT_TRUE(TakeLabels(change, study->mutable_labels(), &mask).ok());
    return std::vector<std::string>(mask.paths().begin(), mask.paths().end());
  };
  v1::Study study;
  EXPECT_THAT(paths_of({}, &study), IsEmpty());
  EXPECT_THAT(paths_of({.no_labels = true}, &study), ElementsAre("labels"));
  EXPECT_TRUE(study.labels().empty());
  EXPECT_THAT(paths_of({.labels = {"team=vision"}}, &study), ElementsAre("labels"));
  EXPECT_EQ(study.labels().at("team"), "vision");
  google::protobuf::FieldMask mask;
  EXPECT_TRUE(IsUsageError(TakeLabels({.labels = {"a"}}, study.mutable_labels(), &mask)));
}

TEST(SharedArguments, ReadASpaceFromOnePlaceOnly) {
  EXPECT_FALSE(ReadSpace({})->has_value());
  EXPECT_EQ((*ReadSpace({.file = "", .parameters = {"a=boolean"}}))->parameters_size(), 1);
  EXPECT_TRUE(IsUsageError(ReadSpace({.file = "-", .parameters = {"a=boolean"}}).status()));
}

}  // namespace
}  // namespace slipstream::cli
