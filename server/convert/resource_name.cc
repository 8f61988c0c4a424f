#include "server/convert/resource_name.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/status.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

constexpr absl::string_view kProjects = "projects/";
constexpr absl::string_view kDefaultProject = "default";
constexpr size_t kSourceTaskIdBytes = 32;

std::string IdRule(size_t most) {
  return absl::StrCat("1 to ", most,
                      " characters of a-z, 0-9 and '-', beginning with a letter and not ending "
                      "with '-'");
}

bool IsStudyId(absl::string_view id) {
  if (id.empty() || id.size() > kMaxStudyIdBytes) return false;
  if (!absl::ascii_islower(id.front()) || id.back() == '-') return false;
  for (const char c : id) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '-') return false;
  }
  return true;
}

bool IsProject(absl::string_view project) {
  return IsStudyId(project) && project.size() <= kMostProjectBytes;
}

// Takes "projects/{project}/" off the name; "default" if it does not begin so, absent if that is no
// project.
std::optional<std::string> TakeProject(absl::string_view* name) {
  if (!absl::ConsumePrefix(name, kProjects)) return std::string(kDefaultProject);
  const absl::string_view project = name->substr(0, name->find('/'));
  if (!IsProject(project) || project.size() == name->size()) return std::nullopt;
  name->remove_prefix(project.size() + 1);
  return std::string(project);
}

absl::Status WrongProject(absl::string_view field, absl::string_view name) {
  return InvalidField(field, name,
                      absl::StrCat("a name of the form projects/{project}/..., {project} being ",
                                   IdRule(kMostProjectBytes)));
}

bool IsSourceTaskId(absl::string_view id) {
  if (id.size() != kSourceTaskIdBytes) return false;
  for (const char c : id) {
    if (!absl::ascii_isdigit(c) && !(c >= 'a' && c <= 'f')) return false;
  }
  return true;
}

// Accepts a positive number only as the server itself writes it.
bool ParseTrialNumber(absl::string_view text, int64_t* number) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return !text.empty() && text.front() != '0' && absl::SimpleAtoi(text, number);
}

}  // namespace

absl::StatusOr<std::string> ParseStudyName(absl::string_view field, absl::string_view name) {
  absl::string_view rest = name;
  const std::optional<std::string> project = TakeProject(&rest);
  if (!project.has_value()) return WrongProject(field, name);
  if (!absl::ConsumePrefix(&rest, "studies/") || !IsStudyId(rest)) {
    return InvalidField(
        field, name,
        absl::StrCat("a name of the form studies/{study}, {study} being ",
                     IdRule(kMaxStudyIdBytes)));
  }
  return StoredId(*project, rest);
}

absl::StatusOr<TrialName> ParseTrialName(absl::string_view field, absl::string_view name) {
  absl::string_view rest = name;
  const std::optional<std::string> project = TakeProject(&rest);
  const std::vector<absl::string_view> parts = absl::StrSplit(rest, '/');
  TrialName result;
  if (!project.has_value()) return WrongProject(field, name);
  if (parts.size() != 4 || parts[0] != "studies" || !IsStudyId(parts[1]) || parts[2] != "trials" ||
      !ParseTrialNumber(parts[3], &result.number)) {
    return InvalidField(
        field, name,
        absl::StrCat("a name of the form studies/{study}/trials/{number}, {study} being ",
                     IdRule(kMaxStudyIdBytes)));
  }
  result.study_id = StoredId(*project, parts[1]);
  return result;
}

absl::StatusOr<std::string> ParseSourceTaskName(absl::string_view field, absl::string_view name) {
  absl::string_view rest = name;
  const std::optional<std::string> project = TakeProject(&rest);
  if (!project.has_value()) return WrongProject(field, name);
  if (!absl::ConsumePrefix(&rest, "sourceTasks/") || !IsSourceTaskId(rest)) {
    return InvalidField(field, name,
                        "a name of the form sourceTasks/{32 lower-case hexadecimal digits}");
  }
  return StoredId(*project, rest);
}

std::optional<std::string> ProjectOfAllSourceTasks(absl::string_view name) {
  absl::string_view rest = name;
  std::optional<std::string> project = TakeProject(&rest);
  return rest == "sourceTasks/-" ? project : std::nullopt;
}

absl::StatusOr<std::string> ParseProjectName(absl::string_view field, absl::string_view name) {
  if (name.empty()) return std::string(kDefaultProject);
  absl::string_view project = name;
  if (absl::ConsumePrefix(&project, kProjects) && IsProject(project)) return std::string(project);
  return InvalidField(
      field, name,
      absl::StrCat("a name of the form projects/{project}, whose last part is ",
                   IdRule(kMostProjectBytes)));
}

absl::StatusOr<std::optional<std::string>> ParseProjectsName(absl::string_view field,
                                                             absl::string_view name) {
  if (name == "projects/-") return std::optional<std::string>();
  SLIPSTREAM_ASSIGN_OR_RETURN(std::string project, ParseProjectName(field, name));
  return std::optional<std::string>(std::move(project));
}

std::string StoredId(absl::string_view project, absl::string_view id) {
  return project == kDefaultProject ? std::string(id) : absl::StrCat(project, "/", id);
}

absl::Status CheckStudyId(absl::string_view field, absl::string_view id) {
  if (IsStudyId(id)) return absl::OkStatus();
  return InvalidField(field, id, IdRule(kMaxStudyIdBytes));
}

}  // namespace slipstream
