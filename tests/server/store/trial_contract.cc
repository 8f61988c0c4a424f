#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<int64_t> Numbers(const absl::StatusOr<std::vector<TrialRecord>>& trials) {
  std::vector<int64_t> numbers;
  for (const TrialRecord& trial : trials.value()) numbers.push_back(trial.number);
  return numbers;
}

TrialFilter Filter(int64_t after_number, int limit, std::vector<TrialState> states = {}) {
  TrialFilter filter;
  filter.after_number = after_number;
  filter.limit = limit;
  filter.states = std::move(states);
  return filter;
}

TEST_P(StoreContract, TrialsAreReadByTheirNumbersInTheOrderAskedFor) {
  const StudyRecord study = CreateWithLeases("s", 4);
  EXPECT_THAT(Numbers(store().GetTrials("s", {4, 2, 4})), ElementsAre(4, 2, 4));
  EXPECT_THAT(Numbers(store().GetTrials({"s", study.key}, {})), IsEmpty());
  EXPECT_EQ((*store().GetTrials("s", {3}))[0].configuration, "x3");
  EXPECT_THAT(store().GetTrials("s", {1, 5}).status(), IsRefusal(kNotFound, "studies/s/trials/5"));
  EXPECT_THAT(store().GetTrials({"s", study.key + 1}, {1}).status(),
              IsRefusal(kNotFound, "there is no studies/s"));
}

TEST_P(StoreContract, AnotherTrialOfTheSameNameTakesNeitherReportsNorAnOutcome) {
  CreateWithLeases("s", 1);
  const int64_t created_ms = store().GetTrial("s", 1)->create_ms;
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  clock_.Advance(absl::Milliseconds(1));
  CreateWithLeases("s", 1);
  Observe late = {"s", 1, Success(1)};
  late.create_ms = created_ms;
  TrialReports reports = {"s", 1, {{1, 0.5}}};
  reports.create_ms = created_ms;
  const auto is_told = IsRefusal(kNotFound, "studies/s/trials/1 is not the trial");
  EXPECT_THAT(ObserveTrial(store(), late).status, is_told);
  EXPECT_THAT(ReportSteps(store(), reports).status, is_told);
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
  EXPECT_EQ(store().GetTrial("s", 1)->report_count, 0);
  late.create_ms = reports.create_ms = created_ms + 1;
  EXPECT_TRUE(ReportSteps(store(), reports).ok());
  EXPECT_TRUE(ObserveTrial(store(), late).ok());
}

TEST_P(StoreContract, AnObservationEndsATrial) {
  CreateWithLeases("s", 2, "w");
  const int64_t leased_ms = clock_.NowMs();
  clock_.Advance(absl::Minutes(1));
  TrialOutcome outcome = Success(-0.1, std::string("\0m", 2));
  outcome.reason = "because";
  const auto observed = ObserveTrial(store(), {"s", 2, outcome});
  ASSERT_TRUE(observed.ok()) << observed.status;
  EXPECT_EQ(observed->state, TrialState::kSucceeded);
  EXPECT_EQ(observed->configuration, "x2");
  Reopen();
  const auto trial = store().GetTrial("s", 2);
  ASSERT_TRUE(trial.ok()) << trial.status();
  EXPECT_EQ(trial->number, 2);
  EXPECT_EQ(trial->state, TrialState::kSucceeded);
  EXPECT_TRUE(trial->suggested);
  EXPECT_EQ(trial->configuration, "x2");
  EXPECT_EQ(trial->candidate, std::nullopt);
  EXPECT_EQ(trial->worker, "w");
  EXPECT_EQ(trial->objective, -0.1);
  EXPECT_EQ(trial->measurement, outcome.measurement);
  EXPECT_EQ(trial->reason, "because");
  EXPECT_EQ(trial->create_ms, leased_ms);
  EXPECT_EQ(trial->start_ms, leased_ms);
  EXPECT_EQ(trial->end_ms, clock_.NowMs());
  EXPECT_EQ(store().GetExplainedTrial("s", 2)->provenance, "why x2");
  const auto listed = [&](int64_t after_number, int64_t last_number) {
    std::string text;
    const auto provenances = store().ListProvenances("s", after_number, last_number).value();
    for (const TrialProvenance& each : provenances) {
      absl::StrAppend(&text, each.number, "=", each.provenance, ";");
    }
    return text;
  };
  EXPECT_EQ(listed(0, 100), listed(-5, std::numeric_limits<int64_t>::max()));
  EXPECT_THAT(listed(0, 100), HasSubstr("2=why x2;"));
  EXPECT_EQ(listed(1, 2), "2=why x2;");
  EXPECT_EQ(listed(2, 2), "");
  EXPECT_EQ(listed(5, 2), "");
  EXPECT_EQ(store().GetStudy("s")->succeeded_count, 1);
}

