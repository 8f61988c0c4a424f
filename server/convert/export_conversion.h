// Converts whole studies between the lines of an export and the store. Pure functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_EXPORT_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_EXPORT_CONVERSION_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/space/search_space.h"
#include "server/convert/study_conversion.h"
#include "server/store/records.h"
#include "slipstream/v1/study_export.pb.h"

namespace slipstream {

inline constexpr char kExportFormat[] = "slipstream.study";
inline constexpr int kExportFormatVersion = 1;

// The first line.
v1::ExportLine ExportHeader();
// An InvalidField on a path inside the header if this version cannot read what follows.
absl::Status CheckExportHeader(const v1::ExportLine::Header& header);

// The second line; `candidates` are the store's bytes. DATA_LOSS when the bytes cannot be read.
absl::StatusOr<v1::ExportLine> ExportedStudyLine(const StudyRecord& record,
                                                 const std::string& candidates);

// A trial's line in a study of `trial_count` trials: what was queued in its place is left out if
// it comes after them. `provenance` may be empty. DATA_LOSS when bytes cannot be read.
absl::StatusOr<v1::ExportLine> ExportedTrialLine(absl::string_view study_id,
                                                 absl::string_view metric,
                                                 const ImportedTrial& trial, int64_t trial_count);

// The last line.
v1::ExportLine ExportEnd(int64_t trial_count);

// A study without its trials, and what is needed to read these.
struct ImportedHead {
  ImportedStudy study;  // study.study.id is the caller's to set.
  StudyDefinition definition;
};

// Checks an exported study like one that is to be created, and its times and state. An InvalidField
// with the path inside the message.
absl::StatusOr<ImportedHead> ImportedHeadFromProto(const v1::Study& study);

// Checks an exported trial like the calls that would have made it. An InvalidField with the path
// inside the message.
absl::StatusOr<ImportedTrial> ImportedTrialFromProto(const SearchSpace& space,
                                                     absl::string_view metric,
                                                     const v1::ExportedTrial& trial);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_EXPORT_CONVERSION_H_
