// Adds to answer_contract.cc: request ids within one transaction, and guarded
// writes whose transaction is rolled back.
#include "server/store/answer_rules.h"

#include <string>

#include "server/store/guarded_write.h"
#include "server/store/study_rules.h"
#include "tests/server/store/rule_test.h"

namespace slipstream {
namespace {

using AnswerRules = RuleTest;

TEST_F(AnswerRules, AnAnswerIsFoundAtOnceByItsContentOnly) {
  Commit([](RowTransaction& rows) {
    EXPECT_TRUE(rules::RememberAnswer(rows, {"r", "f"}, "answer").ok());
    EXPECT_EQ(*rules::FindAnswer(rows, {"r", "f"}), "answer");
    EXPECT_THAT(rules::FindAnswer(rows, {"r", "g"}).status(),
                IsRefusal(kInvalidArgument, "request_id is r, must be"));
    EXPECT_EQ(*rules::FindAnswer(rows, {"other", "f"}), std::nullopt);
    return absl::OkStatus();
  });
  EXPECT_EQ(*Read([](RowSnapshot& rows) { return rules::FindAnswer(rows, {"r", "f"}); }), "answer");
}

TEST_F(AnswerRules, IdsOfProjectsAreKeptApart) {
  Commit([](RowTransaction& rows) {
    EXPECT_TRUE(rules::RememberAnswer(rows, {"r", "f", "default"}, "answer").ok());
    EXPECT_EQ(*rules::FindAnswer(rows, {"r", "g", "vision"}), std::nullopt);
    EXPECT_TRUE(rules::RememberAnswer(rows, {"r", "g", "vision"}, "another").ok());
    EXPECT_EQ(*rules::FindAnswer(rows, {"r", "f", "default"}), "answer");
    EXPECT_EQ(*rules::FindAnswer(rows, {"r", "g", "vision"}), "another");
    EXPECT_THAT(rules::FindAnswer(rows, {"r", "h", "vision"}).status(),
                IsRefusal(kInvalidArgument, "request_id is r, must be"));
    return absl::OkStatus();
  });
}

TEST_F(AnswerRules, AnIdThatAnEarlierVersionRememberedIsFoundInItsProject) {
  Commit([](RowTransaction& rows) {
    EXPECT_TRUE(rules::RememberAnswer(rows, {"r", "f"}, "answer").ok());
    EXPECT_EQ(*rules::FindAnswer(rows, {"r", "f", "vision"}), "answer");
    return absl::OkStatus();
  });
}

TEST_F(AnswerRules, WithoutARequestIdNoRowIsReadOrWritten) {
  Commit([](RowTransaction& rows) {
    EXPECT_TRUE(rules::RememberAnswer(rows, {"", "f"}, "answer").ok());
    EXPECT_EQ(*rules::FindAnswer(rows, {"", "f"}), std::nullopt);
    EXPECT_FALSE(rows.FindAnswer("")->has_value());
    return absl::OkStatus();
  });
}

// A guarded creation of study "s" that records how it ended.
class GuardedCreation {
 public:
  explicit GuardedCreation(RequestGuard guard) {
    const auto deed = [this](RowTransaction& rows) {
      ++deeds;
      return rules::CreateStudy(rows, StudyNamed("s"));
    };
    Write<StudyRecord> write;
    write.guard = std::move(guard);
    write.render = [](const StudyRecord& study) { return "created " + study.id; };
    write.done = [this](absl::Status end, std::optional<std::string> answer) {
      status = std::move(end);
      earlier = std::move(answer);
    };
    pending = MakeGuardedWrite<StudyRecord>(deed, std::move(write));
  }

  std::unique_ptr<PendingWrite> pending;
  int deeds = 0;
  absl::Status status;
  std::optional<std::string> earlier;
};

TEST_F(AnswerRules, ARepeatInTheSameTransactionGetsTheFirstAnswer) {
  GuardedCreation first({"r", "f"});
  GuardedCreation repeat({"r", "f"});
  Commit([&](RowTransaction& rows) {
    EXPECT_TRUE(first.pending->Apply(rows).ok());
    return repeat.pending->Apply(rows);
  });
  first.pending->Answer(absl::OkStatus());
  repeat.pending->Answer(absl::OkStatus());
  EXPECT_EQ(first.deeds, 1);
  EXPECT_EQ(first.earlier, std::nullopt);
  EXPECT_EQ(repeat.deeds, 0);
  EXPECT_EQ(repeat.earlier, "created s");
}

TEST_F(AnswerRules, AGuardedWriteIsDoneAgainAfterARollback) {
  GuardedCreation write({"r", "f"});
  const TransactionEnd end = database_->Transact([&](RowTransaction& rows) {
    EXPECT_TRUE(write.pending->Apply(rows).ok());
    return absl::UnavailableError("busy");
  });
  EXPECT_TRUE(end.rolled_back);
  Commit([&](RowTransaction& rows) { return write.pending->Apply(rows); });
  write.pending->Answer(absl::OkStatus());
  EXPECT_EQ(write.deeds, 2);
  EXPECT_EQ(write.earlier, std::nullopt);
}

TEST_F(AnswerRules, ACommitThatFailsAnswersNoRepeat) {
  GuardedCreation first({"r", "f"});
  GuardedCreation repeat({"r", "f"});
  Commit([&](RowTransaction& rows) {
    EXPECT_TRUE(first.pending->Apply(rows).ok());
    return repeat.pending->Apply(rows);
  });
  repeat.pending->Answer(absl::InternalError("the disk failed"));
  EXPECT_THAT(repeat.status, HasCode(absl::StatusCode::kInternal));
  EXPECT_EQ(repeat.earlier, std::nullopt);
}

}  // namespace
}  // namespace slipstream
