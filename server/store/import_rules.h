// The rule of the verb that stores an imported study. Status codes are those
// of store.h; a refusal has written nothing.
#ifndef SLIPSTREAM_SERVER_STORE_IMPORT_RULES_H_
#define SLIPSTREAM_SERVER_STORE_IMPORT_RULES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

struct ImportLimits {
  int64_t max_trials = 0;   // In a study.
  int64_t max_reports = 0;  // For a trial.
};

absl::StatusOr<StudyRecord> ImportStudy(RowTransaction& rows, const ImportedStudy& imported,
                                        const ImportLimits& limits, Quotas* quotas = nullptr);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_IMPORT_RULES_H_
