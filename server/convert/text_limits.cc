#include "server/convert/text_limits.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/base/utf8.h"

namespace slipstream {

absl::Status CheckText(absl::string_view field, absl::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return absl::OkStatus();
  return InvalidField(field, absl::StrCat(text.size(), " bytes"),
                      absl::StrCat("at most ", max_bytes, " bytes"));
}

absl::Status CheckName(absl::string_view field, absl::string_view text) {
  if (!text.empty() && text.size() <= kMaxNameBytes && !HasControlCharacter(text)) {
    return absl::OkStatus();
  }
  return InvalidField(field, text,
                      absl::StrCat("1 to ", kMaxNameBytes, " bytes without control characters"));
}

absl::Status CheckRequestId(absl::string_view text) {
  bool printable = true;
  for (const char c : text) printable &= absl::ascii_isprint(static_cast<unsigned char>(c));
  if (printable && text.size() <= kMaxRequestIdBytes) return absl::OkStatus();
  return InvalidField("request_id", text,
                      absl::StrCat("empty or 1 to ", kMaxRequestIdBytes,
                                   " printable ASCII characters"));
}

absl::Status CheckLabels(absl::string_view field,
                         const google::protobuf::Map<std::string, std::string>& labels) {
  if (labels.size() > kMaxLabels) {
    return InvalidField(field, absl::StrCat(labels.size(), " labels"),
                        absl::StrCat("at most ", kMaxLabels));
  }
  for (const auto& [key, value] : labels) {
    if (key.empty() || key.size() > kMaxLabelKeyBytes || HasControlCharacter(key)) {
      return InvalidField(absl::StrCat(field, "[", key, "]"), key,
                          absl::StrCat("a key of 1 to ", kMaxLabelKeyBytes,
                                       " bytes without control characters"));
    }
    SLIPSTREAM_RETURN_IF_ERROR(
        CheckText(absl::StrCat(field, "[", key, "]"), value, kMaxLabelValueBytes));
  }
  return absl::OkStatus();
}

absl::Status CheckCount(absl::string_view field, int value, int max) {
  if (value >= 0 && value <= max) return absl::OkStatus();
  return InvalidField(field, absl::StrCat(value),
                      absl::StrCat("1 to ", max, ", or 0 for the default"));
}

}  // namespace slipstream
