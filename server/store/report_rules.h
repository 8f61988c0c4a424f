// The rules of intermediate measurements and of what people write on a trial. Status
// codes are those of store.h; a refusal has written nothing.
#ifndef SLIPSTREAM_SERVER_STORE_REPORT_RULES_H_
#define SLIPSTREAM_SERVER_STORE_REPORT_RULES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

// `max_reports` is the most that a trial may have.
absl::StatusOr<TrialRecord> Report(RowTransaction& rows, const TrialReports& reports,
                                   int64_t max_reports);
absl::StatusOr<TrialRecord> UpdateTrial(RowTransaction& rows, const Annotation& annotation);

absl::StatusOr<std::vector<ReportRecord>> ListReports(RowSnapshot& rows, const StudyRef& study,
                                                      int64_t after_number, int64_t last_number,
                                                      int limit);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_REPORT_RULES_H_
