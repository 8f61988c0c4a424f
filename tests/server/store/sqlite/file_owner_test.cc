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

using FileOwnerTest = SqliteStoreTest;

TEST_F(FileOwnerTest, OthersThanRootGiveNothingAway) {
  WriteBytes(path(), "content");
  sqlite::GiveToOwnerOfFolder(path());
  EXPECT_EQ(OwnerOf(path()), geteuid());
  sqlite::GiveToOwnerOfFolder(path() + "-missing");
}

TEST_F(FileOwnerTest, WhatRootCreatesOrRestoresBelongsToTheOwnerOfTheFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  MakeFile();
  const std::string backup = folder() + "/backup.db";
  ASSERT_TRUE(BackUpSqliteFile(path(), backup, {}).ok());
  const std::string theirs = folder() + "/theirs";
  ASSERT_TRUE(std::filesystem::create_directory(theirs));
  ASSERT_EQ(chown(theirs.c_str(), kSomebody, kSomebody), 0);

  const std::string restored = theirs + "/restored.db";
  ASSERT_TRUE(RestoreSqliteFile(backup, restored).ok());
  for (const char* suffix : {"", ".lock"}) EXPECT_EQ(OwnerOf(restored + suffix), kSomebody);

  SqliteStoreOptions options = Options();
  options.path = theirs + "/created.db";
  options.create = true;
  const auto created = OpenSqliteStore(options);
  ASSERT_TRUE(created.ok()) << created.status();
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    EXPECT_EQ(OwnerOf(options.path + suffix), kSomebody) << suffix;
  }

  // A link is given away itself, and not what it points to.
  const std::string link = theirs + "/link";
  ASSERT_EQ(symlink(backup.c_str(), link.c_str()), 0);
  sqlite::GiveToOwnerOfFolder(link);
  EXPECT_EQ(OwnerOf(link), kSomebody);
  EXPECT_EQ(OwnerOf(backup), 0u);
}

}  // namespace
}  // namespace slipstream
