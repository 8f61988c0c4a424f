// What ensembles of sources' and the target's models make of a whole study.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/base/deadline.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/fitted_model.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

FakeStudy StudyAfter(int results, int sources) {
  FakeStudy study(SquareSpace());
  for (int i = 0; i < sources; ++i) {
    study.sources.push_back(BowlSource(absl::StrCat("sourceTasks/", i), 0.3 + 0.02 * i, 0.6, 12,
                                       static_cast<uint64_t>(i) + 1));
  }
  for (int i = 0; i < results; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
    study.End(Ending::kMeasured, BowlValueAt(*study.space, study.open.front().configuration, 0.1));
  }
  return study;
}

void Fail(FakeStudy& study, int trials) {
  for (int i = 0; i < trials; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
    study.End(Ending::kFailed);
  }
}

TEST(Ensembles, RmGpsBoundAndItsWeightsAreOfOneRound) {
  FakeStudy study = StudyAfter(9, 3);
  Fail(study, 6);
  const Suggestion next = MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0];
  EXPECT_EQ(NumberFact(next, "rounds"), 5) << "the first has the five initial results";
  const FittedModel fitted(RecipeOf("rm_gp_ucb"), study, 5);
  EXPECT_EQ(fitted.model().round(), 5);
  PointMatrix at(1, 2);
  at << next.configuration.values[0].number(), next.configuration.values[1].number();
  const Predictions there = fitted.surrogate().Predict(at);
  EXPECT_NEAR(NumberFact(next, "acquisition_value"),
              there.mean[0] + std::sqrt(0.2 * 2 * std::log(2 * 5.0)) * std::sqrt(there.variance[0]),
              1e-9);
}

TEST(Ensembles, APendingTrialMakesNoRoundOfRmGp) {
  FakeStudy study = StudyAfter(7, 3);
  const Suggestion before = MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0];
  study.Lease(MustSuggest("quasi_random", study.view(), 3, 5));
  const Suggestion beside = MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0];
  EXPECT_EQ(NumberFact(before, "rounds"), 3);
  EXPECT_EQ(NumberFact(beside, "rounds"), 3);
  EXPECT_EQ(NumberFact(before, "nu"), NumberFact(beside, "nu"));
}

// Results that people add, all of different configurations.
void AddResults(FakeStudy& study, int results) {
  for (int i = 0; i < results; ++i) {
    const int place = static_cast<int>(study.last_trial) + 1;
    study.Queue(MustSuggest("quasi_random", study.view(), place, 5).back().configuration);
    study.EndAt(study.open.size() - 1, Ending::kMeasured,
                BowlValueAt(*study.space, study.open.back().configuration, 0.1));
  }
}

TEST(Ensembles, WhatPeopleAddBeforeTheFirstSuggestionIsPartOfTheStart) {
  FakeStudy study = StudyAfter(0, 3);
  AddResults(study, 12);
  EXPECT_EQ(NumberFact(MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0], "rounds"), 1);
  EXPECT_GT(NumberFact(MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0], "nu"), 0.1);
  const Suggestion first = MustSuggest("cmbo_wss_wss", study.view(), 1, 5)[0];
  EXPECT_FALSE(HasFact(first, "cluster_distances")) << "weights are equal at first";
  study.Lease({first});
  study.End(Ending::kMeasured, BowlValueAt(*study.space, first.configuration, 0.1));
  AddResults(study, 2);
  EXPECT_EQ(NumberFact(MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0], "rounds"), 4);
  EXPECT_TRUE(HasFact(MustSuggest("cmbo_wss_wss", study.view(), 1, 5)[0], "cluster_distances"));
}

TEST(Ensembles, AllThatWorkersGotAtOnceAtTheStartIsPartOfIt) {
  FakeStudy study = StudyAfter(0, 3);
  study.Lease(MustSuggest("rm_gp_ucb", study.view(), 12, 5));
  const auto end_next = [&study] {
    study.End(Ending::kMeasured, BowlValueAt(*study.space, study.open.front().configuration, 0.1));
  };
  while (study.open.size() > 2) end_next();
  const Suggestion first = MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0];
  EXPECT_EQ(NumberFact(first, "rounds"), 1);
  study.Lease({first});
  while (!study.open.empty()) end_next();
  EXPECT_EQ(NumberFact(MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0], "rounds"), 2);
}

TEST(Ensembles, TheFirstRoundOfRmGpIsThatOfTheFirstModelHoweverFewPointsDiffer) {
  FakeStudy study = StudyAfter(4, 3);
  study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
  study.open.front().configuration = study.ended.front().configuration;
  study.End(Ending::kMeasured, *study.ended.front().value + 0.01);
  EXPECT_EQ(NumberFact(MustSuggest("rm_gp_ucb", study.view(), 1, 5)[0], "rounds"), 1);
}

TEST(Ensembles, RgpeWeighsAllSourcesUnlessTold) {
  const FakeStudy study = StudyAfter(6, 14);
  EXPECT_FALSE(HasFact(MustSuggest("rgpe", study.view(), 1, 5)[0], "screened"));
  const auto told = *MakeStrategy(*FindPreset("rgpe"), {.options = {{"rgpe_sources", 10}}});
  const auto next = told->Suggest(study.view(), 1, 5, Deadline::Infinite());
  EXPECT_EQ(TextFact(next->front(), "screened"), "the 10 of 14 sources that rank the results best");
}

}  // namespace
}  // namespace slipstream
