#include <string>

#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

const RequestGuard kGuard = {"request", "fingerprint"};
const RequestGuard kOtherContent = {"request", "another fingerprint"};

TEST_P(StoreContract, ObserveIsIdempotentForARepeatedRequestId) {
  CreateWithLeases("s", 1);
  const auto first = ObserveTrial(store(), {"s", 1, Success(1)}, kGuard, "first");
  ASSERT_TRUE(first.ok()) << first.status;
  EXPECT_FALSE(first.earlier.has_value());
  for (int round = 0; round < 2; ++round) {
    const auto repeat = ObserveTrial(store(), {"s", 1, Success(1)}, kGuard, "second");
    ASSERT_TRUE(repeat.ok()) << repeat.status;
    EXPECT_EQ(repeat.earlier, "first");
    EXPECT_EQ(*store().FindAnswer(kGuard), "first");
    Reopen();
  }
}

TEST_P(StoreContract, ARepeatWritesNothing) {
  Create("s");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, kGuard, "first").ok());
  EXPECT_EQ(AddTrials(store(), "s", {NewSuggestion("x")}, kGuard).earlier, "first");
  EXPECT_EQ(store().GetStudy("s")->trial_count, 1);
}

TEST_P(StoreContract, ARepeatGetsTheFirstAnswerWhateverHasHappenedSince) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s"), kGuard, "created").ok());
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_EQ(CreateStudy(store(), StudyNamed("s"), kGuard).earlier, "created");
  EXPECT_THAT(store().GetStudy("s").status(), HasCode(kNotFound));
}

TEST_P(StoreContract, EveryVerbRemembersItsAnswer) {
  const auto guard = [](const std::string& id) { return RequestGuard{id, "f"}; };
  StudyChange change;
  change.display_name = "n";
  for (int round = 0; round < 2; ++round) {
    const auto a = RegisterSourceTask(store(), SourceTaskNamed("t"), guard("a"), "A");
    const auto b = CreateStudy(store(), StudyNamed("s"), guard("b"), "B");
    const auto c = UpdateStudy(store(), "s", change, guard("c"), "C");
    const auto d = AddTrials(store(), "s", {NewSuggestion("x")}, guard("d"), "D");
    const auto e = DeleteStudy(store(), "s", guard("e"), "E");
    const auto f = DeleteSourceTask(store(), "t", guard("f"), "F");
    EXPECT_TRUE(a.ok() && b.ok() && c.ok() && d.ok() && e.ok() && f.ok());
    if (round == 0) continue;
    EXPECT_EQ(a.earlier, "A");
    EXPECT_EQ(b.earlier, "B");
    EXPECT_EQ(c.earlier, "C");
    EXPECT_EQ(d.earlier, "D");
    EXPECT_EQ(e.earlier, "E");
    EXPECT_EQ(f.earlier, "F");
  }
}

TEST_P(StoreContract, ARequestIdWithOtherContentIsRefused) {
  CreateWithLeases("s", 2);
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(1)}, kGuard).ok());
  EXPECT_THAT(ObserveTrial(store(), {"s", 2, Success(1)}, kOtherContent).status,
              IsRefusal(kInvalidArgument, "request_id"));
  EXPECT_THAT(store().FindAnswer(kOtherContent).status(),
              IsRefusal(kInvalidArgument, "request_id"));
  EXPECT_EQ(store().GetTrial("s", 2)->state, TrialState::kActive);
}

TEST_P(StoreContract, ARefusalIsNotRemembered) {
  CreateWithLeases("s", 1);
  EXPECT_THAT(ObserveTrial(store(), {"s", 2, Success(1)}, kGuard).status, HasCode(kNotFound));
  EXPECT_EQ(*store().FindAnswer(kGuard), std::nullopt);
  ASSERT_TRUE(LeaseFresh(store(), *store().GetStudy("s"), "w", 1).ok());
  const auto now = ObserveTrial(store(), {"s", 2, Success(1)}, kGuard);
  EXPECT_TRUE(now.ok()) << now.status;
  EXPECT_FALSE(now.earlier.has_value());
}

TEST_P(StoreContract, AnswersWithoutARequestIdAreNotRemembered) {
  Create("s");
  EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"", "f"}).ok());
  EXPECT_FALSE(AddTrials(store(), "s", {NewSuggestion("x")}, {"", "f"}).earlier.has_value());
  EXPECT_EQ(store().GetStudy("s")->trial_count, 2);
  EXPECT_EQ(*store().FindAnswer({"", "f"}), std::nullopt);
}

