#include "server/convert/page_token.h"

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "server/convert/content_hash.h"

namespace slipstream {
namespace {

constexpr size_t kCheckDigits = 12;

std::string ScopeCheck(absl::string_view scope, absl::string_view after) {
  return HexSha256(absl::StrCat(scope, "\n", after)).substr(0, kCheckDigits);
}

}  // namespace

std::string MakePageToken(absl::string_view scope, int64_t after) {
  const std::string number = absl::StrCat(after);
  return absl::WebSafeBase64Escape(absl::StrCat(number, ":", ScopeCheck(scope, number)));
}

absl::StatusOr<int64_t> ParsePageToken(absl::string_view scope, absl::string_view token) {
  if (token.empty()) return 0;
  std::string text;
  int64_t after = 0;
  if (absl::WebSafeBase64Unescape(token, &text)) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(':', 1));
    if (absl::SimpleAtoi(parts.first, &after) && after >= 0 &&
        parts.second == ScopeCheck(scope, parts.first)) {
      return after;
    }
  }
  return InvalidField("page_token", token,
                      "the next_page_token of a call whose other fields were the same");
}

}  // namespace slipstream
