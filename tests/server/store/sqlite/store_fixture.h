// A store file in a folder of its own.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_STORE_FIXTURE_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_STORE_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite/checksum_vfs.h"
#include "server/store/sqlite/sqlite_store.h"
#include "tests/server/store/store_calls.h"

namespace slipstream {

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;
constexpr auto kFailedPrecondition = absl::StatusCode::kFailedPrecondition;

class SqliteStoreTest : public testing::Test {
 protected:
  SqliteStoreTest();
  ~SqliteStoreTest() override;

  // Options for the file at path(), which is made if there is none.
  SqliteStoreOptions Options() const;
  absl::StatusOr<std::unique_ptr<Store>> Open() { return OpenSqliteStore(Options()); }
  // The status of opening the store, which is closed again.
  absl::Status OpenStatus() { return Open().status(); }

  // Makes a file with a study "s" whose trials 1 to `trials` have ended, and
  // closes it.
  void MakeFile(int trials = 10);

  // Runs SQL on the file, with no store open on it.
  void RunSql(const std::string& sql);

  // The VFS on which the store's files are to be opened.
  const std::string& vfs() const { return vfs_.name(); }
  const std::string& folder() const { return folder_; }
  const std::string& path() const { return path_; }
  // Everything in the folder but lock files and shared memory, by name.
  std::map<std::string, std::string> Files() const;

 private:
  sqlite::ChecksumVfs vfs_{""};
  std::string folder_;
  std::string path_;
};

std::string ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, const std::string& bytes);

// Runs `body` in a forked process and gives its exit code, or minus the
// signal that ended it. The process must not have threads.
int RunInChild(const std::function<int()>& body);

MATCHER_P2(IsRefused, code, text, "is a refusal that says \"" + std::string(text) + "\"") {
  *result_listener << arg.ToString();
  return arg.code() == code &&
         std::string(arg.message()).find(std::string(text)) != std::string::npos;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_STORE_FIXTURE_H_
