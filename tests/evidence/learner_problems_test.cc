#include "tests/evidence/learner_problems.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "absl/strings/str_cat.h"

namespace slipstream::evidence {
namespace {

TEST(LearnerProblems, EachIsAListOfRecordedConfigurationsWhoseSourcesAreTheOtherDataSets) {
  for (const LearnerTable& table : LearnerTables()) {
    for (const absl::string_view data_set : table.data_sets) {
      const auto problem = MakeLearnerProblem(table, data_set, {3, true, true, ""});
      ASSERT_TRUE(problem.ok()) << table.name << "/" << data_set << ": " << problem.status();
      EXPECT_GE(problem->space->candidates().size(), 150) << problem->name;
      EXPECT_LT(problem->best, problem->mean) << problem->name;
      EXPECT_GT(problem->regret_unit, 0) << problem->name;
      ASSERT_EQ(problem->initial.size(), 5) << problem->name;
      for (const Point& point : problem->initial) {
        EXPECT_GE(problem->RegretOf(problem->value(point)), 0) << problem->name;
      }
      EXPECT_EQ(problem->sources.size(), table.data_sets.size() - 1) << problem->name;
      std::set<std::string> names;
      for (const auto& source : problem->sources) {
        EXPECT_EQ(source->points.size(), 40) << problem->name;
        names.insert(source->name);
      }
      EXPECT_EQ(names.size(), problem->sources.size());
      const std::string own = absl::StrCat("sourceTasks/", table.name, "-", data_set);
      EXPECT_FALSE(names.contains(own)) << "its own results";
    }
  }
}

// What is measured of a source does not depend on the target, but on the seed.
TEST(LearnerProblems, ASourceIsTheSameForAllTargetsOfASeed) {
  const LearnerTable& table = LearnerTables().front();
  const Problem one = *MakeLearnerProblem(table, table.data_sets[0], {1, true, true, ""});
  const Problem two = *MakeLearnerProblem(table, table.data_sets[1], {1, true, true, ""});
  const Problem other = *MakeLearnerProblem(table, table.data_sets[0], {2, true, true, ""});
  EXPECT_EQ(one.sources.back()->points[7].configuration,
            two.sources.back()->points[7].configuration);
  EXPECT_NE(one.sources.back()->points[7].configuration,
            other.sources.back()->points[7].configuration);
}

TEST(LearnerProblems, RefusesADataSetThatIsNotThere) {
  EXPECT_EQ(MakeLearnerProblem(LearnerTables()[0], "tulips", {0, true, false, ""}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace slipstream::evidence
