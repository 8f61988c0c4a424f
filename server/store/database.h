// Transactions over rows: with rows.h, all that a new backend has to implement.
// MakeStore (rule_store.h) makes a Store of it.
#ifndef SLIPSTREAM_SERVER_STORE_DATABASE_H_
#define SLIPSTREAM_SERVER_STORE_DATABASE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "server/store/rows.h"

namespace slipstream {

// How a transaction ended.
struct TransactionEnd {
  absl::Status status;  // OK: committed, and durable.
  // When not OK: the body ran and surely nothing of it was committed, so its
  // parts may be tried on their own. False when the transaction could not begin,
  // and when it is unknown whether it was committed, as after a disk has failed or
  // a connection was lost: status UNAVAILABLE. Clients repeat the call then, perhaps
  // at a server that was started again, and its request id tells what became of it.
  bool rolled_back = false;
};

class Database {
 public:
  virtual ~Database() = default;

  // Runs `body` in a transaction and commits it if it returns OK, else rolls it
  // back and returns its status. May run `body` again after a rollback, for
  // example when another server's transaction came between, and gives that up, if
  // at all, with UNAVAILABLE, which clients take for a reason to repeat the call.
  // Throws nothing: if memory runs out, also in `body`, the status is OutOfMemory. Called by one
  // thread at a time.
  virtual TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) = 0;

  // Runs `body`, once, on a snapshot and returns its status, or why there is no
  // snapshot. Thread-safe, and not delayed by transactions.
  virtual absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) = 0;

  // Does a little of what is better done while no writes wait, for example
  // erasing deleted rows; false when nothing is left to do. Called by the thread
  // that calls Transact; throws nothing.
  virtual bool OnIdle() { return false; }

  // What goes on in it. Thread-safe, and waits for nothing.
  virtual DatabaseFigures Figures() { return {}; }
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_DATABASE_H_
