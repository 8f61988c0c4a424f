// One write on its way to a commit.
#ifndef SLIPSTREAM_SERVER_STORE_PENDING_WRITE_H_
#define SLIPSTREAM_SERVER_STORE_PENDING_WRITE_H_

#include <list>
#include <memory>

#include "absl/status/status.h"
#include "server/store/rows.h"

namespace slipstream {

class PendingWrite {
 public:
  virtual ~PendingWrite() = default;

  // Runs in a transaction. Reads before it writes, so that a refusal (an error
  // that leaves rows.failed() false) has written nothing. May be called again
  // after the transaction has been rolled back.
  virtual absl::Status Apply(RowTransaction& rows) = 0;

  // Called after the last Apply with the status of the write. May throw std::bad_alloc as long as
  // it has not told its caller, and is then called once more, with that error, which takes no
  // memory.
  virtual void Answer(absl::Status status) = 0;
};

struct SubmittedWrite {
  std::unique_ptr<PendingWrite> write;
  absl::Status status;  // How it ended.
};

// Takes memory for a write when it is submitted, and none when it is moved to another batch
// (splice): what is committed must be answered, however little memory there is.
using WriteBatch = std::list<SubmittedWrite>;

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_PENDING_WRITE_H_
