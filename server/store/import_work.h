// Stores an imported study in as many transactions as its size takes.
#ifndef SLIPSTREAM_SERVER_STORE_IMPORT_WORK_H_
#define SLIPSTREAM_SERVER_STORE_IMPORT_WORK_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/import_rules.h"
#include "server/store/rows.h"
#include "server/store/store.h"
#include "server/store/write_queue.h"

namespace slipstream {

// Owns itself from Start until it has answered, and goes on from each answer of its writes: used by
// one thread at a time.
class ImportWork : public std::enable_shared_from_this<ImportWork> {
 public:
  // `writes` and `quotas`, which may be null, must outlive the work.
  static void Start(WriteQueue* writes, rules::CheckedImport import, Quotas* quotas,
                    Write<StudyRecord> write);

 private:
  using Deed = std::function<absl::StatusOr<rules::ImportPart>(RowTransaction&)>;

  ImportWork(WriteQueue* writes, rules::CheckedImport import, Quotas* quotas,
             Write<StudyRecord> write);

  void Begin();
  void GoOn();
  void Finish();
  // Makes a part in a transaction of its own, and goes on with it.
  void Make(Deed deed);
  void End(absl::Status status, std::optional<std::string> earlier);

  WriteQueue& writes_;
  Quotas* const quotas_;
  const rules::CheckedImport import_;
  const Write<StudyRecord> write_;
  rules::ImportPart part_;  // Durable.
  rules::ImportPart next_;  // As the latest attempt of a transaction leaves it.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_IMPORT_WORK_H_
