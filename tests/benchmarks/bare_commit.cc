#include "tests/benchmarks/bare_commit.h"

#include <stdexcept>
#include <utility>

namespace slipstream {
namespace {

constexpr char kSchema[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
    "CREATE TABLE results(key TEXT, payload BLOB);"
    "CREATE TABLE answers(key TEXT PRIMARY KEY, payload BLOB) WITHOUT ROWID;";

void Must(int code, sqlite3* database) {
  if (code != SQLITE_OK && code != SQLITE_DONE) {
    throw std::runtime_error(sqlite3_errmsg(database));
  }
}

}  // namespace

BareCommit::BareCommit(const std::string& path) {
  Must(sqlite3_open(path.c_str(), &database_), database_);
  Must(sqlite3_exec(database_, kSchema, nullptr, nullptr, nullptr), database_);
  Must(sqlite3_prepare_v2(database_, "INSERT INTO results VALUES(?, ?)", -1, &result_, nullptr),
       database_);
  Must(sqlite3_prepare_v2(database_, "INSERT INTO answers VALUES(?, ?)", -1, &answer_, nullptr),
       database_);
  thread_ = std::thread([this] { Run(); });
}

BareCommit::~BareCommit() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closing_ = true;
  }
  wake_.notify_one();
  thread_.join();
  sqlite3_finalize(result_);
  sqlite3_finalize(answer_);
  sqlite3_close(database_);
}

void BareCommit::Write(std::string key, std::string payload, std::function<void()> done) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back({std::move(key), std::move(payload), std::move(done)});
  }
  wake_.notify_one();
}

void BareCommit::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::vector<Call> calls = std::exchange(waiting_, {});
    lock.unlock();
    Commit(calls);
    for (const Call& call : calls) call.done();
    lock.lock();
  }
}

void BareCommit::Commit(const std::vector<Call>& calls) {
  Must(sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), database_);
  for (const Call& call : calls) {
    Insert(result_, call);
    Insert(answer_, call);
  }
  Must(sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr), database_);
}

void BareCommit::Insert(sqlite3_stmt* statement, const Call& call) {
  sqlite3_bind_text(statement, 1, call.key.data(), static_cast<int>(call.key.size()),
                    SQLITE_STATIC);
  sqlite3_bind_blob(statement, 2, call.payload.data(), static_cast<int>(call.payload.size()),
                    SQLITE_STATIC);
  Must(sqlite3_step(statement), database_);
  sqlite3_reset(statement);
}

}  // namespace slipstream
