#include "tests/evidence/tuning_problems.h"

#include <gtest/gtest.h>

#include <set>

namespace slipstream::evidence {
namespace {

TEST(TuningProblems, EachIsAListOfRecordedConfigurationsWithAndWithoutItsSource) {
  for (const TuningProblem& tuning : TuningProblems()) {
    for (uint64_t seed = 0; seed < 4; ++seed) {
      const auto problem = MakeTuningProblem(tuning, {seed, true, tuning.has_source, ""});
      ASSERT_TRUE(problem.ok()) << tuning.name << ": " << problem.status();
      ASSERT_TRUE(problem->space->has_candidates());
      EXPECT_GE(problem->space->candidates().size(), 100) << tuning.name;
      EXPECT_EQ(problem->initial.size(), 5);
      std::set<int64_t> rows;
      for (const Point& point : problem->initial) {
        EXPECT_GE(problem->RegretOf(problem->value(point)), 0) << tuning.name;
        rows.insert(*point.candidate);
      }
      EXPECT_EQ(rows.size(), 5) << tuning.name;
      EXPECT_GT(problem->best, problem->mean) << tuning.name;
      EXPECT_EQ(problem->sources.size(), tuning.has_source ? 1 : 0) << tuning.name;
      for (const auto& source : problem->sources) EXPECT_EQ(source->points.size(), 90);
    }
  }
}

TEST(TuningProblems, SplitsDifferAndSeedsOfASplitBeginElsewhere) {
  const TuningProblem& tuning = TuningProblems()[0];
  const Problem first = *MakeTuningProblem(tuning, {0, true, false, ""});
  const Problem other = *MakeTuningProblem(tuning, {1, true, false, ""});
  EXPECT_NE(first.value(first.initial[0]), other.value(other.initial[0]));
  const Problem again = *MakeTuningProblem(tuning, {0, true, false, ""});
  EXPECT_EQ(*first.initial[0].candidate, *again.initial[0].candidate);
}

TEST(TuningProblems, OneWithoutASourceSaysSo) {
  for (const TuningProblem& tuning : TuningProblems()) {
    if (tuning.has_source) continue;
    EXPECT_EQ(MakeTuningProblem(tuning, {0, true, true, ""}).status().code(),
              absl::StatusCode::kNotFound);
  }
}

}  // namespace
}  // namespace slipstream::evidence
