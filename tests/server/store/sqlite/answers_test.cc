#include "server/store/sqlite/answers.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "server/store/sqlite/sqlite_transaction.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/fake_clock.h"

namespace slipstream {
namespace {

using sqlite::Answers;
using sqlite::Connection;
using sqlite::Query;

constexpr int64_t kRetention = 1000;
constexpr int kMany = 25'000;

class AnswersTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    MakeFile();
    connection_ = Connect();
  }
  std::unique_ptr<Connection> Connect() {
    auto connection = Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    EXPECT_TRUE(connection.ok()) << connection.status();
    return *std::move(connection);
  }
  int64_t Number(const char* sql) {
    Query query(*connection_, sql);
    EXPECT_TRUE(query.Run().ok());
    return query.Integer(0);
  }
  // The answers that are set aside in one of the tables.
  int64_t Forgotten() { return Number("SELECT count(*) FROM forgotten_answers_0"); }
  int64_t TablesSetAside() {
    return Number("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'forgotten_answers__'");
  }
  // Remembers many answers at the time 0, which the store has not seen before.
  void RememberMany(Answers& answers) {
    ASSERT_TRUE(
        connection_->Execute("UPDATE answer_generation SET current = 0, since_ms = 0; BEGIN").ok());
    ASSERT_TRUE(answers.Begin(0).ok());
    for (int i = 0; i < kMany; ++i) {
      ASSERT_TRUE(answers.Insert(absl::StrCat("id ", i), {"f", "first"}, "p").ok());
    }
    ASSERT_TRUE(connection_->Execute("COMMIT").ok());
  }
  // Forgets them.
  static void BeginTwoGenerationsLater(Answers& answers) {
    ASSERT_TRUE(answers.Begin(kRetention).ok());
    ASSERT_TRUE(answers.Insert("young", {"f", "second"}, "p").ok());
    ASSERT_TRUE(answers.Begin(2 * kRetention).ok());
  }
  static std::optional<std::string> Find(Answers& answers, const std::string& id) {
    const auto found = answers.Find(id);
    EXPECT_TRUE(found.ok()) << found.status();
    return found->has_value() ? std::optional<std::string>((*found)->answer) : std::nullopt;
  }

  std::unique_ptr<Connection> connection_;
};

// As often as it is set, and whether or not the transaction that notices that is rolled back.
TEST_F(AnswersTest, AClockThatIsSetAheadMakesNoAnswerOlder) {
  constexpr int64_t kSetBy = 100 * kRetention;
  Answers answers(connection_.get(), kRetention);
  RememberMany(answers);
  ASSERT_TRUE(connection_->Execute("BEGIN").ok());
  ASSERT_TRUE(answers.Begin(kSetBy, kSetBy).ok());
  EXPECT_EQ(Find(answers, "id 7"), "first");
  ASSERT_TRUE(connection_->Execute("ROLLBACK").ok());
  answers.RolledBack();
  ASSERT_TRUE(answers.Begin(kSetBy, kSetBy).ok());
  EXPECT_EQ(Find(answers, "id 7"), "first");
  ASSERT_TRUE(answers.Begin(2 * kSetBy, kSetBy).ok());
  EXPECT_EQ(Find(answers, "id 7"), "first");
  ASSERT_TRUE(answers.Begin(kRetention, -2 * kSetBy).ok());
  EXPECT_EQ(Find(answers, "id 7"), "first");
  ASSERT_TRUE(answers.Begin(2 * kRetention).ok());
  EXPECT_EQ(Find(answers, "id 7"), std::nullopt);
}

TEST_F(AnswersTest, AStoreWhoseClockIsSetAheadAnswersARepeatAsBefore) {
  FakeClock clock;
  SqliteStoreOptions options = Options();
  options.now_ms = clock.Function();
  const auto store = OpenSqliteStore(options);
  ASSERT_TRUE(store.ok()) << store.status();
  const RequestGuard guard = {"r", "f"};
  ASSERT_TRUE(AddTrials(**store, "s", {NewSuggestion("x")}, guard).ok());
  clock.Advance(100 * options.retention);
  EXPECT_EQ(AddTrials(**store, "s", {NewSuggestion("x")}, guard).earlier, "answer");
}

