// The rules of the verb that stores an imported study. A large one is stored in several
// transactions, so that other writes need not wait for all of it:
//
//   ImportPart part = BeginImport(...);
//   while (HasMore(import, part)) part = ContinueImport(...);
//   study = FinishImport(..., part);
//
// Nobody finds anything of the study before the last one. Status codes are those of store.h; a
// refusal has written nothing in its transaction.
#ifndef SLIPSTREAM_SERVER_STORE_IMPORT_RULES_H_
#define SLIPSTREAM_SERVER_STORE_IMPORT_RULES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"
#include "server/store/usage.h"

namespace slipstream::rules {

struct ImportLimits {
  int64_t max_trials = 0;   // In a study.
  int64_t max_reports = 0;  // For a trial.
};

// A study to be imported, its ACTIVE trials given back, and what is known of it without the store.
struct CheckedImport {
  CheckedImport(ImportedStudy imported, const ImportLimits& limits, int64_t now_ms);

  ImportedStudy study;
  absl::Status trials;  // Why they cannot be stored, if they cannot.
  ProjectUsage share;   // What the study takes of its project's quotas.
};

// What is stored of an import so far.
struct ImportPart {
  int64_t study_key = 0;  // 0: the study has not been begun.
  size_t trials = 0;      // The first ones are stored.
  StudyHead counts;       // Of these.
};

// Whether more trials are left than one transaction takes.
bool HasMore(const CheckedImport& import, const ImportPart& part);

absl::StatusOr<ImportPart> BeginImport(RowTransaction& rows, const CheckedImport& import,
                                       Quotas* quotas = nullptr);
// Stores the next trials, as many as one transaction takes.
absl::StatusOr<ImportPart> ContinueImport(RowTransaction& rows, const CheckedImport& import,
                                          ImportPart part);
// Stores the study, and the trials that are left. An import that has not been begun is stored
// whole.
absl::StatusOr<StudyRecord> FinishImport(RowTransaction& rows, const CheckedImport& import,
                                         ImportPart part, Quotas* quotas = nullptr);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_IMPORT_RULES_H_