TEST_P(StoreContract, OnlySucceededTrialsAreCountedAsSucceeded) {
  CreateWithLeases("s", 4);
  EXPECT_TRUE(ObserveTrial(store(), {"s", 1, Ending(TrialState::kFailed, "lost")}).ok());
  EXPECT_TRUE(ObserveTrial(store(), {"s", 2, Ending(TrialState::kInfeasible)}).ok());
  TrialOutcome stopped = Ending(TrialState::kStopped);
  stopped.objective = 4;
  EXPECT_TRUE(ObserveTrial(store(), {"s", 3, stopped}).ok());
  EXPECT_TRUE(ObserveTrial(store(), {"s", 4, Success(1)}).ok());
  const auto study = store().GetStudy("s");
  EXPECT_EQ(study->trial_count, 4);
  EXPECT_EQ(study->succeeded_count, 1);
  EXPECT_EQ(store().GetTrial("s", 1)->objective, std::nullopt);
  EXPECT_EQ(store().GetTrial("s", 1)->reason, "lost");
  EXPECT_EQ(store().GetTrial("s", 3)->objective, 4);
}

TEST_P(StoreContract, TheSameOutcomeAgainChangesNothing) {
  CreateWithLeases("s", 1);
  TrialOutcome outcome = Success(3);
  outcome.reason = "first";
  const auto first = ObserveTrial(store(), {"s", 1, outcome});
  clock_.Advance(absl::Minutes(1));
  outcome.reason = "second";
  const auto second = ObserveTrial(store(), {"s", 1, outcome});
  ASSERT_TRUE(second.ok()) << second.status;
  EXPECT_EQ(second->reason, "first");
  EXPECT_EQ(second->end_ms, first->end_ms);
  EXPECT_EQ(store().GetStudy("s")->succeeded_count, 1);
}

TEST_P(StoreContract, AnEndedTrialTakesNoOtherOutcome) {
  CreateWithLeases("s", 1);
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(3, "m")}).ok());
  const auto refused = [](const absl::Status& status) {
    return testing::Value(status, IsRefusal(kFailedPrecondition, "studies/s/trials/1"));
  };
  EXPECT_TRUE(refused(ObserveTrial(store(), {"s", 1, Success(4, "m")}).status));
  EXPECT_TRUE(refused(ObserveTrial(store(), {"s", 1, Success(3, "n")}).status));
  EXPECT_TRUE(refused(ObserveTrial(store(), {"s", 1, Ending(TrialState::kFailed)}).status));
  TrialOutcome stopped = Success(3, "m");
  stopped.state = TrialState::kStopped;
  EXPECT_TRUE(refused(ObserveTrial(store(), {"s", 1, stopped}).status));
  EXPECT_EQ(store().GetTrial("s", 1)->objective, 3);
  EXPECT_EQ(store().GetStudy("s")->succeeded_count, 1);
}

TEST_P(StoreContract, ATrialThatWasNeverLeasedCannotBeObserved) {
  Create("s");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok());
  EXPECT_THAT(ObserveTrial(store(), {"s", 1, Success(3)}).status,
              IsRefusal(kFailedPrecondition, "studies/s/trials/1"));
}

TEST_P(StoreContract, AnAbsentTrialIsNotFound) {
  CreateWithLeases("s", 1);
  EXPECT_THAT(ObserveTrial(store(), {"t", 1, Success(3)}).status,
              IsRefusal(kNotFound, "studies/t"));
  for (const int64_t number : {int64_t{0}, int64_t{2}, int64_t{-1}, int64_t{1} << 24,
                               (int64_t{1} << 24) + 1, std::numeric_limits<int64_t>::max()}) {
    EXPECT_THAT(ObserveTrial(store(), {"s", number, Success(3)}).status,
                IsRefusal(kNotFound, "studies/s/trials/" + std::to_string(number)));
    EXPECT_THAT(store().GetTrial("s", number).status(), HasCode(kNotFound));
    EXPECT_THAT(store().GetExplainedTrial("s", number).status(), HasCode(kNotFound));
  }
}

