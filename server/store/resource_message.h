// Names of resources in messages, as the API writes them.
#ifndef SLIPSTREAM_SERVER_STORE_RESOURCE_MESSAGE_H_
#define SLIPSTREAM_SERVER_STORE_RESOURCE_MESSAGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace slipstream {

// The name of the resource with this id in a collection. Ids of the project "default" stand alone,
// others are "PROJECT/ID".
inline std::string NameInCollection(absl::string_view collection, absl::string_view id) {
  const size_t slash = id.find('/');
  if (slash == absl::string_view::npos) return absl::StrCat(collection, "/", id);
  return absl::StrCat("projects/", id.substr(0, slash), "/", collection, id.substr(slash));
}

// The project of the resource with this id.
inline absl::string_view ProjectOfId(absl::string_view id) {
  const size_t slash = id.find('/');
  return slash == absl::string_view::npos ? absl::string_view("default") : id.substr(0, slash);
}

// The id within its project.
inline absl::string_view IdInProject(absl::string_view id) {
  const size_t slash = id.find('/');
  return slash == absl::string_view::npos ? id : id.substr(slash + 1);
}

inline std::string NameOfStudy(absl::string_view id) { return NameInCollection("studies", id); }
inline std::string NameOfTrial(absl::string_view study_id, int64_t number) {
  return absl::StrCat(NameOfStudy(study_id), "/trials/", number);
}
inline std::string NameOfSourceTask(absl::string_view id) {
  return NameInCollection("sourceTasks", id);
}

// "1 trial", "2 trials".
inline std::string CountOf(int64_t count, absl::string_view one) {
  return absl::StrCat(count, " ", one, count == 1 ? "" : "s");
}

inline absl::Status StudyNotFound(const std::string& id) {
  return absl::NotFoundError(absl::StrCat("there is no ", NameOfStudy(id)));
}
// The error where a study is gone and another one has its name.
inline absl::Status StudyReplaced(const std::string& id) {
  return absl::NotFoundError(absl::StrCat(
      NameOfStudy(id),
      " is not the study that the call is about, which is gone: it was deleted and created again, "
      "or replaced by an import"));
}
inline absl::Status TrialNotFound(const std::string& study_id, int64_t number) {
  return absl::NotFoundError(absl::StrCat("there is no ", NameOfTrial(study_id, number)));
}
// The error where a trial is gone and another one has its name.
inline absl::Status TrialReplaced(const std::string& study_id, int64_t number) {
  return absl::NotFoundError(absl::StrCat(
      NameOfTrial(study_id, number),
      " is not the trial that the call is about, which is gone: its study was deleted and created "
      "again, or an older backup was restored"));
}
inline absl::Status SourceTaskNotFound(const std::string& id) {
  return absl::NotFoundError(absl::StrCat("there is no ", NameOfSourceTask(id)));
}

// The error where these source tasks of a study, at least one, do not exist: "there is no
// sourceTasks/a", or "there is no sourceTasks/a, sourceTasks/b and 3 others". Names the first ten.
inline absl::Status SourceTasksNotFound(absl::Span<const std::string> ids) {
  constexpr size_t kNamed = 10;
  const size_t others = ids.size() - std::min(ids.size(), kNamed);
  const std::string names =
      absl::StrJoin(ids.first(ids.size() - others), ", ", [](std::string* out, const auto& id) {
        out->append(NameOfSourceTask(id));
      });
  if (others == 0) return absl::NotFoundError(absl::StrCat("there is no ", names));
  return absl::NotFoundError(
      absl::StrCat("there is no ", names, " and ", CountOf(static_cast<int64_t>(others), "other")));
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_STORE_RESOURCE_MESSAGE_H_
