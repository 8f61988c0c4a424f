// Names of resources in messages, as the API writes them.
#ifndef SLIPSTREAM_SERVER_STORE_RESOURCE_MESSAGE_H_
#define SLIPSTREAM_SERVER_STORE_RESOURCE_MESSAGE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace slipstream {

inline std::string NameOfStudy(const std::string& id) { return absl::StrCat("studies/", id); }
inline std::string NameOfTrial(const std::string& study_id, int64_t number) {
  return absl::StrCat("studies/", study_id, "/trials/", number);
}
inline std::string NameOfSourceTask(const std::string& id) {
  return absl::StrCat("sourceTasks/", id);
}

inline absl::Status StudyNotFound(const std::string& id) {
  return absl::NotFoundError(absl::StrCat("there is no ", NameOfStudy(id)));
}
inline absl::Status TrialNotFound(const std::string& study_id, int64_t number) {
  return absl::NotFoundError(absl::StrCat("there is no ", NameOfTrial(study_id, number)));
}
inline absl::Status SourceTaskNotFound(const std::string& id) {
  return absl::NotFoundError(absl::StrCat("there is no ", NameOfSourceTask(id)));
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_RESOURCE_MESSAGE_H_