// The row before the first trial of the second study belongs to the first one.
TEST_P(StoreContract, TrialsOfNeighbouringStudiesDoNotMix) {
  CreateWithLeases("s", 2);
  CreateWithLeases("t", 3);
  EXPECT_THAT(Numbers(store().ListTrials("s", {})), ElementsAre(1, 2));
  EXPECT_THAT(Numbers(store().ListTrials("t", {})), ElementsAre(1, 2, 3));
  EXPECT_THAT(*store().ListTrials("s", Filter((int64_t{1} << 24) - 1, 9)), IsEmpty());
  EXPECT_THAT(*store().ListTrials("s", Filter(std::numeric_limits<int64_t>::max(), 9)), IsEmpty());
}

TEST_P(StoreContract, AnOutcomeIsValidated) {
  CreateWithLeases("s", 1);
  TrialOutcome without_number = Success(1);
  without_number.objective.reset();
  EXPECT_THAT(ObserveTrial(store(), {"s", 1, without_number}).status,
              IsRefusal(kInvalidArgument, "objective"));
  EXPECT_THAT(ObserveTrial(store(), {"s", 1, Success(std::nan(""))}).status,
              IsRefusal(kInvalidArgument, "objective"));
  EXPECT_THAT(ObserveTrial(store(), {"s", 1, Ending(TrialState::kActive)}).status,
              IsRefusal(kInvalidArgument, "state"));
  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kActive);
}

TEST_P(StoreContract, ExtremeNumbersComeBackExactly) {
  const std::vector<double> values = {-std::numeric_limits<double>::max(),
                                      std::numeric_limits<double>::denorm_min(), -0.1,
                                      std::numeric_limits<double>::infinity(), 9007199254740993.0};
  CreateWithLeases("s", static_cast<int>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto number = static_cast<int64_t>(i) + 1;
    ASSERT_TRUE(ObserveTrial(store(), {"s", number, Success(values[i])}).ok());
    EXPECT_EQ(store().GetTrial("s", number)->objective, values[i]);
    EXPECT_TRUE(ObserveTrial(store(), {"s", number, Success(values[i])}).ok());
  }
}

TEST_P(StoreContract, AddedTrialsWaitOrHaveEnded) {
  Create("s");
  NewTrial queued;
  queued.configuration = "q";
  queued.candidate = 0;
  NewTrial infeasible;
  infeasible.configuration = "i";
  infeasible.outcome = Ending(TrialState::kInfeasible, "why");
  const auto added = AddTrials(store(), "s", {queued, FinishedTrial("f", 2.5), infeasible});
  ASSERT_TRUE(added.ok()) << added.status;
  EXPECT_EQ((*added)[2].number, 3);

  EXPECT_EQ(store().GetTrial("s", 1)->state, TrialState::kRequested);
  EXPECT_EQ(store().GetTrial("s", 1)->candidate, 0);
  EXPECT_EQ(store().GetTrial("s", 1)->start_ms, std::nullopt);
  EXPECT_EQ(store().GetTrial("s", 1)->end_ms, std::nullopt);
  EXPECT_EQ(store().GetTrial("s", 2)->state, TrialState::kSucceeded);
  EXPECT_EQ(store().GetTrial("s", 2)->objective, 2.5);
  EXPECT_EQ(store().GetTrial("s", 2)->end_ms, clock_.NowMs());
  EXPECT_FALSE(store().GetTrial("s", 2)->suggested);
  EXPECT_EQ(store().GetTrial("s", 3)->reason, "why");
  EXPECT_EQ(store().GetExplainedTrial("s", 1)->provenance, "");
  EXPECT_EQ(store().ListProvenances("s", 0, 1)->size(), 0U);
  const auto study = store().GetStudy("s");
  EXPECT_EQ(study->trial_count, 3);
  EXPECT_EQ(study->succeeded_count, 1);
  EXPECT_EQ(study->suggested_count, 0);
}

TEST_P(StoreContract, AddingNoTrialsAddsNone) {
  Create("s");
  EXPECT_THAT(*AddTrials(store(), "s", {}), IsEmpty());
  EXPECT_THAT(AddTrials(store(), "t", {}).status, IsRefusal(kNotFound, "studies/t"));
}

