#include "server/convert/resume_token.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "server/convert/content_hash.h"
#include "server/convert/page_token.h"

namespace slipstream {
namespace {

constexpr size_t kStampDigits = 12;
constexpr char kBeforeStamp = '.';  // Not a character of page tokens.

std::string ScopeWithStamp(absl::string_view scope, absl::string_view stamp) {
  return stamp.empty() ? std::string(scope) : absl::StrCat(scope, "\n", stamp);
}

}  // namespace

std::string StampOf(const EventRecord& event) {
  return HexSha256(absl::StrCat(event.time_ms, " ", static_cast<int>(event.kind), " ",
                                event.study_key, " ", event.number, " ", event.detail))
      .substr(0, kStampDigits);
}

std::string MakeResumeToken(absl::string_view scope, const ResumePlace& place) {
  std::string token = MakePageToken(ScopeWithStamp(scope, place.stamp), place.sequence);
  if (!place.stamp.empty()) absl::StrAppend(&token, std::string(1, kBeforeStamp), place.stamp);
  return token;
}

absl::StatusOr<ResumePlace> ParseResumeToken(absl::string_view scope, absl::string_view token) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(token, absl::MaxSplits(kBeforeStamp, 1));
  const absl::StatusOr<int64_t> sequence =
      ParsePageToken(ScopeWithStamp(scope, parts.second), parts.first);
  if (sequence.ok() && !parts.first.empty()) return ResumePlace{*sequence, parts.second};
  return InvalidField("resume_token", token,
                      "a resume_token of an earlier watch of the same study or project");
}

}  // namespace slipstream
