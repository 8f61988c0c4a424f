#include "server/convert/resource_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

constexpr size_t kMaxStudyIdBytes = 63;
constexpr size_t kSourceTaskIdBytes = 32;

bool IsStudyId(absl::string_view id) {
  if (id.empty() || id.size() > kMaxStudyIdBytes) return false;
  if (!absl::ascii_islower(id.front()) || id.back() == '-') return false;
  for (const char c : id) {
    if (!absl::ascii_islower(c) && !absl::ascii_isdigit(c) && c != '-') return false;
  }
  return true;
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

std::string StudyName(absl::string_view study_id) { return absl::StrCat("studies/", study_id); }

std::string FormatTrialName(absl::string_view study_id, int64_t number) {
  return absl::StrCat("studies/", study_id, "/trials/", number);
}

std::string SourceTaskName(absl::string_view source_task_id) {
  return absl::StrCat("sourceTasks/", source_task_id);
}

absl::StatusOr<std::string> ParseStudyName(absl::string_view field, absl::string_view name) {
  absl::string_view id = name;
  if (!absl::ConsumePrefix(&id, "studies/") || !IsStudyId(id)) {
    return InvalidField(field, name, "a name of the form studies/{study}");
  }
  return std::string(id);
}

absl::StatusOr<TrialName> ParseTrialName(absl::string_view field, absl::string_view name) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  TrialName result;
  if (parts.size() != 4 || parts[0] != "studies" || !IsStudyId(parts[1]) || parts[2] != "trials" ||
      !ParseTrialNumber(parts[3], &result.number)) {
    return InvalidField(field, name, "a name of the form studies/{study}/trials/{number}");
  }
  result.study_id = std::string(parts[1]);
  return result;
}

absl::StatusOr<std::string> ParseSourceTaskName(absl::string_view field, absl::string_view name) {
  absl::string_view id = name;
  if (!absl::ConsumePrefix(&id, "sourceTasks/") || !IsSourceTaskId(id)) {
    return InvalidField(field, name,
                        "a name of the form sourceTasks/{32 lower-case hexadecimal digits}");
  }
  return std::string(id);
}

absl::Status CheckStudyId(absl::string_view field, absl::string_view id) {
  if (IsStudyId(id)) return absl::OkStatus();
  return InvalidField(field, id,
                      "1 to 63 characters of a-z, 0-9 and '-', beginning with a letter and not "
                      "ending with '-'");
}

}  // namespace slipstream
