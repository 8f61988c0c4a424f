// The rules of the verbs on studies. Status codes are those of store.h; a refusal
// has written nothing.
#ifndef SLIPSTREAM_SERVER_STORE_STUDY_RULES_H_
#define SLIPSTREAM_SERVER_STORE_STUDY_RULES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

// `quotas`, here and in the other rules, may be null for none.
absl::StatusOr<StudyRecord> CreateStudy(RowTransaction& rows, const NewStudy& study,
                                        Quotas* quotas = nullptr);
absl::StatusOr<StudyRecord> UpdateStudy(RowTransaction& rows, const StudyRef& study,
                                        const StudyChange& change);
absl::StatusOr<Unit> DeleteStudy(RowTransaction& rows, const StudyRef& study);
absl::StatusOr<Unit> ExpireStudy(RowTransaction& rows, const StudyRef& study, int64_t age_ms);

absl::StatusOr<StudyRecord> GetStudy(RowSnapshot& rows, const std::string& id);
absl::StatusOr<StudyRecord> GetStudySummary(RowSnapshot& rows, const StudyRef& study);
absl::StatusOr<std::vector<StudyRecord>> ListStudies(RowSnapshot& rows, ListFilter filter);
absl::StatusOr<std::string> GetCandidates(RowSnapshot& rows, int64_t study_key);

// What else a study begins with; that of a new one is CreateStudy's.
struct StudyBeginning {
  StudyState state = StudyState::kActive;
  int64_t create_ms = 0;
  int64_t update_ms = 0;
  int64_t key = 0;  // 0: it gets a new one.
};

// Shared with the rules of imports. ALREADY_EXISTS.
absl::Status CheckIdIsFree(RowTransaction& rows, const std::string& id);
// Codes as those of CreateStudy; the keys of the source tasks in the order of their ids.
absl::StatusOr<std::vector<int64_t>> FindSourceKeys(RowTransaction& rows,
                                                    const std::vector<std::string>& ids);
// RESOURCE_EXHAUSTED if the project may not grow by `more`, the study and what comes with it.
absl::StatusOr<StudyRecord> StoreNewStudy(RowTransaction& rows, const NewStudy& study,
                                          const StudyBeginning& beginning, const ProjectUsage& more,
                                          Quotas* quotas);

// Shared with the rules of trials. NOT_FOUND, also if another study has the id.
absl::StatusOr<StudyHead> RequireStudy(RowTransaction& rows, const StudyRef& study);
// Whatever its workers do counts as a change of a COMPLETED study, which is deleted when it has
// none for long enough. Other studies' times are left alone, as these change with each trial.
absl::Status NoteChangeOfTrials(RowTransaction& rows, const StudyHead& head);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_STUDY_RULES_H_
