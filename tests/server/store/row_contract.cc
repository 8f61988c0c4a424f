#include "tests/server/store/row_contract.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"

namespace slipstream {

void RowContract::Commit(const std::function<void(RowTransaction&)>& body) {
  const TransactionEnd end = database_->Transact([&](RowTransaction& rows) {
    body(rows);
    return absl::OkStatus();
  });
  EXPECT_TRUE(end.status.ok()) << end.status;
  EXPECT_FALSE(end.rolled_back);
}

void RowContract::RollBack(const std::function<void(RowTransaction&)>& body) {
  const TransactionEnd end = database_->Transact([&](RowTransaction& rows) {
    body(rows);
    EXPECT_FALSE(rows.failed());
    return absl::CancelledError("rolled back");
  });
  EXPECT_THAT(end.status, HasCode(absl::StatusCode::kCancelled));
  EXPECT_TRUE(end.rolled_back);
}

void RowContract::ExpectFailure(const std::function<absl::Status(RowTransaction&)>& operation) {
  const TransactionEnd end = database_->Transact([&](RowTransaction& rows) {
    EXPECT_FALSE(rows.failed());
    absl::Status status = operation(rows);
    EXPECT_TRUE(rows.failed());
    return status;
  });
  EXPECT_FALSE(end.status.ok());
  EXPECT_TRUE(end.rolled_back);
}

void RowContract::Reopen() {
  database_.reset();
  database_ = Open();
}

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string TextOf(const StudyRecord& study) {
  return absl::StrCat(study.id, " ", study.definition, " ", study.display_name, " ", study.labels,
                      " ", static_cast<int>(study.state), " ", study.create_ms, " ",
                      study.update_ms, " ", study.trial_count, " ", study.succeeded_count, " ",
                      study.suggested_count, " ", study.late_count, " ", study.lease.duration_ms,
                      " ", study.lease.max_requeues, " ", study.best.value_or(-1));
}

std::string TextOf(const TrialRecord& trial) {
  return absl::StrCat(trial.number, " ", static_cast<int>(trial.state), " ", trial.suggested, " ",
                      trial.configuration, " ", trial.candidate.value_or(-1), " ", trial.worker,
                      " ", trial.objective.value_or(-1), " ", trial.measurement, " ", trial.reason,
                      " ", trial.create_ms, " ", trial.start_ms.value_or(-1), " ",
                      trial.end_ms.value_or(-1), " ", trial.lease_end.value_or(-1), " ",
                      trial.requeue_of, " ", trial.requeued_as, " ", trial.requeues, " ",
                      trial.process.host, " ", trial.process.id, " ", trial.report_count, " ",
                      trial.last_step.value_or(-1), " ", trial.last_value.value_or(-1), " ",
                      trial.labels, " ", trial.note);
}

// Appends the text of each record that `list`, a StatusOr, has.
template <typename List, typename TextOfRecord>
void AppendAll(const List& list, TextOfRecord text_of, std::string* text) {
  ASSERT_TRUE(list.ok()) << list.status();
  for (const auto& record : *list) absl::StrAppend(text, text_of(record), "\n");
}

std::string DumpStudies(RowSnapshot& rows) {
  const auto same = [](const std::string& id) { return id; };
  std::string text;
  const auto studies = rows.ListStudies({0, 100});
  for (const StudyRecord& study : *studies) {
    absl::StrAppend(&text, TextOf(rows.FindStudy(study.id)->value()), "\n");
    absl::StrAppend(&text, rows.FindCandidates(study.key)->value_or("none"), "\n");
    AppendAll(rows.ListStudySources(study.key), same, &text);
    AppendAll(
        rows.ListTrials(study.key, {}), [](const TrialRecord& trial) { return TextOf(trial); },
        &text);
    AppendAll(
        rows.ListProvenances(study.key, 0, 100),
        [](const TrialProvenance& each) { return each.provenance; }, &text);
    AppendAll(
        rows.ListReports(study.key, 0, 100, 100),
        [](const ReportRecord& each) {
          return absl::StrCat(each.number, ": ", each.report.step, " ", each.report.value);
        },
        &text);
  }
  return text;
}

std::string DumpSourceTasks(RowSnapshot& rows) {
  const auto same = [](const std::string& chunk) { return chunk; };
  std::string text;
  const auto tasks = rows.ListSourceTasks({0, 100});
  for (const SourceTaskRecord& task : *tasks) {
    const auto whole = rows.FindSourceTask(task.id);
    absl::StrAppend(&text, task.id, " ", (*whole)->definition, " ", task.observation_count, " ",
                    task.measured_count, " ", task.create_ms, " ", task.study_count, "\n");
    AppendAll(rows.ListSourceChunks(task.key), same, &text);
  }
  return text;
}

StudyRecord NewRecord(const std::string& id, RowTransaction& rows) {
  StudyRecord study;
  study.id = id;
  study.definition = "definition of " + id;
  study.create_ms = study.update_ms = rows.now_ms();
  return study;
}

SourceTaskRecord NewSourceRecord(const std::string& id, RowTransaction& rows) {
  SourceTaskRecord task;
  task.id = id;
  task.definition = "definition of " + id;
  task.observation_count = 7;
  task.measured_count = 5;
  task.create_ms = rows.now_ms();
  return task;
}

TrialRecord RequestedTrial(int64_t number) {
  TrialRecord trial;
  trial.number = number;
  trial.state = TrialState::kRequested;
  trial.configuration = absl::StrCat("x", number);
  trial.candidate = number;
  return trial;
}

// Inserts source task "t" and study "s", which uses it and has two trials.
void InsertOfEach(RowTransaction& rows) {
  const auto task = rows.InsertSourceTask(NewSourceRecord("t", rows), 23);
  ASSERT_TRUE(task.ok()) << task.status();
  EXPECT_TRUE(rows.InsertSourceChunks(*task, 0, {"chunk 0", "chunk 1"}).ok());
  const auto study = rows.InsertStudy(NewRecord("s", rows), "candidates", {*task});
  ASSERT_TRUE(study.ok()) << study.status();
  std::optional<StudyHead> head = *rows.FindStudyHead("s");
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->create_ms, NewRecord("s", rows).create_ms);
  head->trial_count = 2;
  EXPECT_TRUE(rows.UpdateCounts(*head).ok());
  EXPECT_TRUE(rows.InsertTrial(*study, RequestedTrial(1), "why 1").ok());
  EXPECT_TRUE(rows.InsertTrial(*study, RequestedTrial(2), "").ok());
}

