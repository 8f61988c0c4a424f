// A study while it is being imported. Checks each line as it comes and converts it at once into
// what the store takes, so that an import is never held as messages. One import belongs to one
// call; not thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_STUDY_IMPORT_H_
#define SLIPSTREAM_SERVER_SERVICE_STUDY_IMPORT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/convert/export_conversion.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class StudyImport {
 public:
  // Takes the next message. INVALID_ARGUMENT, an InvalidField, when the first message has no header
  // or a later one has, or when the header or a line is illegal; the field begins with "line N: ",
  // counted from 1 over the whole call. The import cannot be used after an error.
  absl::Status Add(const v1::ImportStudyRequest& message);

  // To be called once all messages have been added. INVALID_ARGUMENT when lines are missing, or
  // trials do not fit together.
  absl::StatusOr<ImportedStudy> Finish();

  // Memory that the lines so far take, about.
  int64_t held_bytes() const { return held_bytes_; }
  // What the study makes use of; after Finish.
  const StudyDefinition& definition() const { return head_->definition; }
  // Guards an import of what has been added.
  RequestGuard Guard() const;

 private:
  absl::Status TakeHeader(const v1::ImportStudyRequest::Header& header);
  absl::Status AddLine(const v1::ExportLine& line);
  absl::Status CheckProjectIsMeant(const v1::Study& study) const;
  absl::Status TakeStudy(const v1::Study& study);
  absl::Status TakeTrial(const v1::ExportedTrial& trial);
  absl::Status TakeEnd(const v1::ExportLine::End& end);
  // The trials that were queued again name each other.
  absl::Status CheckLinks() const;

  bool has_header_ = false;
  v1::ImportStudyRequest::Header header_;
  std::string project_;
  int64_t lines_ = 0;
  bool ended_ = false;
  std::optional<ImportedHead> head_;
  int64_t held_bytes_ = 0;
  std::string digest_;  // A chained hash of the lines so far.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_STUDY_IMPORT_H_
