#include "deploy/demo/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace slipstream {
namespace {

using ::testing::EndsWith;

std::string PathFor(const std::string& name) { return ::testing::TempDir() + name; }

TEST(Progress, AFileKeepsEveryErrorExactly) {
  const std::string path = PathFor("exact.csv");
  const Progress progress = {50.25, 1.0 / 3, 7e-300, 12.5};
  ASSERT_TRUE(WriteProgress(path, progress).ok());
  const absl::StatusOr<Progress> read = ReadProgress(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, progress);
  std::remove(path.c_str());
}

TEST(Progress, AMissingFileIsNotFound) {
  EXPECT_EQ(ReadProgress(PathFor("missing.csv")).status().code(), absl::StatusCode::kNotFound);
}

TEST(Progress, AFileThatIsNotAProgressIsRefused) {
  const std::string path = PathFor("foreign.csv");
  for (const char* text :
       {"", "evaluation,error,lowest\n", "a,b\n1,2,3\n", "evaluation,error,lowest\n1,x,3\n",
        "evaluation,error,lowest\n1,2,2\nend\n"}) {
    std::ofstream(path) << text;
    EXPECT_EQ(ReadProgress(path).status().code(), absl::StatusCode::kDataLoss) << text;
  }
  std::remove(path.c_str());
}

TEST(Progress, AFolderThatDoesNotExistCannotBeWrittenTo) {
  EXPECT_EQ(WriteProgress(PathFor("no/such/folder/a.csv"), {1}).code(),
            absl::StatusCode::kUnavailable);
}

TEST(ComparisonTable, ShowsTheLowestErrorSoFarAndTheFirstToReachIt) {
  EXPECT_EQ(ComparisonTable({80, 40, 60, 20}, {30, 20, 25}),
            "  evaluation   without transfer               with a source task\n"
            "           1   80.00 % ##################     30.00 % #######\n"
            "           2   40.00 % #########              20.00 % ####\n"
            "           3   40.00 % #########              20.00 % ####\n"
            "           4   20.00 % ####\n"
            "\n"
            "An error of 40.00 % took 2 evaluations without transfer; "
            "with a source task it was reached after 1 evaluation.\n");
}

TEST(ComparisonTable, OneEvaluationIsSingular) {
  EXPECT_THAT(ComparisonTable({40, 80}, {30}),
              EndsWith("took 1 evaluation without transfer; "
                       "with a source task it was reached after 1 evaluation.\n"));
}

TEST(ComparisonTable, SaysSoWhenTheSourceTaskDidNotHelp) {
  EXPECT_THAT(ComparisonTable({50, 10}, {30, 25, 22}),
              EndsWith("An error of 20.00 % took 2 evaluations without transfer; "
                       "with a source task it was not reached within 3 evaluations.\n"));
}

}  // namespace
}  // namespace slipstream
