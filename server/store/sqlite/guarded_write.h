// The frame that all writes with a guard share: look for a remembered answer,
// do the deed, render and remember the answer.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_GUARDED_WRITE_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_GUARDED_WRITE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/status.h"
#include "server/store/sqlite/write_queue.h"
#include "server/store/sqlite/write_session.h"
#include "server/store/store.h"

namespace slipstream::sqlite {

// `Deed` is a function of (WriteSession&) that gives StatusOr<Record>. It may
// be called again after a rollback.
template <typename Record, typename Deed>
class GuardedWrite : public PendingWrite {
 public:
  GuardedWrite(Deed deed, Write<Record> write)
      : deed_(std::move(deed)), write_(std::move(write)) {}

  absl::Status Apply(WriteSession& session) override {
    SLIPSTREAM_ASSIGN_OR_RETURN(earlier_, session.answers.Find(write_.guard));
    if (earlier_.has_value()) return absl::OkStatus();
    SLIPSTREAM_ASSIGN_OR_RETURN(const Record record, deed_(session));
    std::string answer;
    if (write_.render) answer = write_.render(record);
    return session.answers.Remember(write_.guard, answer);
  }

  void Answer(absl::Status status) override {
    if (!status.ok()) earlier_.reset();
    if (write_.done) write_.done(std::move(status), std::move(earlier_));
  }

 private:
  Deed deed_;
  Write<Record> write_;
  std::optional<std::string> earlier_;
};

template <typename Record, typename Deed>
std::unique_ptr<PendingWrite> MakeGuardedWrite(Deed deed, Write<Record> write) {
  return std::make_unique<GuardedWrite<Record, Deed>>(std::move(deed), std::move(write));
}

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_GUARDED_WRITE_H_
