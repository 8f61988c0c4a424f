// The least that a durable call can cost: two rows per call (a result and an
// idempotency record) in SQLite, committed in groups, and nothing else. It is the
// floor for the server's durable calls.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_BARE_COMMIT_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_BARE_COMMIT_H_

#include <sqlite3.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace slipstream {

// Thread-safe.
class BareCommit {
 public:
  // Creates the file at `path`; throws std::runtime_error if it cannot.
  explicit BareCommit(const std::string& path);
  ~BareCommit();

  // Calls `done` on the writing thread when the rows are durable.
  void Write(std::string key, std::string payload, std::function<void()> done);

 private:
  struct Call {
    std::string key;
    std::string payload;
    std::function<void()> done;
  };

  void Run();
  void Commit(const std::vector<Call>& calls);
  void Insert(sqlite3_stmt* statement, const Call& call);

  sqlite3* database_ = nullptr;
  sqlite3_stmt* result_ = nullptr;
  sqlite3_stmt* answer_ = nullptr;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Call> waiting_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_BARE_COMMIT_H_
