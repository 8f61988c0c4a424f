#include "client/cpp/study_name.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace slipstream::client_internal {
namespace {

constexpr char kDefaultProject[] = "default";
constexpr char kAllProjects[] = "-";

// The project is empty where the text has none; the id is empty where it is no name of a study.
StudyName PartsOf(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, '/');
  if (parts.size() == 1) return {"", parts[0]};
  if (parts.size() == 2 && parts[0] == "studies") return {kDefaultProject, parts[1]};
  if (parts.size() == 4 && parts[0] == "projects" && !parts[1].empty() && parts[2] == "studies") {
    return {parts[1], parts[3]};
  }
  return {};
}

}  // namespace

std::string StudyName::Full() const { return absl::StrCat(ProjectPrefix(project), "studies/", id); }

std::string StudyName::Short() const { return project == kDefaultProject ? id : Full(); }

std::string ProjectPrefix(const std::string& project) {
  if (project.empty() || project == kDefaultProject) return "";
  return absl::StrCat("projects/", project, "/");
}

absl::StatusOr<StudyName> ReadStudyName(const std::string& text, const std::string& project,
                                        const std::string& otherwise) {
  StudyName name = PartsOf(text);
  if (name.id.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not the id of a study, such as \"digits\""));
  }
  if (name.project.empty()) {
    name.project = !project.empty() ? project : !otherwise.empty() ? otherwise : kDefaultProject;
  } else if (!project.empty() && project != name.project) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not in the project '", project, "'"));
  }
  if (name.project != kAllProjects) return name;
  return absl::InvalidArgumentError(absl::StrCat(
      "which project is '", text, "' in? \"-\" stands for all; name one, or give the full name, "
      "such as \"projects/vision/studies/", name.id, "\""));
}

StudyName StudyNameOf(const std::string& full) {
  StudyName name = PartsOf(full);
  if (name.project.empty()) name.project = kDefaultProject;
  return name;
}

}  // namespace slipstream::client_internal
