#include "tests/evidence/word_problems.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tests/evidence/random_draws.h"

namespace slipstream::evidence {
namespace {

Problem WordProblemOf(const WordProblem& problem, uint64_t seed) {
  return MakeWordProblem(problem, {seed, true, false, ""}).value();
}

// Changes one word at a time, to whichever is better.
double BestByDescent(const WordProblem& problem, const WordFunction& function,
                     std::vector<size_t> words) {
  double least = function(words);
  for (bool improved = true; improved;) {
    improved = false;
    for (size_t i = 0; i < words.size(); ++i) {
      const size_t present = words[i];
      size_t best = present;
      for (size_t word = 0; word < problem.words; ++word) {
        words[i] = word;
        if (!(function(words) < least)) continue;
        least = function(words);
        best = word;
      }
      words[i] = best;
      improved = improved || best != present;
    }
  }
  return least;
}

TEST(WordProblems, HaveMoreCombinationsThanTrials) {
  for (const WordProblem& problem : WordProblems()) {
    EXPECT_GT(std::pow(problem.words, problem.parameters), 3000) << problem.name;
  }
}

TEST(WordProblems, DescentsReachTheBestValueAndNoneIsBetter) {
  for (const WordProblem& problem : WordProblems()) {
    for (uint64_t seed = 0; seed < 3; ++seed) {
      const double best = WordProblemOf(problem, seed).best;
      const WordFunction function = WordFunctionOf(problem, seed);
      Draws draws(100 + seed);
      double least = std::numeric_limits<double>::infinity();
      for (int start = 0; start < 400; ++start) {
        std::vector<size_t> words;
        for (size_t i = 0; i < problem.parameters; ++i) words.push_back(draws.Below(problem.words));
        least = std::min(least, BestByDescent(problem, function, std::move(words)));
      }
      EXPECT_NEAR(least, best, 1e-9) << problem.name << " " << seed;
    }
  }
}

TEST(WordProblems, EverySeedIsAnotherMemberOfTheFamily) {
  for (const WordProblem& listed : WordProblems()) {
    const Problem first = WordProblemOf(listed, 0);
    const Problem other = WordProblemOf(listed, 1);
    const Configuration& configuration = first.initial.front().configuration;
    EXPECT_NE(first.value({configuration, {}}) - first.best,
              other.value({configuration, {}}) - other.best)
        << listed.name;
    EXPECT_EQ(first.initial.size(), 5) << listed.name;
    EXPECT_LT(first.best, first.mean) << listed.name;
    EXPECT_LT(first.mean, first.worst) << listed.name;
  }
}

TEST(WordProblems, HaveNoSourceTasks) {
  EXPECT_EQ(MakeWordProblem(WordProblems().front(), {0, false, true, ""}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace slipstream::evidence