void InsertOfEachAndAnswer(RowTransaction& rows) {
  InsertOfEach(rows);
  EXPECT_TRUE(rows.InsertAnswer("r", {"f", "answer"}, "p").ok());
}

void AppendEvents(RowTransaction& rows, int count) {
  EventRecord event;
  event.kind = EventKind::kTrialEnded;
  event.study_key = 7;
  event.number = 3;
  event.value = 0.5;
  event.detail = "worker";
  int64_t last = 0;
  for (int i = 0; i < count; ++i) {
    event.time_ms = 100 + i;
    const auto sequence = rows.AppendEvent(event);
    ASSERT_TRUE(sequence.ok()) << sequence.status();
    EXPECT_GT(*sequence, last);
    last = *sequence;
  }
}

// Changes all that InsertOfEach has inserted.
void UpdateEach(RowTransaction& rows) {
  StudyRecord study = **rows.FindStudy("s");
  study.state = StudyState::kPaused;
  study.display_name = "name";
  study.labels = "labels";
  study.update_ms = 12;
  study.lease = {15, 16};
  EXPECT_TRUE(rows.UpdateStudy(study).ok());
  EXPECT_TRUE(rows.UpdateTime(study.key, 13).ok());
  EXPECT_TRUE(rows.UpdateCounts({study.key, study.state, 2, 1, 1, 17, study.lease, 0.25}).ok());
  TrialRecord trial = **rows.FindTrial(study.key, 1);
  trial.state = TrialState::kActive;
  trial.worker = "w";
  trial.start_ms = 13;
  trial.lease_end = 18;
  trial.requeued_as = 2;
  trial.process = {"host", 19};
  EXPECT_TRUE(rows.UpdateLease(study.key, trial).ok());
  EXPECT_EQ(rows.ListEndedLeases(17, 9)->size(), 0u);
  EXPECT_EQ(rows.ListEndedLeases(18, 9)->size(), 1u);
  EXPECT_TRUE(*rows.PutReport(study.key, 1, {3, 0.25}));
  EXPECT_TRUE(*rows.PutReport(study.key, 1, {4, 0.5}));
  EXPECT_FALSE(*rows.PutReport(study.key, 1, {3, 0.75}));
  EXPECT_EQ(**rows.FindReport(study.key, 1, 3), 0.75);
  trial.lease_end = 20;
  trial.report_count = 2;
  trial.last_step = 4;
  trial.last_value = 0.5;
  EXPECT_TRUE(rows.UpdateProgress(study.key, trial).ok());
  EXPECT_EQ(rows.ListEndedLeases(19, 9)->size(), 0u);
  trial.labels = "labels";
  trial.note = "note";
  EXPECT_TRUE(rows.UpdateAnnotations(study.key, trial).ok());
  EXPECT_TRUE(rows.WriteLeaseClock({21, 22}).ok());
  AppendEvents(rows, 2);
  trial.state = TrialState::kSucceeded;
  trial.objective = 0.5;
  trial.measurement = "m";
  trial.reason = "because";
  trial.end_ms = 14;
  EXPECT_TRUE(rows.UpdateOutcome(study.key, trial).ok());
}

