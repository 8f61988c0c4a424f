// Runs the builds of core side by side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/base/instruction_set.h"
#include "tests/core/two_builds/command.h"
#include "tests/core/two_builds/loader.h"
#include "tests/core/two_builds/sample.h"

namespace slipstream::two_builds {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Report = std::map<std::string, std::string>;

Report ReportOf(const std::vector<std::string>& command) {
  Report report;
  for (const std::string& line : LinesOf(command)) {
    report.insert(
        std::pair<std::string, std::string>(absl::StrSplit(line, absl::MaxSplits(' ', 1))));
  }
  return report;
}

Report AsTheLoaderChooses() { return ReportOf({SLIPSTREAM_PROBE}); }

Report OnTheBaseline() {
  std::vector<std::string> command = BaselineCommand();
  command.push_back(SLIPSTREAM_PROBE);
  return ReportOf(command);
}

// In the words of the loader, which also knows what the kernel allows.
bool MachineRunsX86V3() {
  const std::vector<std::string> lines = LinesOf({LoaderPath(), "--help"});
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("x86-64-v3 (supported") != line.npos;
  });
}

class TwoBuilds : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!SLIPSTREAM_TWO_BUILDS) GTEST_SKIP() << "core was built once, for " << InstructionSet();
    if (!MachineRunsX86V3()) {
      GTEST_SKIP() << "this machine has no AVX2 and FMA, so only the baseline can run";
    }
  }
};

TEST_F(TwoBuilds, TheLoaderTakesTheOneThatSuitsTheMachine) {
  const Report report = AsTheLoaderChooses();
  EXPECT_EQ(report.at("instruction_set"), "x86-64-v3");
  EXPECT_THAT(report.at("library_eigen"), HasSubstr("AVX"));
}

TEST_F(TwoBuilds, TheOneForEveryMachineCanBeAskedFor) {
  const Report report = OnTheBaseline();
  EXPECT_EQ(report.at("instruction_set"), "x86-64");
  EXPECT_THAT(report.at("library_eigen"), Not(HasSubstr("AVX")));
}

TEST_F(TwoBuilds, AProgramRunsItsOwnInlineFunctionsAndNotTheLibrarys) {
  EXPECT_THAT(AsTheLoaderChooses().at("program_eigen"), Not(HasSubstr("AVX")));
}

TEST_F(TwoBuilds, ComputeTheSameButForRounding) {
  const Report fast = AsTheLoaderChooses();
  const Report baseline = OnTheBaseline();
  for (const auto& [name, text] : baseline) {
    double expected = 0;
    if (!absl::SimpleAtod(text, &expected)) continue;
    double computed = 0;
    ASSERT_TRUE(absl::SimpleAtod(fast.at(name), &computed)) << name;
    EXPECT_NEAR(computed, expected, 1e-9 * std::abs(expected)) << name;
  }
}

TEST_F(TwoBuilds, EachRepeatsItselfToTheLastBit) {
  EXPECT_EQ(AsTheLoaderChooses(), AsTheLoaderChooses());
  EXPECT_EQ(OnTheBaseline(), OnTheBaseline());
}

// What follows holds between this program and whichever build it has.

TEST(Border, TypesHaveTheSameLayoutOnBothSides) { EXPECT_EQ(LibraryLayouts(), Layouts()); }

TEST(Border, MatricesMayBeAllocatedOnOneSideAndFreedOnTheOther) {
  for (int count : {1, 2, 3, 5, 17, 100, 500}) {
    Eigen::MatrixXd kernel = KernelMatrix(Eigen::MatrixXd::Random(3, count));
    AppendOnes(kernel);
    kernel.conservativeResize(count + 2, count + 2);
    AppendOnes(kernel);
    EXPECT_EQ(kernel.rows(), count + 3);
    EXPECT_DOUBLE_EQ(kernel(0, 0), 1);
  }
}

TEST(Border, ObjectsOfFixedSizeMayCross) {
  std::vector<FixedSizes> values = Doubled(std::vector<FixedSizes>(3));
  values = Doubled(std::move(values));
  ASSERT_EQ(values.size(), 5u);
  for (const FixedSizes& value : values) {
    EXPECT_EQ(value.vector, Eigen::Vector4d::Constant(16));
    EXPECT_EQ(value.matrix.sum(), 64 * 32);
    EXPECT_EQ(value.pair, Eigen::Vector2d::Constant(8));
    EXPECT_EQ((std::string{value.first, value.second, value.third}), "abc");
  }
}

}  // namespace
}  // namespace slipstream::two_builds
