#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

#include "tests/evidence/branch_regrets.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {
namespace {

TEST(MixedDevelopment, TheBestOfFourBranchesLooksWorst) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = MakeProblem("four_branches", {seed, false, false, ""});
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_GT(MedianRegretInBestBranch(*problem), 1.3 * MedianRegretInOtherBranches(*problem))
        << seed;
  }
}

TEST(MixedDevelopment, OrdinalStepsAreSteps) {
  const auto problem = MakeProblem("ordinal_steps", {3, true, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  for (const Point& point : problem->initial) {
    const double steps = problem->value(point) / 0.04;
    EXPECT_NEAR(steps, std::round(steps), 1e-9);
  }
}

TEST(MixedDevelopment, OneOfAHundredWordsIsBest) {
  const auto problem = MakeProblem("hundred_words", {0, true, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_EQ(problem->space->parameters()[*problem->branch].name, "word");
  EXPECT_GT(MedianRegretInOtherBranches(*problem), MedianRegretInBestBranch(*problem));
}

TEST(MixedDevelopment, OneCategoryIsGoodWhereverTheNumbersAre) {
  const auto problem = MakeProblem("flat_choice", {0, true, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  int flat = 0;
  for (int64_t word = 0; word < 6; ++word) {
    std::set<double> values;
    for (Point point : problem->initial) {
      point.configuration.values[0] = Value::Level(word);
      values.insert(problem->value(point));
    }
    flat += values == std::set<double>{0.3} ? 1 : 0;
  }
  EXPECT_EQ(flat, 1);
}

TEST(MixedDevelopment, NothingChangesAlongTheEdge) {
  const auto problem = MakeProblem("flat_edge", {0, true, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  for (Point point : problem->initial) {
    point.configuration.values[1] = Value::Double(0);
    EXPECT_EQ(problem->value(point), 1);
  }
}

TEST(MixedDevelopment, OneChoiceOfNineMatters) {
  const auto problem = MakeProblem("fifty_beside_eight", {0, true, false, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  const Configuration& word = problem->initial.front().configuration;
  for (Point point : problem->initial) {
    point.configuration.values[0] = word.values[0];
    EXPECT_EQ(problem->value(point), problem->value(problem->initial.front()));
  }
}

TEST(MixedDevelopment, ASwitchMattersOnlyWithTheRightChoice) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const auto problem = MakeProblem("hidden_switch", {seed, true, false, ""});
    ASSERT_TRUE(problem.ok()) << problem.status();
    // How many of the switches change the value.
    const auto matter = [&](const Configuration& at) {
      int count = 0;
      for (size_t i = 0; i < at.values.size(); ++i) {
        if (at.values[i].kind() != Value::Kind::kBoolean) continue;
        Point flipped{at, {}};
        flipped.configuration.values[i] = Value::Boolean(!at.values[i].boolean());
        count += problem->value(flipped) != problem->value({at, {}}) ? 1 : 0;
      }
      return count;
    };
    for (const Point& point : problem->initial) {
      Configuration at = point.configuration;
      at.values[*problem->branch] = problem->best_branches[0];
      EXPECT_EQ(matter(at), 1) << seed;
      at.values[*problem->branch] =
          Value::Level(problem->best_branches[0].level() == 0 ? 1 : 0);
      EXPECT_EQ(matter(at), 0) << seed;
    }
  }
}

}  // namespace
}  // namespace slipstream::evidence
