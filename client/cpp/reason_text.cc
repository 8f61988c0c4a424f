#include "slipstream/messages/reason_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "slipstream/messages/utf8_text.h"

namespace slipstream {
namespace {

constexpr size_t kLongestReason = 1024;  // Bytes.
constexpr absl::string_view kLeftOut = " ... ";
constexpr size_t kLongestPart = (kLongestReason - kLeftOut.size()) / 2;

std::string WellFormed(absl::string_view text) {
  std::string well_formed;
  while (!text.empty()) {
    const size_t bytes = client::FirstCharacterBytes(text);
    absl::StrAppend(&well_formed, bytes == 0 ? "?" : text.substr(0, bytes));
    text.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return well_formed;
}

bool IsWithinCharacter(const std::string& text, size_t place) {
  return (static_cast<uint8_t>(text[place]) & 0xC0) == 0x80;
}

}  // namespace

std::string ReasonText(absl::string_view reason) {
  std::string text = WellFormed(reason);
  if (text.size() <= kLongestReason) return text;
  size_t end = kLongestPart;
  while (IsWithinCharacter(text, end)) --end;
  size_t begin = text.size() - kLongestPart;
  while (IsWithinCharacter(text, begin)) ++begin;
  return absl::StrCat(text.substr(0, end), kLeftOut, text.substr(begin));
}

}  // namespace slipstream
