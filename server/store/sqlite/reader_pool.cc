#include "server/store/sqlite/reader_pool.h"

#include "core/base/status.h"

namespace slipstream::sqlite {

absl::Status ReaderPool::InSnapshot(absl::FunctionRef<absl::Status(Connection&)> read) {
  const Loan loan(this);
  Snapshot snapshot(loan.connection());
  SLIPSTREAM_RETURN_IF_ERROR(snapshot.Begin());
  return read(loan.connection());
}

std::unique_ptr<Connection> ReaderPool::Take() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [this] { return !idle_.empty(); });
  std::unique_ptr<Connection> connection = std::move(idle_.back());
  idle_.pop_back();
  return connection;
}

void ReaderPool::GiveBack(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(connection));
  }
  given_back_.notify_one();
}

}  // namespace slipstream::sqlite
