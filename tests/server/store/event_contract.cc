// The contract of events: one for each change that was committed.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/event_rules.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string TextOf(const EventRecord& event) {
  const char* const kinds[] = {"?",      "created",  "changed",   "deleted",
                               "queued", "leased",   "reported",  "ended",
                               "stale",  "released", "withdrawn", "improved"};
  std::string text = kinds[static_cast<int>(event.kind)];
  if (event.number > 0) absl::StrAppend(&text, " ", event.number);
  if (event.value.has_value()) absl::StrAppend(&text, " ", *event.value);
  if (!event.detail.empty()) absl::StrAppend(&text, " ", event.detail);
  return text;
}

// The events after `*last`, which moves on.
std::vector<std::string> News(Store& store, int64_t* last) {
  std::vector<std::string> texts;
  const auto page = store.ListEvents(*last, 1000);
  EXPECT_TRUE(page.ok()) << page.status();
  for (const EventRecord& event : page->events) {
    EXPECT_EQ(event.sequence, *last + 1);
    *last = event.sequence;
    texts.push_back(TextOf(event));
  }
  return texts;
}

TEST_P(StoreContract, EachChangeIsAnEvent) {
  int64_t last = 0;
  NewStudy created = StudyNamed("s");
  created.lease = {.duration_ms = 1'000, .max_requeues = 1};
  const StudyRecord study = *CreateStudy(store(), created);
  EXPECT_THAT(News(store(), &last), ElementsAre("created s"));
  ASSERT_TRUE(LeaseFresh(store(), study, "w", 2).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("leased 1 w", "leased 2 w"));
  ASSERT_TRUE(ReportSteps(store(), {"s", 1, {{1, 0.5}}}).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("reported 1 0.5"));
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(2)}).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("ended 1 2", "improved 1 2"));
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(2)}).ok());
  EXPECT_THAT(News(store(), &last), IsEmpty()) << "a repeat changes nothing";
  EXPECT_FALSE(ObserveTrial(store(), {"s", 1, Success(3)}).ok());
  EXPECT_THAT(News(store(), &last), IsEmpty()) << "a refusal changes nothing";
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(SweepLeases(store()).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("stale 2 w", "queued 3"));
  ASSERT_TRUE(ObserveTrial(store(), {"s", 2, Success(3)}).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("ended 2 3", "withdrawn 3"));
  ASSERT_TRUE(AddTrials(store(), "s", {NewSuggestion("q"), FinishedTrial("x", 1)}).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("queued 4", "ended 5 1", "improved 5 1"));
  StudyChange pause;
  pause.state = StudyState::kPaused;
  ASSERT_TRUE(UpdateStudy(store(), "s", pause).ok());
  ASSERT_TRUE(UpdateStudy(store(), "s", pause).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("changed 2 s"));
  Reopen();
  ASSERT_TRUE(DeleteStudy(store(), "s").ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("deleted s"));
  EXPECT_FALSE(store().FindStudyId(study.key)->has_value());
}

TEST_P(StoreContract, ReleasedTrialsAndTheGoalShowInTheEvents) {
  const StudyRecord study = CreateWithLeases("s", 2);
  int64_t last = store().ListEvents(0, 1)->last_sequence;
  ASSERT_TRUE(ReleaseTrials(store(), {"s", "worker", {2}}).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("released 2"));
  ASSERT_TRUE(AddTrials(store(), "s", {FinishedTrial("x", 1)}).ok());
  (void)News(store(), &last);
  ASSERT_TRUE(ObserveTrial(store(), {"s", 1, Success(2), /*maximize=*/true}).ok());
  EXPECT_THAT(News(store(), &last), ElementsAre("ended 1 2", "improved 1 2"));
  EXPECT_EQ(*store().FindStudyId(study.key), "s");
}

TEST_P(StoreContract, ABoundedNumberOfEventsIsKept) {
  const int writes = static_cast<int>(rules::kKeptEvents / 1000) + 10;
  options_.max_trials_per_study = 1'000'000;
  Reopen();
  Create("s");
  for (int i = 0; i < writes; ++i) {
    ASSERT_TRUE(AddTrials(store(), "s", std::vector<NewTrial>(1000, NewSuggestion("x"))).ok());
  }
  const EventPage page = *store().ListEvents(0, 1);
  EXPECT_GE(page.last_sequence, rules::kKeptEvents + 5'000);
  EXPECT_GT(page.first_sequence, 1);
  EXPECT_GE(page.last_sequence - page.first_sequence + 1, rules::kKeptEvents);
  EXPECT_LT(page.last_sequence - page.first_sequence, rules::kKeptEvents + 3'000);
}

}  // namespace
}  // namespace slipstream