void DeleteEach(RowTransaction& rows) {
  const int64_t source_key = **rows.FindSourceTaskKey("t");
  EXPECT_TRUE(rows.DeleteStudy((*rows.FindStudyHead("s"))->key).ok());
  EXPECT_TRUE(rows.FindStudiesUsing(source_key, 9)->empty());
  EXPECT_TRUE(rows.DeleteSourceTask(source_key).ok());
}

TEST_P(RowContract, ARollbackLeavesNothingOfAnyOperation) {
  const std::string empty = Dump();
  RollBack(InsertOfEachAndAnswer);
  EXPECT_EQ(Dump(), empty);
  Commit(InsertOfEachAndAnswer);
  const std::string inserted = Dump();
  EXPECT_NE(inserted, empty);
  RollBack(UpdateEach);
  EXPECT_EQ(Dump(), inserted);
  Commit(UpdateEach);
  const std::string updated = Dump();
  EXPECT_NE(updated, inserted);
  RollBack(DeleteEach);
  EXPECT_EQ(Dump(), updated);
  RollBack([](RowTransaction& rows) {
    DeleteEach(rows);
    InsertOfEach(rows);
    UpdateEach(rows);
  });
  EXPECT_EQ(Dump(), updated);
  Reopen();
  EXPECT_EQ(Dump(), updated);
  // A transaction after a rollback reads what was committed, not what was undone.
  Commit([](RowTransaction& rows) {
    EXPECT_EQ((*rows.FindStudyHead("s"))->state, StudyState::kPaused);
    EXPECT_EQ((*rows.FindStudyHead("s"))->succeeded_count, 1);
    DeleteEach(rows);
  });
  EXPECT_THAT(Dump(), Not(HasSubstr("definition")));
}

