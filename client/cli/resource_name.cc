#include "client/cli/resource_name.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "client/cli/status_macros.h"
#include "client/cli/usage_error.h"

namespace slipstream::cli {
namespace {

constexpr char kStudies[] = "studies/";
constexpr char kSourceTasks[] = "sourceTasks/";
constexpr char kProjects[] = "projects/";
constexpr char kDefault[] = "default";
constexpr char kAll[] = "-";
constexpr size_t kSourceTaskDigits = 32;
constexpr size_t kFewestDigits = 6;
constexpr size_t kShownDigits = 12;

std::string Without(const std::string& text, absl::string_view prefix) {
  return std::string(absl::StripPrefix(text, prefix));
}

bool IsHexadecimal(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isxdigit(c); });
}

absl::Status Ambiguous(const std::string& digits, const std::vector<std::string>& names) {
  return absl::InvalidArgumentError(absl::StrCat("several source tasks begin with ", digits, ": ",
                                                 names[0], " and ", names[1],
                                                 names.size() > 2 ? " among others" : ""));
}

// Whether the text is a whole name such as "projects/vision/studies/digits".
bool IsInProject(const std::string& text, absl::string_view collection) {
  const std::vector<std::string> parts = absl::StrSplit(text, '/');
  return parts.size() == 4 && absl::StartsWith(text, kProjects) && !parts[1].empty() &&
         parts[2] + "/" == collection && !parts[3].empty();
}

// A usage error if `text` names something in `its_project`, and the command line another project.
absl::Status CheckProject(const std::string& text, absl::string_view its_project,
                          const ProjectChoice& project) {
  if (!project.is_given || project.name == its_project || project.name == kAll) {
    return absl::OkStatus();
  }
  return UsageError(absl::StrCat("'", text, "' is of the project ", its_project,
                                 ", and --project names ", project.name));
}

// What to do where the choice of all projects leaves open which one is meant.
std::string NameOne(const ProjectChoice& all) {
  return absl::StrCat("Name it with --project NAME: ",
                      all.is_given ? "--project -" : "SLIPSTREAM_PROJECT=-", " stands for all");
}

// What stands before "studies/" or "sourceTasks/" in a full name: "projects/vision/", or nothing.
absl::StatusOr<std::string> PrefixOf(const std::string& text, const ProjectChoice& project) {
  if (project.name == kAll) {
    return UsageError(absl::StrCat("which project is '", text, "' of? ", NameOne(project)));
  }
  if (project.name.empty() || project.name == kDefault) return std::string();
  return absl::StrCat(kProjects, project.name, "/");
}

// Takes a positive number only as the server writes it: without a sign, spaces and leading zeros.
bool ReadTrialNumber(const std::string& text, int64_t* number) {
  return !text.empty() && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return absl::ascii_isdigit(c); }) &&
         absl::SimpleAtoi(text, number);
}

// Takes "projects/vision/studies/digits/3" too, as ShortTrialName writes it.
absl::StatusOr<std::string> FullTrialNameInProject(const std::string& text,
                                                   const ProjectChoice& project) {
  const size_t slash = text.rfind('/');
  const std::string study(absl::StripSuffix(text.substr(0, slash), "/trials"));
  int64_t number = 0;
  if (IsInProject(study, kStudies) && ReadTrialNumber(text.substr(slash + 1), &number)) {
    RETURN_IF_ERROR(CheckProject(text, ProjectIn(study), project));
    return absl::StrCat(study, "/trials/", number);
  }
  return UsageError(absl::StrCat("'", text,
                                 "' is not the name of a trial, such as "
                                 "projects/vision/studies/digits/3"));
}

// The prefix of `text`, which names no project: "studies/digits" is a full name in the project
// default, "digits" stands for a study of the chosen project.
absl::StatusOr<std::string> PrefixFor(const std::string& text, absl::string_view collection,
                                      const ProjectChoice& project) {
  if (!absl::StartsWith(text, collection)) return PrefixOf(text, project);
  RETURN_IF_ERROR(CheckProject(text, kDefault, project));
  return std::string();
}

absl::StatusOr<std::string> FindSourceTask(Client& client, const std::string& prefix,
                                           const std::string& digits) {
  std::vector<std::string> found;
  RETURN_IF_ERROR(client.ListAllSourceTasks(
      [&](const v1::SourceTask& task) {
        if (absl::StartsWith(task.name(), absl::StrCat(prefix, kSourceTasks, digits))) {
          found.push_back(task.name());
        }
        return true;
      },
      std::string(absl::StripSuffix(prefix, "/"))));
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat("no source task begins with ", digits));
  }
  return Ambiguous(digits, found);
}

}  // namespace

