// The study that a call is about.
#ifndef SLIPSTREAM_SERVER_SERVICE_MEANT_STUDY_H_
#define SLIPSTREAM_SERVER_SERVICE_MEANT_STUDY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "server/convert/resource_name.h"
#include "server/convert/trial_conversion.h"
#include "server/store/records.h"

namespace slipstream {

// When the study was created that is meant, if the caller says so; for requests with the field
// `study_create_time`. INVALID_ARGUMENT, an InvalidField on it.
template <typename Request>
absl::StatusOr<std::optional<int64_t>> StudyCreateMsOf(const Request& request) {
  if (!request.has_study_create_time()) return std::optional<int64_t>();
  SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t create_ms,
                              MsFromProto("study_create_time", request.study_create_time()));
  return std::optional<int64_t>(create_ms);
}

// The study of this name, which is in `field` of a request that also has the field
// `study_create_time`. INVALID_ARGUMENT, an InvalidField on one of them.
template <typename Request>
absl::StatusOr<StudyRef> MeantStudyOf(const Request& request, absl::string_view field,
                                      const std::string& name) {
  StudyRef study;
  SLIPSTREAM_ASSIGN_OR_RETURN(study.id, ParseStudyName(field, name));
  SLIPSTREAM_ASSIGN_OR_RETURN(study.create_ms, StudyCreateMsOf(request));
  return study;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_MEANT_STUDY_H_
