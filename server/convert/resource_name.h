// Resource names: "studies/{study}", "studies/{study}/trials/{number}",
// "sourceTasks/{source_task}", in a project other than "default" with "projects/{project}/" before
// them. The ids here, and in the store, are "{study}" in the project "default" and
// "{project}/{study}" in others, and so for source tasks. Pure functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_RESOURCE_NAME_H_
#define SLIPSTREAM_SERVER_CONVERT_RESOURCE_NAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream {

// The last part of a study's name, and a project's.
inline constexpr size_t kMaxStudyIdBytes = 63;
inline constexpr size_t kMostProjectBytes = 40;

struct TrialName {
  std::string study_id;
  int64_t number = 0;
};

// The parse functions return INVALID_ARGUMENT, an InvalidField on `field`, when
// `name` does not have the form of such a name.
absl::StatusOr<std::string> ParseStudyName(absl::string_view field, absl::string_view name);
absl::StatusOr<TrialName> ParseTrialName(absl::string_view field, absl::string_view name);
absl::StatusOr<std::string> ParseSourceTaskName(absl::string_view field, absl::string_view name);
// The project if the name, "sourceTasks/-", stands for all of its source tasks.
std::optional<std::string> ProjectOfAllSourceTasks(absl::string_view name);

// The project of "projects/{project}"; an empty name is that of "default". The second function also
// takes "projects/-", which stands for all projects, and then returns nullopt.
absl::StatusOr<std::string> ParseProjectName(absl::string_view field, absl::string_view name);
absl::StatusOr<std::optional<std::string>> ParseProjectsName(absl::string_view field,
                                                             absl::string_view name);

// The id in the store of what has the id `id` in its project. ProjectOfId and IdInProject
// (resource_message.h) take it apart, and NameOfStudy and its like give the name.
std::string StoredId(absl::string_view project, absl::string_view id);

// Checks that `id` may be the last part of a study's name; an InvalidField if not.
absl::Status CheckStudyId(absl::string_view field, absl::string_view id);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_RESOURCE_NAME_H_
