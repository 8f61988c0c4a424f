#include "server/store/sqlite/file_owner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

// Somebody else than root, in whose folder root works; nobody else can give files away.
constexpr uid_t kSomebody = 12345;

uid_t OwnerOf(const std::string& path) {
  struct stat found = {};
  EXPECT_EQ(lstat(path.c_str(), &found), 0) << path;
  return found.st_uid;
}

// A folder of somebody else's, in which root works.
class FileOwnerTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
    ASSERT_TRUE(std::filesystem::create_directory(theirs_));
    ASSERT_EQ(chown(theirs_.c_str(), kSomebody, kSomebody), 0);
  }

  const std::string theirs_ = folder() + "/theirs";
};

TEST_F(FileOwnerTest, WhatRootCreatesOrRestoresBelongsToTheOwnerOfTheFolder) {
  MakeFile();
  const std::string backup = folder() + "/backup.db";
  ASSERT_TRUE(BackUpSqliteFile(path(), backup, {}).ok());
  const std::string restored = theirs_ + "/restored.db";
  ASSERT_TRUE(RestoreSqliteFile(backup, restored).ok());
  for (const char* suffix : {"", ".lock"}) EXPECT_EQ(OwnerOf(restored + suffix), kSomebody);

  SqliteStoreOptions options = Options();
  options.path = theirs_ + "/created.db";
  options.create = true;
  const auto created = OpenSqliteStore(options);
  ASSERT_TRUE(created.ok()) << created.status();
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    EXPECT_EQ(OwnerOf(options.path + suffix), kSomebody) << suffix;
  }
}

TEST_F(FileOwnerTest, ABackupThatRootMakesIsRoots) {
  MakeFile();
  ASSERT_TRUE(BackUpSqliteFile(path(), theirs_ + "/backup.db", {}).ok());
  EXPECT_EQ(OwnerOf(theirs_ + "/backup.db"), 0u);
}

TEST_F(FileOwnerTest, ALockThatIsThereKeepsItsOwner) {
  constexpr uid_t kServer = 23456;
  MakeFile();
  const std::string lock = theirs_ + "/other.db.lock";
  WriteBytes(lock, "");
  ASSERT_EQ(chown(lock.c_str(), kServer, kServer), 0);
  WriteBytes(theirs_ + "/other.db", "an earlier store");
  EXPECT_FALSE(RestoreSqliteFile(path(), theirs_ + "/other.db").ok());
  EXPECT_EQ(OwnerOf(lock), kServer);
}

// A file that its folder's owner could have put there is not given to them.
TEST_F(FileOwnerTest, WhatHasAnotherNameIsNotGivenAway) {
  const std::string secret = folder() + "/secret";
  WriteBytes(secret, "content");
  const std::string name = theirs_ + "/name";
  ASSERT_EQ(link(secret.c_str(), name.c_str()), 0);
  sqlite::GiveToOwnerOfFolder(name);
  EXPECT_EQ(OwnerOf(secret), 0u);
  const std::string symbolic = theirs_ + "/symbolic";
  ASSERT_EQ(symlink(secret.c_str(), symbolic.c_str()), 0);
  ASSERT_EQ(unlink(name.c_str()), 0);
  sqlite::GiveToOwnerOfFolder(symbolic);
  EXPECT_EQ(OwnerOf(secret), 0u);
  sqlite::GiveToOwnerOfFolder(theirs_ + "/missing");
}

}  // namespace
}  // namespace slipstream
