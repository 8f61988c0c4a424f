// A study while it is being exported: its lines, a few at a time, as they stand when they are read.
// One export belongs to one call; not thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_STUDY_EXPORT_H_
#define SLIPSTREAM_SERVER_SERVICE_STUDY_EXPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class StudyExport {
 public:
  // An answer with this many bytes is full; only a line that is larger alone exceeds it by much.
  static constexpr size_t kFullBytes = size_t{256} << 10;

  // `store` must outlive the export. NOT_FOUND.
  static absl::StatusOr<std::unique_ptr<StudyExport>> Open(Store* store, const StudyRef& study);

  // The next lines; none after the last one. NOT_FOUND: the study has been deleted.
  absl::StatusOr<v1::ExportStudyResponse> Next();

 private:
  StudyExport(Store* store, StudyRecord record) : store_(*store), record_(std::move(record)) {}

  absl::Status AddBeginning(v1::ExportStudyResponse* answer);
  // Whether the answer is full.
  absl::StatusOr<bool> AddTrials(v1::ExportStudyResponse* answer);
  // The next trials with their provenances and reports; few if they have many reports.
  absl::StatusOr<std::vector<ImportedTrial>> ReadTrials();
  absl::Status FillReports(std::vector<ImportedTrial>* trials);

  Store& store_;
  const StudyRecord record_;  // Its trial count is the number of the last trial to export.
  std::string metric_;
  int64_t last_number_ = 0;  // The number of the last trial that was passed on.
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_STUDY_EXPORT_H_
