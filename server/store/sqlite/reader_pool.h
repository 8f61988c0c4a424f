// A pool of connections for reading, each lent to one call at a time.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_READER_POOL_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_READER_POOL_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "server/store/sqlite/connection.h"

namespace slipstream::sqlite {

// Thread-safe.
class ReaderPool {
 public:
  explicit ReaderPool(std::vector<std::unique_ptr<Connection>> connections)
      : idle_(std::move(connections)) {}

  // Runs `read` in a snapshot and returns its status, or why there is no snapshot.
  // Waits while all connections are lent.
  absl::Status InSnapshot(absl::FunctionRef<absl::Status(Connection&)> read);

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
