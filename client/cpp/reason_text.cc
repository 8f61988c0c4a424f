#include "slipstream/messages/reason_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

constexpr size_t kLongestReason = 1024;  // Bytes.
constexpr absl::string_view kLeftOut = " ... ";
constexpr size_t kLongestPart = (kLongestReason - kLeftOut.size()) / 2;

// The bytes of the well-formed character that the text begins with; 0 if there is none.
size_t FirstCharacterBytes(absl::string_view text) {
  const auto byte = [text](size_t i) -> uint32_t { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  if (byte(0) < 0xC0 || byte(0) > 0xF4) return 0;
  const size_t bytes = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (bytes > text.size()) return 0;
  uint32_t code = byte(0) & (0xFF >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0x80, 0x800, 0x10000};  // Of 2, 3 and 4 bytes.
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[bytes - 2] || is_surrogate || code > 0x10FFFF ? 0 : bytes;
}

std::string WellFormed(absl::string_view text) {
  std::string well_formed;
  while (!text.empty()) {
    const size_t bytes = FirstCharacterBytes(text);
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
