// Makes a change that is too large for one transaction in as many as its size takes, between which
// other writes come. The last one shows all of it, or nobody ever sees any.
#ifndef SLIPSTREAM_SERVER_STORE_GRADUAL_WRITE_H_
#define SLIPSTREAM_SERVER_STORE_GRADUAL_WRITE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "server/store/answer_rules.h"
#include "server/store/guarded_write.h"
#include "server/store/rows.h"
#include "server/store/store.h"
#include "server/store/write_queue.h"

namespace slipstream {

// Owns itself from Start until it has answered, and goes on from each answer of its writes: used by
// one thread at a time. `Change` has
//
//   using Record = ...;  // What is answered.
//   using Part = ...;    // What is stored so far: nothing at first.
//   bool HasMore(const Part&) const;   // Than the last transaction takes.
//   bool HasBegun(const Part&) const;  // Whether there is anything to go on with, or to give up.
//   absl::StatusOr<Part> Begin(RowTransaction&) const;  // Or nothing, if there is no need to.
//   absl::StatusOr<Part> Continue(RowTransaction&, const Part&) const;
//   absl::StatusOr<Record> Finish(RowTransaction&, const Part&) const;
//   static absl::Status GiveUp(RowTransaction&, const Part&);
//   Quotas* quotas;
template <typename Change>
class GradualWrite : public std::enable_shared_from_this<GradualWrite<Change>> {
 public:
  using Record = typename Change::Record;
  using Part = typename Change::Part;

  // `writes` must outlive the work.
  static void Start(WriteQueue* writes, Change change, Write<Record> write) {
    std::shared_ptr<GradualWrite> work(
        new GradualWrite(writes, std::move(change), std::move(write)));
    work->Begin();
  }

 private:
  GradualWrite(WriteQueue* writes, Change change, Write<Record> write)
      : writes_(*writes), change_(std::move(change)), write_(std::move(write)) {}

  // A repeat is answered by the last transaction.
  void Begin() {
    if (!change_.HasMore(part_)) return Finish();
    Make([this](RowTransaction& rows) -> absl::StatusOr<Part> {
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> earlier,
                                  rules::FindAnswer(rows, write_.guard));
      return earlier.has_value() ? absl::StatusOr<Part>(Part()) : change_.Begin(rows);
    });
  }

  void GoOn() {
    if (!change_.HasBegun(part_) || !change_.HasMore(part_)) return Finish();
    Make([this](RowTransaction& rows) { return change_.Continue(rows, part_); });
  }

  // Makes a part in a transaction of its own, and goes on with it.
  template <typename Deed>
  void Make(Deed deed) {
    const auto self = this->shared_from_this();
    Write<Part> write;
    write.render = [self](const Part& part) {
      self->next_ = part;
      return std::string();
    };
    write.done = [self](absl::Status status, std::optional<std::string>) {
      if (!status.ok()) return self->End(std::move(status), std::nullopt);
      self->part_ = std::move(self->next_);
      self->GoOn();
    };
    writes_.Submit(MakeGuardedWrite<Part>(std::move(deed), std::move(write)));
  }

  void Finish() {
    const auto self = this->shared_from_this();
    Write<Record> write;
    write.guard = write_.guard;
    write.render = write_.render;
    write.done = [self](absl::Status status, std::optional<std::string> earlier) {
      self->End(std::move(status), std::move(earlier));
    };
    auto deed = [self](RowTransaction& rows) { return self->change_.Finish(rows, self->part_); };
    writes_.Submit(MakeGuardedWrite<Record>(std::move(deed), std::move(write), change_.quotas));
  }

  void End(absl::Status status, std::optional<std::string> earlier) {
    const bool is_in_vain = !status.ok() || earlier.has_value();
    if (is_in_vain && change_.HasBegun(part_)) GiveUp();
    if (write_.done) write_.done(std::move(status), std::move(earlier));
  }

  // Also where too many writes wait, which may be why the change failed. Without memory, the parts
  // stay until the database is closed.
  void GiveUp() {
    OrOutOfMemory([this] {
      auto give_up = [part = part_](RowTransaction& rows) -> absl::StatusOr<Unit> {
        SLIPSTREAM_RETURN_IF_ERROR(Change::GiveUp(rows, part));
        return Unit{};
      };
      writes_.SubmitCleanup(MakeGuardedWrite<Unit>(std::move(give_up), Write<Unit>()));
      return absl::OkStatus();
    }).IgnoreError();
  }

  WriteQueue& writes_;
  const Change change_;
  const Write<Record> write_;
  Part part_;  // Durable.
  Part next_;  // As the latest attempt of a transaction leaves it.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_GRADUAL_WRITE_H_