TEST_P(StoreContract, ACompletedStudyTakesResultsAndQueuesNothing) {
  Create("s");
  StudyChange change;
  change.state = StudyState::kPaused;
  ASSERT_TRUE(UpdateStudy(store(), "s", change).ok());
  EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}).ok()) << "it may be resumed";
  change.state = StudyState::kCompleted;
  ASSERT_TRUE(UpdateStudy(store(), "s", change).ok());
  EXPECT_THAT(AddTrials(store(), "s", {FinishedTrial("x", 1), NewSuggestion("y")}).status,
              IsRefusal(kFailedPrecondition, "studies/s is COMPLETED"));
  EXPECT_EQ(store().GetStudy("s")->trial_count, 1);
  EXPECT_TRUE(AddTrials(store(), "s", {FinishedTrial("x", 1)}).ok());
}

TEST_P(StoreContract, AStudyTakesTrialsUpToItsLimit) {
  const StudyRecord study = Create("s");
  const auto most = static_cast<size_t>(options_.max_trials_per_study);
  const std::vector<NewTrial> many(most - 1, FinishedTrial("x", 1));
  ASSERT_TRUE(AddTrials(store(), "s", many).ok());
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("y"), NewSuggestion("z")}).status,
              IsRefusal(kResourceExhausted, std::to_string(most)));
  EXPECT_EQ(store().GetStudy("s")->trial_count, static_cast<int64_t>(most) - 1);
  EXPECT_TRUE(LeaseFresh(store(), study, "w", 2).ok()) << "as there is room for one";
  EXPECT_EQ(store().GetStudy("s")->trial_count, static_cast<int64_t>(most));
  EXPECT_THAT(LeaseFresh(store(), study, "w", 1), IsRefusal(kResourceExhausted, "studies/s"));
  EXPECT_THAT(AddTrials(store(), "s", {NewSuggestion("y")}).status, HasCode(kResourceExhausted));
}

TEST_P(StoreContract, TrialsAreListedByNumberStateAndPage) {
  CreateWithLeases("s", 5);
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("q"), FinishedTrial("f", 1)}).ok());
  ASSERT_TRUE(ObserveTrial(store(), {"s", 2, Ending(TrialState::kFailed)}).ok());
  ASSERT_TRUE(ObserveTrial(store(), {"s", 4, Success(1)}).ok());
  const auto list = [&](TrialFilter filter) { return Numbers(store().ListTrials("s", filter)); };
  EXPECT_THAT(list({}), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(list(Filter(0, 3)), ElementsAre(1, 2, 3));
  EXPECT_THAT(list(Filter(3, 3)), ElementsAre(4, 5, 6));
  EXPECT_THAT(list(Filter(6, 3)), ElementsAre(7));
  EXPECT_THAT(list(Filter(0, 9, {TrialState::kActive})), ElementsAre(1, 3, 5));
  EXPECT_THAT(list(Filter(1, 1, {TrialState::kActive})), ElementsAre(3));
  EXPECT_THAT(list(Filter(0, 9, {TrialState::kRequested, TrialState::kActive})),
              ElementsAre(1, 3, 5, 6));
  EXPECT_THAT(list(Filter(0, 9, {TrialState::kSucceeded, TrialState::kRequested})),
              ElementsAre(4, 6, 7));
  EXPECT_THAT(list(Filter(0, 9, {TrialState::kStopped})), IsEmpty());
}

TEST_P(StoreContract, TheBestTrialsComeFirstAndTiesGoByNumber) {
  CreateWithLeases("s", 1);
  std::vector<NewTrial> trials;
  for (const double objective : {3.0, 1.0, 2.0, 1.0, 3.0}) {
    trials.push_back(FinishedTrial("x", objective));
  }
  trials.push_back(NewSuggestion("queued"));
  ASSERT_TRUE(AddTrials(store(), "s", trials).ok());
  TrialOutcome stopped = Ending(TrialState::kStopped);
  stopped.objective = -100;
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, stopped}).ok());
  CreateWithLeases("other", 1);
  ASSERT_TRUE(ObserveTrial(store(), {"other", 1, Success(100)}).ok());
  EXPECT_THAT(Numbers(store().BestTrials("s", false, 9)), ElementsAre(3, 5, 4, 2, 6));
  EXPECT_THAT(Numbers(store().BestTrials("s", true, 9)), ElementsAre(2, 6, 4, 3, 5));
  EXPECT_THAT(Numbers(store().BestTrials("s", true, 2)), ElementsAre(2, 6));
  EXPECT_EQ((*store().BestTrials("s", false, 1))[0].configuration, "x");
}

}  // namespace
}  // namespace slipstream
