// The frame of every write with a guard: find a remembered answer, else do the
// write, render its answer and remember it.
#ifndef SLIPSTREAM_SERVER_STORE_GUARDED_WRITE_H_
#define SLIPSTREAM_SERVER_STORE_GUARDED_WRITE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/status.h"
#include "server/store/answer_rules.h"
#include "server/store/pending_write.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream {

// `Deed` is a function of (RowTransaction&) that returns StatusOr<Record>. It may
// be called again after a rollback. Null quotas let any number of answers be remembered.
template <typename Record, typename Deed>
class GuardedWrite : public PendingWrite {
 public:
  GuardedWrite(Deed deed, Write<Record> write, Quotas* quotas)
      : deed_(std::move(deed)), write_(std::move(write)), quotas_(quotas) {}

  absl::Status Apply(RowTransaction& rows) override {
    SLIPSTREAM_ASSIGN_OR_RETURN(earlier_, rules::FindAnswer(rows, write_.guard));
    if (earlier_.has_value()) return absl::OkStatus();
    SLIPSTREAM_RETURN_IF_ERROR(rules::CheckRoomForAnswer(rows, quotas_, write_.guard));
    SLIPSTREAM_ASSIGN_OR_RETURN(const Record record, deed_(rows));
    std::string answer;
    if (write_.render) answer = write_.render(record);
    return rules::RememberAnswer(rows, write_.guard, std::move(answer));
  }

  void Answer(absl::Status status) override {
    if (!status.ok()) earlier_.reset();
    if (write_.done) write_.done(std::move(status), std::move(earlier_));
  }

 private:
  Deed deed_;
  Write<Record> write_;
  Quotas* const quotas_;
  std::optional<std::string> earlier_;
};

template <typename Record, typename Deed>
std::unique_ptr<PendingWrite> MakeGuardedWrite(Deed deed, Write<Record> write,
                                               Quotas* quotas = nullptr) {
  return std::make_unique<GuardedWrite<Record, Deed>>(std::move(deed), std::move(write), quotas);
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_GUARDED_WRITE_H_