TEST_P(RowContract, ATransactionSeesItsOwnWrites) {
  Commit([](RowTransaction& rows) {
    InsertOfEachAndAnswer(rows);
    UpdateEach(rows);
    const StudyRecord study = **rows.FindStudy("s");
    EXPECT_EQ(TextOf(study), absl::StrCat("s definition of s name labels 2 ", rows.now_ms(),
                                          " 13 2 1 1 17 15 16 0.25"));
    const StudyHead head = **rows.FindStudyHead("s");
    EXPECT_EQ(head.key, study.key);
    EXPECT_EQ(head.state, StudyState::kPaused);
    EXPECT_EQ(head.trial_count, 2);
    EXPECT_EQ((*rows.FindStudyHead(study.key))->suggested_count, 1);
    EXPECT_EQ(TextOf(**rows.FindTrial(study.key, 1)),
              "1 3 0 x1 1 w 0.5 m because 0 13 14 -1 0 2 0 host 19 2 4 0.5 labels note");
    EXPECT_EQ((*rows.FindAnswer("r"))->fingerprint, "f");
    EXPECT_EQ((*rows.FindAnswer("r"))->answer, "answer");
    EXPECT_EQ((*rows.FindSourceTask("t"))->study_count, 1);
    EXPECT_THAT(*rows.FindStudiesUsing(**rows.FindSourceTaskKey("t"), 9), ElementsAre("s"));
    DeleteEach(rows);
    EXPECT_FALSE(rows.FindStudyHead("s")->has_value());
    EXPECT_FALSE(rows.FindStudyHead(study.key)->has_value());
    EXPECT_FALSE(rows.FindStudy("s")->has_value());
    EXPECT_FALSE(rows.FindSourceTask("t")->has_value());
  });
  EXPECT_THAT(Dump(), Not(HasSubstr("definition")));
}

TEST_P(RowContract, AbsentRowsAreNoErrors) {
  Commit([](RowTransaction& rows) {
    EXPECT_FALSE(rows.FindAnswer("r")->has_value());
    EXPECT_FALSE(rows.FindStudyHead("s")->has_value());
    EXPECT_FALSE(rows.FindStudyHead(7)->has_value());
    EXPECT_FALSE(rows.FindStudy("s")->has_value());
    EXPECT_FALSE(rows.FindTrial(7, 1)->has_value());
    EXPECT_FALSE(rows.FindSourceTask("t")->has_value());
    EXPECT_FALSE(rows.FindSourceTaskKey("t")->has_value());
    EXPECT_TRUE(rows.FindStudiesUsing(7, 9)->empty());
    EXPECT_FALSE(rows.FindLeaseClock()->has_value());
    EXPECT_FALSE(rows.FindReport(7, 1, 1)->has_value());
    EXPECT_TRUE(rows.ListEndedLeases(1 << 30, 9)->empty());
    EXPECT_TRUE(rows.ListActiveTrials(7, "w")->empty());
    EXPECT_TRUE(rows.ListQueuedTrials(7, 9)->empty());
    EXPECT_TRUE(rows.DeleteReports(7, 1).ok());
    EXPECT_FALSE(rows.failed());
  });
  const absl::Status read = database_->Read([](RowSnapshot& rows) {
    EXPECT_FALSE(rows.FindStudyKey("s")->has_value());
    EXPECT_FALSE(rows.FindStudySummary(7)->has_value());
    EXPECT_FALSE(rows.FindCandidates(7)->has_value());
    EXPECT_TRUE(rows.ListStudySources(7)->empty());
    EXPECT_TRUE(rows.ListTrials(7, {})->empty());
    EXPECT_TRUE(rows.ListBestTrials(7, true, 9)->empty());
    EXPECT_TRUE(rows.ListActiveTrials(7, "w")->empty());
    EXPECT_TRUE(rows.ListQueuedTrials(7, 9)->empty());
    EXPECT_TRUE(rows.ListProvenances(7, 0, 9)->empty());
    EXPECT_TRUE(rows.ListReports(7, 0, 9, 9)->empty());
    EXPECT_FALSE(rows.FindLeaseClock()->has_value());
    EXPECT_TRUE(rows.ListEndedLeases(1 << 30, 9)->empty());
    EXPECT_TRUE(rows.ListSourceChunks(7)->empty());
    EXPECT_FALSE(rows.FindSourceChunk(7, 0)->has_value());
    return absl::NotFoundError("from the body");
  });
  EXPECT_THAT(read, IsRefusal(kNotFound, "from the body"));
}

