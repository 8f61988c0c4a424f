// Connections for reading, lent to one call each.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_READER_POOL_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_READER_POOL_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// Thread-safe.
class ReaderPool {
 public:
  explicit ReaderPool(std::vector<std::unique_ptr<Connection>> connections)
      : idle_(std::move(connections)) {}

  // What `read`, a function of (Connection&) that gives a StatusOr, makes of
  // one snapshot. Waits for a connection while all are lent.
  template <typename Read>
  auto InSnapshot(Read read) -> decltype(read(std::declval<Connection&>())) {
    const Loan loan(this);
    Snapshot snapshot(loan.connection());
    absl::Status begun = snapshot.Begin();
    if (!begun.ok()) return begun;
    return read(loan.connection());
  }

 private:
  class Loan {
   public:
    explicit Loan(ReaderPool* pool) : pool_(*pool), connection_(pool_.Take()) {}
    ~Loan() { pool_.GiveBack(std::move(connection_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Connection& connection() const { return *connection_; }

   private:
    ReaderPool& pool_;
    std::unique_ptr<Connection> connection_;
  };

  std::unique_ptr<Connection> Take();
  void GiveBack(std::unique_ptr<Connection> connection);

  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_READER_POOL_H_
