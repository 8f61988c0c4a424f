#include "tests/e2e/histories/recorded_call.h"

#include <gtest/gtest.h>

#include "tests/e2e/histories/hand_made_history.h"
#include "tests/e2e/messages.h"

namespace slipstream::histories {
namespace {

TEST(RecordedCall, ASightHasWhatTheAnswerShows) {
  v1::Trial trial;
  trial.set_name("studies/s/trials/7");
  trial.set_state(v1::Trial::SUCCEEDED);
  trial.set_worker("w");
  trial.set_requeue_of("studies/s/trials/3");
  trial.set_note("n");
  trial.set_last_step(4);
  trial.set_report_count(1);
  *trial.mutable_configuration() = ExampleConfiguration();
  *trial.mutable_measurement() = LossOutcome(2).measurement();
  const TrialSight whole = SightOf(trial, Shown::kWhole);
  EXPECT_EQ(whole.number, 7);
  EXPECT_EQ(whole.state, v1::Trial::SUCCEEDED);
  EXPECT_EQ(whole.worker, "w");
  EXPECT_EQ(whole.objective, 2);
  EXPECT_EQ(whole.first, 3);
  EXPECT_EQ(whole.next, 0);
  EXPECT_EQ(whole.last_step, 4);
  EXPECT_EQ(whole.last_value, std::nullopt);
  EXPECT_EQ(whole.note, "n");
  EXPECT_EQ(whole.configuration, TextOf(ExampleConfiguration()));
  EXPECT_EQ(SightOf(trial, Shown::kLeased).note, std::nullopt);
  EXPECT_EQ(SightOf(trial, Shown::kOutline).configuration, std::nullopt);
}

TEST(RecordedCall, ConfigurationsHaveOneText) {
  EXPECT_EQ(TextOf(ExampleConfiguration(0.5)), TextOf(ExampleConfiguration(0.5)));
  EXPECT_NE(TextOf(ExampleConfiguration(0.5)), TextOf(ExampleConfiguration(0.25)));
}

TEST(RecordedCall, RequestsSayWhatTheCallAsksFor) {
  const std::string study = "studies/s";
  const v1::SuggestRequest ask = SuggestRequestOf(SuggestFrom(0, 1, "a", {1, 2}), study);
  EXPECT_EQ(ask.worker(), "a");
  EXPECT_EQ(ask.count(), 2);
  const v1::ObserveRequest tell = ObserveRequestOf(ObserveFrom(0, 1, "a", 3, 5), study);
  EXPECT_EQ(tell.trial(), "studies/s/trials/3");
  EXPECT_EQ(tell.outcome().measurement().metrics().at("loss"), 5);
  Call stopped = ObserveFrom(0, 1, "a", 3, 5);
  stopped.outcome = v1::Trial::STOPPED;
  EXPECT_EQ(ObserveRequestOf(stopped, study).outcome().early_stop().measurement().metrics_size(),
            1);
  stopped.outcome = v1::Trial::FAILED;
  EXPECT_TRUE(ObserveRequestOf(stopped, study).outcome().has_failure());
  stopped.outcome = v1::Trial::INFEASIBLE;
  EXPECT_TRUE(ObserveRequestOf(stopped, study).outcome().has_infeasibility());
  EXPECT_EQ(ReleaseRequestOf(ReleaseFrom(0, 1, "a", 3), study).trials(0), "studies/s/trials/3");
  EXPECT_EQ(HeartbeatRequestOf(HeartbeatFrom(0, 1, "a", 3, true), study).worker(), "a");
  EXPECT_EQ(ReportRequestOf(ReportFrom(0, 1, 3, 9, 5, 1), study).reports(0).step(), 9);
  EXPECT_EQ(UpdateRequestOf(UpdateFrom(0, 1, Queued(3), "n"), study).trial().note(), "n");
  Call added = AddFrom(0, 1, 1, "");
  EXPECT_FALSE(AddRequestOf(added, study, 0.5).observations(0).has_outcome());
  EXPECT_EQ(added.configuration, TextOf(ExampleConfiguration(0.5)));
}

TEST(RecordedCall, ABadNameOfATrialIsAnError) {
  EXPECT_EQ(NumberOf(""), 0);
  EXPECT_THROW(NumberOf("studies/s/trials/x"), std::runtime_error);
}

}  // namespace
}  // namespace slipstream::histories