TEST_F(AnswersTest, AGenerationIsForgottenAtOnceAndErasedInSteps) {
  Answers answers(connection_.get(), kRetention);
  RememberMany(answers);
  ASSERT_TRUE(answers.EraseSome().ok());
  EXPECT_FALSE(answers.pending());
  ASSERT_TRUE(answers.Begin(kRetention).ok());
  EXPECT_EQ(Find(answers, "id 7"), "first");
  ASSERT_TRUE(answers.Insert("young", {"f", "second"}, "p").ok());
  ASSERT_TRUE(answers.Begin(2 * kRetention).ok());
  EXPECT_EQ(Forgotten(), kMany);
  EXPECT_EQ(Find(answers, "id 7"), std::nullopt);
  EXPECT_EQ(Find(answers, "young"), "second");
  ASSERT_TRUE(answers.Insert("id 7", {"f", "third"}, "p").ok());
  for (const int64_t left : {15'000, 5'000, 0}) {
    ASSERT_TRUE(answers.EraseSome().ok());
    EXPECT_TRUE(answers.pending());
    EXPECT_EQ(Forgotten(), left);
  }
  while (answers.pending()) ASSERT_TRUE(answers.EraseSome().ok());
  EXPECT_EQ(TablesSetAside(), 0);
  EXPECT_EQ(Find(answers, "id 7"), "third");
  EXPECT_EQ(Find(answers, "id 8"), std::nullopt);
  EXPECT_EQ(Find(answers, "young"), "second");
}

TEST_F(AnswersTest, FewLargeAnswersAreErasedInOneStep) {
  Answers answers(connection_.get(), kRetention);
  ASSERT_NO_FATAL_FAILURE(RememberMany(answers));
  for (int i = 0; i < 30; ++i) {  // The first ones in the order of ids.
    ASSERT_TRUE(answers.Insert(absl::StrCat("a", i), {"f", std::string(1'000'000, 'x')}, "p").ok());
  }
  ASSERT_NO_FATAL_FAILURE(BeginTwoGenerationsLater(answers));
  for (const int64_t left : {22, 14, 6, 0}) {
    ASSERT_TRUE(answers.EraseSome().ok());
    EXPECT_EQ(Number("SELECT count(*) FROM forgotten_answers_0 WHERE request_id < 'b'"), left);
  }
  EXPECT_EQ(Forgotten(), kMany + 6 - 10'000);
}

TEST_F(AnswersTest, BothGenerationsAreForgottenAfterAQuietTime) {
  Answers answers(connection_.get(), kRetention);
  RememberMany(answers);
  ASSERT_TRUE(answers.Begin(kRetention).ok());
  ASSERT_TRUE(answers.Insert("young", {"f", "second"}, "p").ok());
  ASSERT_TRUE(answers.Begin(9 * kRetention).ok());
  EXPECT_EQ(Find(answers, "id 7"), std::nullopt);
  EXPECT_EQ(Find(answers, "young"), std::nullopt);
  EXPECT_EQ(TablesSetAside(), 2);
  EXPECT_EQ(Forgotten(), kMany);
  while (answers.pending()) ASSERT_TRUE(answers.EraseSome().ok());
  EXPECT_EQ(TablesSetAside(), 0);
}

// What was never erased meanwhile, as there was hardly a transaction.
TEST_F(AnswersTest, ForgettingTwiceLeavesWhatIsRemembered) {
  Answers answers(connection_.get(), kRetention);
  RememberMany(answers);
  ASSERT_NO_FATAL_FAILURE(BeginTwoGenerationsLater(answers));
  ASSERT_TRUE(answers.Insert("older", {"f", "third"}, "p").ok());
  ASSERT_TRUE(answers.Begin(3 * kRetention).ok());
  ASSERT_TRUE(answers.Insert("newer", {"f", "fourth"}, "p").ok());
  ASSERT_TRUE(answers.Begin(4 * kRetention).ok());
  EXPECT_EQ(Forgotten(), 1);
  EXPECT_EQ(Find(answers, "older"), std::nullopt);
  EXPECT_EQ(Find(answers, "newer"), "fourth");
}

TEST_F(AnswersTest, AStoreErasesWhatAnEarlierOneHasForgotten) {
  {
    Answers answers(connection_.get(), kRetention);
    RememberMany(answers);
    ASSERT_NO_FATAL_FAILURE(BeginTwoGenerationsLater(answers));
    ASSERT_TRUE(answers.EraseSome().ok());
    EXPECT_EQ(Forgotten(), kMany - 10'000);
  }
  connection_.reset();
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  connection_ = Connect();
  while (TablesSetAside() > 0) std::this_thread::yield();
}

// The answers of a transaction that is rolled back are still there, and none is forgotten.
TEST_F(AnswersTest, NothingIsForgottenByATransactionThatIsRolledBack) {
  Answers answers(connection_.get(), kRetention);
  RememberMany(answers);
  ASSERT_TRUE(answers.Begin(kRetention).ok());
  while (answers.pending()) ASSERT_TRUE(answers.EraseSome().ok());
  ASSERT_TRUE(connection_->Execute("BEGIN").ok());
  ASSERT_TRUE(answers.Begin(2 * kRetention).ok());
  EXPECT_EQ(Find(answers, "id 7"), std::nullopt);
  ASSERT_TRUE(connection_->RollBack().ok());
  answers.RolledBack();
  ASSERT_TRUE(answers.Begin(2 * kRetention - 1).ok());
  EXPECT_EQ(Find(answers, "id 7"), "first");
  EXPECT_EQ(TablesSetAside(), 0);
}

}  // namespace
}  // namespace slipstream