TEST_P(RowContract, ToChangeOrDeleteAnAbsentRowFails) {
  Commit(InsertOfEach);
  const std::string before = Dump();
  TrialRecord third = RequestedTrial(3);
  ExpectFailure([&](RowTransaction& rows) {
    return rows.UpdateLease((*rows.FindStudyHead("s"))->key, third);
  });
  ExpectFailure([&](RowTransaction& rows) {
    return rows.UpdateOutcome((*rows.FindStudyHead("s"))->key, third);
  });
  ExpectFailure([&](RowTransaction& rows) {
    return rows.UpdateProgress((*rows.FindStudyHead("s"))->key, third);
  });
  ExpectFailure([&](RowTransaction& rows) {
    return rows.UpdateAnnotations((*rows.FindStudyHead("s"))->key, third);
  });
  ExpectFailure([](RowTransaction& rows) {
    StudyRecord study = NewRecord("other", rows);
    study.key = 1000;
    return rows.UpdateStudy(study);
  });
  ExpectFailure([](RowTransaction& rows) { return rows.UpdateTime(1000, 1); });
  ExpectFailure([](RowTransaction& rows) { return rows.UpdateCounts({.key = 1000}); });
  ExpectFailure([](RowTransaction& rows) { return rows.DeleteStudy(1000); });
  ExpectFailure([](RowTransaction& rows) { return rows.DeleteSourceTask(1000); });
  EXPECT_EQ(Dump(), before);
}

TEST_P(RowContract, ToInsertARowThatExistsFails) {
  Commit(InsertOfEachAndAnswer);
  const std::string before = Dump();
  ExpectFailure([](RowTransaction& rows) { return rows.InsertAnswer("r", {"g", "other"}, "p"); });
  ExpectFailure(
      [](RowTransaction& rows) { return rows.InsertStudy(NewRecord("s", rows), "", {}).status(); });
  ExpectFailure([](RowTransaction& rows) {
    return rows.InsertSourceTask(NewSourceRecord("t", rows), 0).status();
  });
  for (const int64_t number : {1, 2}) {
    ExpectFailure([number](RowTransaction& rows) {
      return rows.InsertTrial((*rows.FindStudyHead("s"))->key, RequestedTrial(number), "");
    });
  }
  EXPECT_EQ(Dump(), before);
}

TEST_P(RowContract, AnswersCountTowardsThoseOfTheirProject) {
  const auto insert = [](RowTransaction& rows) {
    EXPECT_TRUE(rows.InsertAnswer("a", {"f", "answer"}, "p").ok());
    EXPECT_TRUE(rows.InsertAnswer("b", {"f", ""}, "p").ok());
    EXPECT_TRUE(rows.InsertAnswer("c", {"f", "another"}, "q").ok());
    EXPECT_EQ(*rows.FindAnswerBytes("p"), 406);
  };
  RollBack(insert);
  Commit([](RowTransaction& rows) { EXPECT_EQ(*rows.FindAnswerBytes("p"), 0); });
  Commit(insert);
  Reopen();
  clock_.Advance(options_.retention * 0.99);
  Commit([](RowTransaction& rows) {
    EXPECT_EQ(*rows.FindAnswerBytes("p"), 406);
    EXPECT_EQ(*rows.FindAnswerBytes("q"), 207);
    EXPECT_EQ(*rows.FindAnswerBytes("other"), 0);
  });
  clock_.Advance(options_.retention * 1.01);
  Commit([](RowTransaction& rows) { EXPECT_EQ(*rows.FindAnswerBytes("p"), 0); });
}

TEST_P(RowContract, ANewKeyIsAboveAllThatWereEverCommitted) {
  int64_t last = 0;
  for (int round = 0; round < 3; ++round) {
    Commit([&](RowTransaction& rows) {
      const int64_t key = *rows.InsertStudy(NewRecord("s", rows), "", {});
      EXPECT_GT(key, last);
      last = key;
    });
    Commit([&](RowTransaction& rows) {
      EXPECT_EQ((*rows.FindStudyHead("s"))->key, last);
      EXPECT_TRUE(rows.DeleteStudy(last).ok());
    });
    Reopen();
  }
}