absl::StatusOr<std::string> ParentOf(const ProjectChoice& project) {
  if (project.name != kAll) return ParentsOf(project);
  return UsageError(absl::StrCat("which project? ", NameOne(project),
                                 ", and is only for lists and watches"));
}

std::string ParentsOf(const ProjectChoice& project) {
  return project.name.empty() ? "" : absl::StrCat(kProjects, project.name);
}

std::string ProjectIn(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kProjects)) return kDefault;
  return std::string(name.substr(0, name.find('/')));
}

std::string MissingName(absl::string_view message) {
  constexpr absl::string_view kBefore = "there is no ";
  const size_t found = message.find(kBefore);
  if (found == absl::string_view::npos) return "";
  const absl::string_view name = message.substr(found + kBefore.size());
  return std::string(name.substr(0, name.find_first_of(" ,:;")));
}

absl::Status CheckProjectOfImport(absl::string_view file, absl::string_view what,
                                  absl::string_view name, const ProjectChoice& project) {
  const std::string own = ProjectIn(name);
  if (!project.name.empty() || own == kDefault) return absl::OkStatus();
  return UsageError(absl::StrCat(file, " is ", what, " of the project ", own, ": give --project ",
                                 own, " to keep it there, or another project"));
}

absl::StatusOr<std::string> FullStudyName(const std::string& text, const ProjectChoice& project) {
  if (IsInProject(text, kStudies)) {
    RETURN_IF_ERROR(CheckProject(text, ProjectIn(text), project));
    return text;
  }
  const std::string id = Without(text, kStudies);
  if (id.empty() || absl::StrContains(id, '/')) {
    return UsageError(absl::StrCat("'", text, "' is not the name of a study, such as digits"));
  }
  ASSIGN_OR_RETURN(const std::string prefix, PrefixFor(text, kStudies, project));
  return absl::StrCat(prefix, kStudies, id);
}

absl::StatusOr<std::string> FullTrialName(const std::string& text, const ProjectChoice& project) {
  if (absl::StartsWith(text, kProjects)) return FullTrialNameInProject(text, project);
  std::vector<std::string> parts = absl::StrSplit(Without(text, kStudies), '/');
  if (parts.size() == 3 && parts[1] == "trials") parts.erase(parts.begin() + 1);
  int64_t number = 0;
  const bool sound = parts.size() == 2 && !parts[0].empty() && ReadTrialNumber(parts[1], &number);
  if (!sound) {
    return UsageError(absl::StrCat("'", text, "' is not the name of a trial, such as digits/3"));
  }
  ASSIGN_OR_RETURN(const std::string prefix, PrefixFor(text, kStudies, project));
  return absl::StrCat(prefix, kStudies, parts[0], "/trials/", number);
}

std::string StudyOfTrial(const std::string& trial) {
  return trial.substr(0, trial.find("/trials/"));
}

absl::StatusOr<std::string> FullSourceTaskName(Client& client, const std::string& text,
                                               const ProjectChoice& project) {
  if (IsInProject(text, kSourceTasks)) {
    RETURN_IF_ERROR(CheckProject(text, ProjectIn(text), project));
    return text;
  }
  const std::string digits = absl::AsciiStrToLower(Without(text, kSourceTasks));
  const bool sound =
      IsHexadecimal(digits) && digits.size() >= kFewestDigits && digits.size() <= kSourceTaskDigits;
  if (!sound) {
    return UsageError(absl::StrCat("'", text, "' is not the name of a source task: its ",
                                   kSourceTaskDigits, " hexadecimal digits or the first ",
                                   kFewestDigits, " or more of them, which slipstream source list "
                                   "shows. To make one of a CSV file: slipstream source register"));
  }
  ASSIGN_OR_RETURN(const std::string prefix, PrefixFor(text, kSourceTasks, project));
  if (digits.size() == kSourceTaskDigits) return absl::StrCat(prefix, kSourceTasks, digits);
  return FindSourceTask(client, prefix, digits);
}

std::string ShortStudyName(const std::string& name) { return Without(name, kStudies); }

std::string ShortTrialName(const std::string& name) {
  const std::string study = StudyOfTrial(name);
  return absl::StrCat(ShortStudyName(study), "/",
                      absl::StripPrefix(name.substr(study.size()), "/trials/"));
}

std::string ShortSourceTaskName(const std::string& name) {
  if (absl::StartsWith(name, kProjects)) return name;
  return Without(name, kSourceTasks).substr(0, kShownDigits);
}

}  // namespace slipstream::cli
