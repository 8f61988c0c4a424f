// Files that programs wrote, one of each schema version up to the present one, kept as SQL. Whoever
// adds a step adds a file, written by the program that knows it; without one the tests fail.
#include <sqlite3.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/sqlite/checksum_vfs.h"
#include "server/store/sqlite/schema.h"
#include "tests/server/store/recount.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

class StoredVersionTest : public SqliteStoreTest, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    const std::string sql = ReadBytes(RepositoryPath(
        absl::StrCat("tests/server/store/sqlite/stored/version_", GetParam(), ".sql")));
    ASSERT_FALSE(sql.empty()) << "there is no file of version " << GetParam();
    GetParam() < sqlite::kFirstVersionInForm ? MakePlain(sql) : MakeInForm(sql);
  }

  // Makes the file as a program without checksums did: on SQLite's own VFS.
  void MakePlain(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &database), SQLITE_OK);
    char* error = nullptr;
    sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error);
    ASSERT_EQ(error, nullptr) << error;
    sqlite3_exec(database, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr);
    sqlite3_close(database);
  }

  void MakeInForm(const std::string& sql) {
    const auto connection =
        sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs());
    ASSERT_TRUE(connection.ok()) << connection.status();
    ASSERT_TRUE(sqlite::RequestChecksums(**connection).ok());
    const absl::Status made =
        (*connection)
            ->Execute("PRAGMA auto_vacuum = INCREMENTAL;" + sql + "PRAGMA journal_mode = WAL;");
    ASSERT_TRUE(made.ok()) << made;
  }

  int64_t Number(const char* sql) {
    const auto connection = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
    sqlite::Query query(**connection, sql);
    EXPECT_TRUE(query.Run().ok());
    return query.Integer(0);
  }

  void ExpectNewestForm() {
    EXPECT_EQ(Number("PRAGMA user_version"), static_cast<int64_t>(sqlite::SchemaSteps().size()));
    EXPECT_EQ(Number("PRAGMA auto_vacuum"), 2);
    EXPECT_TRUE(sqlite::HeaderHasChecksums(ReadBytes(path())));
    EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  }
};

// No program ended with the version before the form: its step and the form's came together.
std::vector<int> StoredVersions() {
  std::vector<int> versions;
  for (int version = 1; version <= static_cast<int>(sqlite::SchemaSteps().size()); ++version) {
    if (version != sqlite::kFirstVersionInForm - 1) versions.push_back(version);
  }
  return versions;
}

INSTANTIATE_TEST_SUITE_P(Each, StoredVersionTest, testing::ValuesIn(StoredVersions()));

TEST_P(StoredVersionTest, KeepsItsContent) {
  EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ((*store)->GetStudy("digits")->trial_count, 3);
    EXPECT_EQ((*store)->GetStudy("digits")->lease.duration_ms, GetParam() < 3 ? 0 : 3600000);
    const auto succeeded = (*store)->GetTrial("digits", 1);
    EXPECT_EQ(succeeded->state, TrialState::kSucceeded);
    EXPECT_EQ(succeeded->objective, 0.93);
    EXPECT_EQ(succeeded->worker, "w1");
    EXPECT_EQ((*store)->GetTrial("digits", 2)->reason, "broke");
    EXPECT_EQ((*store)->GetTrial("digits", 3)->state, TrialState::kActive);
    EXPECT_EQ((*store)->GetTrial("digits", 3)->report_count, GetParam() < 3 ? 0 : 1);
    EXPECT_FALSE((*store)->GetExplainedTrial("digits", 1)->provenance.empty());
    const auto sources = (*store)->GetStudySources((*store)->GetStudy("digits-v2")->key);
    ASSERT_EQ(sources->size(), 1u);
    EXPECT_EQ((*store)->GetSourceTask(sources->front())->observation_count, 3);
    EXPECT_EQ((*store)->GetSourceChunks(sources->front())->size(), 1u);
    EXPECT_EQ((*store)->ListUsage()->at("default").trials, 3);
    EXPECT_EQ(*(*store)->ListUsage(), Recount(**store));
    EXPECT_TRUE(ObserveTrial(**store, {"digits", 3, Success(0.5)}).ok());
    EXPECT_EQ(*(*store)->ListUsage(), Recount(**store));
  }
  ExpectNewestForm();
}

TEST_P(StoredVersionTest, ItsUpgradeIsToldOfBeforeItBegins) {
  const auto newest = static_cast<int64_t>(sqlite::SchemaSteps().size());
  std::vector<std::pair<int64_t, int64_t>> told;
  SqliteStoreOptions options = Options();
  options.on_upgrade = [&](int64_t from, int64_t to) {
    told.emplace_back(from, to);
    EXPECT_EQ(Number("PRAGMA user_version"), from);
  };
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(OpenSqliteStore(options).ok());
  if (GetParam() < newest) {
    EXPECT_THAT(told, testing::ElementsAre(std::pair<int64_t, int64_t>(GetParam(), newest)));
  } else {
    EXPECT_THAT(told, testing::IsEmpty());
  }
}

TEST_P(StoredVersionTest, AWorseResultIsNotTheBest) {
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(ObserveTrial(**store, {"digits", 3, Success(0.5), /*maximize=*/true}).ok());
  EXPECT_EQ((*store)->GetStudy("digits")->best, 0.93);
  const auto events = (*store)->ListEvents(0, 1000);
  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(events->events.back().kind, EventKind::kTrialEnded);
}

class CutShortMigrationTest : public StoredVersionTest {};

INSTANTIATE_TEST_SUITE_P(BeforeForm, CutShortMigrationTest, testing::Values(3));

TEST_P(CutShortMigrationTest, GoesOn) {
  RunSql("PRAGMA user_version = 4");
  EXPECT_TRUE(OpenStatus().ok()) << OpenStatus();
  ExpectNewestForm();
}

TEST_P(StoredVersionTest, IsNotChangedByACheckOrABackup) {
  const auto before = Files();
  EXPECT_TRUE(CheckSqliteFile(path()).ok());
  ASSERT_TRUE(BackUpSqliteFile(path(), path() + ".copy").ok());
  EXPECT_EQ(Files().at("store.db"), before.at("store.db"));
  EXPECT_EQ(Number("PRAGMA user_version"), GetParam());
  EXPECT_TRUE(CheckSqliteFile(path() + ".copy").ok());
}

}  // namespace
}  // namespace slipstream
