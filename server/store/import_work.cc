#include "server/store/import_work.h"

#include <cstdint>
#include <utility>

#include "core/base/status.h"
#include "server/store/answer_rules.h"
#include "server/store/guarded_write.h"

namespace slipstream {

ImportWork::ImportWork(WriteQueue* writes, rules::CheckedImport import, Quotas* quotas,
                       Write<StudyRecord> write)
    : writes_(*writes), quotas_(quotas), import_(std::move(import)), write_(std::move(write)) {}

void ImportWork::Start(WriteQueue* writes, rules::CheckedImport import, Quotas* quotas,
                       Write<StudyRecord> write) {
  std::shared_ptr<ImportWork> work(
      new ImportWork(writes, std::move(import), quotas, std::move(write)));
  work->Begin();
}

// A repeat is answered by the last transaction.
void ImportWork::Begin() {
  if (!rules::HasMore(import_, part_)) return Finish();
  Make([this](RowTransaction& rows) -> absl::StatusOr<rules::ImportPart> {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> earlier,
                                rules::FindAnswer(rows, write_.guard));
    if (earlier.has_value()) return rules::ImportPart();
    return rules::BeginImport(rows, import_, quotas_);
  });
}

void ImportWork::GoOn() {
  if (part_.study_key == 0 || !rules::HasMore(import_, part_)) return Finish();
  Make([this](RowTransaction& rows) { return rules::ContinueImport(rows, import_, part_); });
}

void ImportWork::Make(Deed deed) {
  const auto self = shared_from_this();
  Write<rules::ImportPart> write;
  write.render = [self](const rules::ImportPart& part) {
    self->next_ = part;
    return std::string();
  };
  write.done = [self](absl::Status status, std::optional<std::string>) {
    if (!status.ok()) return self->End(std::move(status), std::nullopt);
    self->part_ = std::move(self->next_);
    self->GoOn();
  };
  writes_.Submit(MakeGuardedWrite<rules::ImportPart>(std::move(deed), std::move(write)));
}

void ImportWork::Finish() {
  const auto self = shared_from_this();
  Write<StudyRecord> write;
  write.guard = write_.guard;
  write.render = write_.render;
  write.done = [self](absl::Status status, std::optional<std::string> earlier) {
    self->End(std::move(status), std::move(earlier));
  };
  auto deed = [self](RowTransaction& rows) {
    return rules::FinishImport(rows, self->import_, self->part_, self->quotas_);
  };
  writes_.Submit(MakeGuardedWrite<StudyRecord>(std::move(deed), std::move(write)));
}

void ImportWork::End(absl::Status status, std::optional<std::string> earlier) {
  const bool is_in_vain = !status.ok() || earlier.has_value();
  if (is_in_vain && part_.study_key > 0) {
    auto give_up = [key = part_.study_key](RowTransaction& rows) -> absl::StatusOr<Unit> {
      SLIPSTREAM_RETURN_IF_ERROR(rows.GiveUpStudy(key));
      return Unit{};
    };
    writes_.Submit(MakeGuardedWrite<Unit>(std::move(give_up), Write<Unit>()));
  }
  if (write_.done) write_.done(std::move(status), std::move(earlier));
}

}  // namespace slipstream