TEST_P(StoreContract, AnEmptyAnswerIsAnAnswer) {
  ASSERT_TRUE(CreateStudy(store(), StudyNamed("s"), {"r", ""}, "").ok());
  EXPECT_EQ(CreateStudy(store(), StudyNamed("s"), {"r", ""}).earlier, "");
  EXPECT_EQ(*store().FindAnswer({"r", ""}), "");
}

TEST_P(StoreContract, AnAnswerLivesForOneRetention) {
  Create("s");
  // At whatever point of a generation it is remembered.
  for (const double part : {0.0, 0.3, 0.99}) {
    clock_.Advance(options_.retention * part);
    const RequestGuard guard = {"at " + std::to_string(part), "f"};
    ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, guard).ok());
    clock_.Advance(options_.retention - absl::Milliseconds(1));
    EXPECT_EQ(*store().FindAnswer(guard), "answer");
    EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, guard).earlier.has_value());
  }
}

TEST_P(StoreContract, AnAnswerIsGoneAfterTwoRetentions) {
  Create("s");
  const int64_t before = store().GetStudy("s")->trial_count;
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, kGuard).ok());
  clock_.Advance(2 * options_.retention);
  EXPECT_EQ(*store().FindAnswer(kGuard), std::nullopt);
  EXPECT_FALSE(AddTrials(store(), "s", {NewSuggestion("x")}, kOtherContent).earlier.has_value());
  EXPECT_EQ(store().GetStudy("s")->trial_count, before + 2);
}

// The second write comes late in the generation of the first one.
TEST_P(StoreContract, AQuietTimeDoesNotProlongAnAnswersLife) {
  Create("s");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, kGuard).ok());
  clock_.Advance(options_.retention * 1.9);
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"late", "f"}).ok());
  clock_.Advance(options_.retention * 0.1);
  EXPECT_EQ(*store().FindAnswer(kGuard), std::nullopt);
  EXPECT_EQ(*store().FindAnswer({"late", "f"}), "answer");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"later", "f"}).ok());
  EXPECT_EQ(*store().FindAnswer(kGuard), std::nullopt);
  EXPECT_EQ(*store().FindAnswer({"late", "f"}), "answer");
}

TEST_P(StoreContract, AnswersOutliveRestartsInBothGenerations) {
  Create("s");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"old", "f"}).ok());
  clock_.Advance(options_.retention * 0.9);
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"middle", "f"}).ok());
  clock_.Advance(options_.retention * 0.9);
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"new", "f"}).ok());
  Reopen();
  EXPECT_EQ(*store().FindAnswer({"middle", "f"}), "answer");
  EXPECT_EQ(*store().FindAnswer({"new", "f"}), "answer");
  EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"middle", "f"}).earlier.has_value());
}

// By reads as well as by writes, whichever come first.
TEST_P(StoreContract, AClockThatIsSetMakesNoAnswerOlderOrYounger) {
  Create("s");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, kGuard).ok());
  for (const int retentions : {100, -300, 50}) {
    clock_.Set(retentions * options_.retention);
    EXPECT_EQ(*store().FindAnswer(kGuard), "answer");
    EXPECT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, kGuard).earlier.has_value());
    EXPECT_EQ(*store().FindAnswer(kGuard), "answer");
    clock_.Advance(options_.retention * 0.3);
    EXPECT_EQ(*store().FindAnswer(kGuard), "answer");
  }
  clock_.Advance(options_.retention * 1.1);
  clock_.Set(-options_.retention);
  EXPECT_EQ(*store().FindAnswer(kGuard), std::nullopt);
}

TEST_P(StoreContract, AClockThatIsSetBackLosesNoAnswers) {
  Create("s");
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, kGuard).ok());
  clock_.Advance(-options_.retention * 100);
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("x")}, {"back", "f"}).ok());
  EXPECT_EQ(*store().FindAnswer(kGuard), "answer");
  clock_.Advance(options_.retention * 0.99);
  EXPECT_EQ(*store().FindAnswer({"back", "f"}), "answer");
  // They do not live until the clock is back at its old time.
  clock_.Advance(options_.retention * 2);
  EXPECT_EQ(*store().FindAnswer({"back", "f"}), std::nullopt);
}

}  // namespace
}  // namespace slipstream
