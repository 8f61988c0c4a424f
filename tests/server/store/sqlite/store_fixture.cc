#include "tests/server/store/sqlite/store_fixture.h"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace slipstream {

SqliteStoreTest::SqliteStoreTest() {
  std::string folder = testing::TempDir() + "sqlite_store_XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  folder_ = folder;
  path_ = folder + "/store.db";
}

SqliteStoreTest::~SqliteStoreTest() { std::filesystem::remove_all(folder_); }

SqliteStoreOptions SqliteStoreTest::Options() const {
  SqliteStoreOptions options;
  options.path = path_;
  options.create = true;
  options.holder = "the test";
  return options;
}

void SqliteStoreTest::MakeFile(int trials) {
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  ASSERT_TRUE(CreateStudy(**store, StudyNamed("s")).ok());
  const std::vector<NewTrial> ended(static_cast<size_t>(trials),
                                    FinishedTrial(std::string(300, 'x'), 1));
  ASSERT_TRUE(AddTrials(**store, "s", ended).ok());
}

void SqliteStoreTest::RunSql(const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open_v2(path_.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                            vfs().c_str()),
            SQLITE_OK);
  char* error = nullptr;
  sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error);
  ASSERT_EQ(error, nullptr) << error;
  sqlite3_close(database);
}

std::map<std::string, std::string> SqliteStoreTest::Files() const {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    const std::string extension = entry.path().extension();
    if (extension == ".lock" || extension == ".db-shm") continue;
    files[entry.path().filename()] = ReadBytes(entry.path());
  }
  return files;
}

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

int RunInChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace slipstream
