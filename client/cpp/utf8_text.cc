#include "slipstream/messages/utf8_text.h"

#include <cstdint>

namespace slipstream::client {
namespace {

uint32_t ByteOf(absl::string_view text, size_t index) { return static_cast<uint8_t>(text[index]); }

// By the first byte; 0 if no character begins with it.
size_t BytesOfCharacter(uint32_t first) {
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return 2;
  return first < 0xF0 ? 3 : 4;
}

// Whether the code point needs that many bytes, and is one of a character.
bool IsCodePoint(uint32_t code, size_t bytes) {
  if (bytes == 3) return code >= 0x800 && (code < 0xD800 || code > 0xDFFF);
  return bytes != 4 || (code >= 0x10000 && code <= 0x10FFFF);
}

}  // namespace

size_t FirstCharacterBytes(absl::string_view text) {
  const size_t bytes = BytesOfCharacter(ByteOf(text, 0));
  if (bytes < 2) return bytes;
  if (bytes > text.size()) return 0;
  uint32_t code = ByteOf(text, 0) & (0xFF >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((ByteOf(text, i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (ByteOf(text, i) & 0x3F);
  }
  return IsCodePoint(code, bytes) ? bytes : 0;
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t bytes = FirstCharacterBytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace slipstream::client
