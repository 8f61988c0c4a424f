#include "tests/evidence/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/deadline.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// Records the views that it is passed and suggests the middle of the space.
class Witness final : public Strategy {
 public:
  struct Shown {
    int64_t last_trial = 0;
    int64_t suggested = 0;
    std::vector<int64_t> ended;
    std::vector<int64_t> open;
  };

  explicit Witness(bool reads_history = true) : Strategy("witness"), reads_(reads_history) {}
  const std::vector<Shown>& shown() const { return shown_; }

 private:
  absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count, uint64_t,
                                                    Deadline) const override {
    Shown shown = {view.last_trial, view.suggested, {}, {}};
    for (const EndedTrial& trial : view.ended) shown.ended.push_back(trial.number);
    for (const OpenTrial& trial : view.open) shown.open.push_back(trial.number);
    shown_.push_back(std::move(shown));
    Suggestion suggestion;
    suggestion.configuration =
        view.space->Sample(std::vector<double>(view.space->dimension(), 0.5));
    return std::vector<Suggestion>(static_cast<size_t>(count), suggestion);
  }
  bool DoReadsHistory() const override { return reads_; }

  bool reads_;
  mutable std::vector<Shown> shown_;
};

Problem Ackley(bool initial_points = true) {
  return *MakeProblem("ackley5", {1, initial_points, false, ""});
}

TEST(Study, ShowsTheViewOfAServerAfterAddedTrials) {
  const Witness witness;
  const auto evaluations = RunStudy(witness, Ackley(), {.suggestions = 2});
  ASSERT_TRUE(evaluations.ok()) << evaluations.status();
  EXPECT_THAT(*evaluations, SizeIs(7));
  ASSERT_THAT(witness.shown(), SizeIs(2));
  EXPECT_EQ(witness.shown()[0].last_trial, 5);
  EXPECT_EQ(witness.shown()[0].suggested, 0);
  EXPECT_THAT(witness.shown()[0].ended, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(witness.shown()[0].open, ElementsAre());
  EXPECT_EQ(witness.shown()[1].last_trial, 6);
  EXPECT_EQ(witness.shown()[1].suggested, 1);
  EXPECT_THAT(witness.shown()[1].ended, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Study, KeepsTrialsOfOtherWorkersPending) {
  const Witness witness;
  const auto evaluations =
      RunStudy(witness, Ackley(/*initial_points=*/false), {.suggestions = 4, .workers = 3});
  ASSERT_TRUE(evaluations.ok()) << evaluations.status();
  EXPECT_THAT(*evaluations, SizeIs(4));
  EXPECT_THAT(witness.shown()[2].open, ElementsAre(1, 2));
  EXPECT_THAT(witness.shown()[2].ended, ElementsAre());
  EXPECT_THAT(witness.shown()[3].open, ElementsAre(2, 3));
  EXPECT_THAT(witness.shown()[3].ended, ElementsAre(1));
}

TEST(Study, WorkersThatAskTogetherAreAnsweredTogether) {
  const Witness witness;
  const auto evaluations = RunStudy(witness, Ackley(/*initial_points=*/false),
                                    {.suggestions = 5, .workers = 3, .batch = 2});
  ASSERT_TRUE(evaluations.ok()) << evaluations.status();
  EXPECT_THAT(*evaluations, SizeIs(5));
  ASSERT_THAT(witness.shown(), SizeIs(3));
  EXPECT_THAT(witness.shown()[1].open, ElementsAre(2));
  EXPECT_THAT(witness.shown()[1].ended, ElementsAre(1));
  EXPECT_EQ(witness.shown()[1].suggested, 2);
  EXPECT_THAT(witness.shown()[2].open, ElementsAre(4));
  EXPECT_EQ(evaluations->back().suggestion, 5);
}

TEST(Study, HidesTheHistoryFromAStrategyThatDoesNotReadIt) {
  const Witness witness(/*reads_history=*/false);
  ASSERT_TRUE(RunStudy(witness, Ackley(), {.suggestions = 1}).ok());
  EXPECT_EQ(witness.shown()[0].last_trial, 5);
  EXPECT_THAT(witness.shown()[0].ended, ElementsAre());
}

TEST(Study, RegretIsThatOfTheBestSoFar) {
  const Problem problem = Ackley();
  const auto evaluations = RunStudy(Witness(), problem, {.suggestions = 3});
  ASSERT_TRUE(evaluations.ok());
  double best = (*evaluations)[0].value;
  for (const Evaluation& evaluation : *evaluations) {
    best = std::min(best, evaluation.value);
    EXPECT_EQ(evaluation.regret, best - problem.best);
  }
}

TEST(Study, NoiseIsSeenByTheStudyButNotByTheRegret) {
  const Problem problem = *MakeProblem("branin_noisy", {1, false, false, ""});
  const auto evaluations = RunStudy(Witness(), problem, {.suggestions = 200});
  ASSERT_TRUE(evaluations.ok());
  double mean = 0;
  double square = 0;
  for (const Evaluation& evaluation : *evaluations) {
    const double noise = evaluation.value - problem.value(evaluation.point);
    mean += noise / 200;
    square += noise * noise / 200;
    EXPECT_EQ(evaluation.regret, evaluations->front().regret);
  }
  EXPECT_NEAR(mean, 0, 0.25);
  EXPECT_NEAR(square, 1, 0.4);
}

TEST(Study, TrialsWithoutAValueDoNotChangeTheRegret) {
  Problem problem = Ackley();
  problem.failure_rate = 0.3;
  const auto evaluations = RunStudy(Witness(), problem, {.suggestions = 200});
  ASSERT_TRUE(evaluations.ok());
  int failures = 0;
  double best = std::numeric_limits<double>::infinity();
  for (const Evaluation& evaluation : *evaluations) {
    EXPECT_EQ(std::isnan(evaluation.value), std::isnan(evaluation.own_regret));
    failures += std::isnan(evaluation.value) ? 1 : 0;
    if (!std::isnan(evaluation.value)) best = std::min(best, evaluation.own_regret);
    EXPECT_EQ(evaluation.regret, best);
  }
  EXPECT_NEAR(failures, 60, 25);
}

TEST(Study, SeedsDifferByProblemAndByNumber) {
  EXPECT_EQ(StudySeed("branin", 1), StudySeed("branin", 1));
  EXPECT_NE(StudySeed("branin", 1), StudySeed("branin", 2));
  EXPECT_NE(StudySeed("branin", 1), StudySeed("h1", 1));
}

TEST(Study, ASuggestionWithoutItsCandidateIsAnError) {
  Problem problem = Ackley();
  const std::vector<Parameter> parameters = {{"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}}};
  SearchSpace::CandidateTable candidates;
  candidates.rows = {{{"x", 0.5}}, {{"x", 1.0}}};
  problem.space = std::make_shared<const SearchSpace>(*SearchSpace::Create(parameters, candidates));
  problem.initial.clear();
  EXPECT_EQ(RunStudy(Witness(), problem, {}).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace slipstream::evidence