TEST_P(RowContract, TrialsOfABegunStudyAreFoundOnceItIsInserted) {
  int64_t key = 0;
  Commit([&](RowTransaction& rows) {
    key = *rows.BeginStudy(2);
    EXPECT_TRUE(rows.InsertTrial(key, RequestedTrial(1), "why").ok());
    EXPECT_TRUE(rows.PutReport(key, 1, {1, 0.5}).ok());
    EXPECT_GT(*rows.InsertStudy(NewRecord("later", rows), "", {}), key);
  });
  EXPECT_THAT(Dump(), Not(HasSubstr("why")));
  const auto insert = [&](RowTransaction& rows) {
    EXPECT_FALSE(rows.FindStudyHead(key)->has_value());
    EXPECT_TRUE(rows.InsertTrial(key, RequestedTrial(2), "why else").ok());
    StudyRecord study = NewRecord("s", rows);
    study.key = key;
    EXPECT_EQ(*rows.InsertStudy(study, "candidates", {}), key);
  };
  RollBack(insert);
  EXPECT_THAT(Dump(), Not(HasSubstr("why")));
  Commit(insert);
  Reopen();
  EXPECT_THAT(Dump(), AllOf(HasSubstr("why"), HasSubstr("why else"), HasSubstr("1: 1 0.5")));
  Commit([&](RowTransaction& rows) { EXPECT_TRUE(rows.DeleteStudy(key).ok()); });
  EXPECT_THAT(Dump(), Not(HasSubstr("why")));
}

TEST_P(RowContract, AStudyThatIsGivenUpLeavesNothing) {
  int64_t key = 0;
  Commit([&](RowTransaction& rows) {
    key = *rows.BeginStudy(1);
    EXPECT_TRUE(rows.InsertTrial(key, RequestedTrial(1), "why").ok());
  });
  Commit([&](RowTransaction& rows) { EXPECT_TRUE(rows.GiveUpStudy(key).ok()); });
  Commit([&](RowTransaction& rows) {
    EXPECT_GT(*rows.InsertStudy(NewRecord("s", rows), "", {}), key);
    EXPECT_FALSE(rows.FindStudyHead(key)->has_value());
  });
  EXPECT_THAT(Dump(), Not(HasSubstr("why")));
}

TEST_P(RowContract, ChunksOfABegunSourceTaskAreFoundOnceItIsInserted) {
  int64_t key = 0;
  Commit([&](RowTransaction& rows) {
    key = *rows.BeginSourceTask(2);
    EXPECT_TRUE(rows.InsertSourceChunks(key, 0, {"chunk 0"}).ok());
    EXPECT_GT(*rows.InsertSourceTask(NewSourceRecord("later", rows), 0), key);
  });
  EXPECT_THAT(Dump(), Not(HasSubstr("chunk")));
  const auto insert = [&](RowTransaction& rows) {
    SourceTaskRecord task = NewSourceRecord("t", rows);
    task.key = key;
    EXPECT_EQ(*rows.InsertSourceTask(task, 14), key);
    EXPECT_TRUE(rows.InsertSourceChunks(key, 1, {"chunk 1"}).ok());
  };
  RollBack(insert);
  EXPECT_THAT(Dump(), Not(HasSubstr("chunk")));
  Commit(insert);
  Reopen();
  EXPECT_THAT(Dump(), AllOf(HasSubstr("chunk 0"), HasSubstr("chunk 1")));
  Commit([&](RowTransaction& rows) { EXPECT_TRUE(rows.DeleteSourceTask(key).ok()); });
  EXPECT_THAT(Dump(), Not(HasSubstr("chunk")));
}

TEST_P(RowContract, ASourceTaskThatIsGivenUpLeavesNothing) {
  int64_t key = 0;
  Commit([&](RowTransaction& rows) {
    key = *rows.BeginSourceTask(1);
    EXPECT_TRUE(rows.InsertSourceChunks(key, 0, {"chunk 0"}).ok());
  });
  Commit([&](RowTransaction& rows) { EXPECT_TRUE(rows.GiveUpSourceTask(key).ok()); });
  Commit([&](RowTransaction& rows) {
    EXPECT_GT(*rows.InsertSourceTask(NewSourceRecord("t", rows), 0), key);
  });
  EXPECT_THAT(Dump(), Not(HasSubstr("chunk")));
}

TEST_P(RowContract, EventsAreListedInOrderAndTheirNumbersNeverComeAgain) {
  Commit([](RowTransaction& rows) { AppendEvents(rows, 4); });
  Commit([](RowTransaction& rows) { AppendEvents(rows, 1); });
  const auto list = [this](int64_t after, int limit) {
    EventPage page;
    const absl::Status read = database_->Read([&](RowSnapshot& rows) {
      page = *rows.ListEvents(after, limit);
      return absl::OkStatus();
    });
    EXPECT_TRUE(read.ok()) << read;
    return page;
  };
  EventPage page = list(0, 3);
  EXPECT_EQ(page.events.size(), 3u);
  EXPECT_EQ(page.first_sequence, 1);
  EXPECT_EQ(page.last_sequence, 5);
  EXPECT_EQ(list(3, 9).events.front().sequence, 4);
  Commit([](RowTransaction& rows) { EXPECT_TRUE(rows.DeleteEvents(4).ok()); });
  page = list(0, 9);
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.first_sequence, 5);
  Commit([](RowTransaction& rows) { EXPECT_TRUE(rows.DeleteEvents(5).ok()); });
  Reopen();
  EXPECT_EQ(list(0, 9).first_sequence, 5) << "the latest event stays";
  RollBack([](RowTransaction& rows) { AppendEvents(rows, 3); });
  Commit([](RowTransaction& rows) { AppendEvents(rows, 1); });
  page = list(5, 9);
  ASSERT_EQ(page.events.size(), 1u);
  EXPECT_EQ(page.events.front().sequence, 6);
  EXPECT_EQ(page.last_sequence, 6);
}

TEST_P(RowContract, TheTimeOfATransactionStandsStill) {
  Commit([this](RowTransaction& rows) {
    const int64_t begin_ms = clock_.NowMs();
    EXPECT_EQ(rows.now_ms(), begin_ms);
    clock_.Advance(absl::Seconds(1));
    EXPECT_EQ(rows.now_ms(), begin_ms);
  });
}

// Several verbs may share a commit.
TEST_P(RowContract, AStudyThatIsDeletedAndMadeAnewInOneTransactionStartsEmpty) {
  Commit([](RowTransaction& rows) {
    NewStudy study;
    study.id = "s";
    ASSERT_TRUE(rules::CreateStudy(rows, study).ok());
    ASSERT_TRUE(rules::AddTrials(rows, {"s", {FinishedTrial("x", 1)}}, 10).ok());
    ASSERT_TRUE(rules::DeleteStudy(rows, "s").ok());
    ASSERT_TRUE(rules::CreateStudy(rows, study).ok());
    const int64_t key = (*rows.FindStudyHead("s"))->key;
    EXPECT_FALSE(rows.FindTrial(key, 1)->has_value());
    const auto added = rules::AddTrials(rows, {"s", {FinishedTrial("y", 2)}}, 10);
    ASSERT_TRUE(added.ok()) << added.status();
    EXPECT_EQ((*added)[0].number, 1);
  });
  const absl::Status read = database_->Read([](RowSnapshot& rows) {
    const StudyRecord study = **rows.FindStudy("s");
    EXPECT_EQ(study.trial_count, 1);
    EXPECT_EQ(study.succeeded_count, 1);
    EXPECT_EQ((*rows.ListBestTrials(study.key, true, 9))[0].configuration, "y");
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
}

}  // namespace

std::string RowContract::Dump() {
  std::string text;
  const absl::Status read = database_->Read([&](RowSnapshot& rows) {
    text = DumpStudies(rows) + DumpSourceTasks(rows);
    const auto events = rows.ListEvents(0, 100);
    for (const EventRecord& event : events->events) {
      absl::StrAppend(&text, event.sequence, " ", static_cast<int>(event.kind), " ",
                      event.study_key, " ", event.number, " ", event.time_ms, " ",
                      event.value.value_or(-1), " ", event.detail, "\n");
    }
    const auto clock = rows.FindLeaseClock();
    if (clock->has_value()) absl::StrAppend(&text, (*clock)->lease_ms, " ", (*clock)->wall_ms);
    const auto answer = rows.FindAnswer("r");
    if (answer->has_value()) absl::StrAppend(&text, (*answer)->fingerprint, (*answer)->answer);
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
  return text;
}

}  // namespace slipstream
