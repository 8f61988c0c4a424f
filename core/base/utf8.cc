#include "core/base/utf8.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

uint8_t ByteAt(absl::string_view text, size_t index) { return static_cast<uint8_t>(text[index]); }

// The table "Well-Formed UTF-8 Byte Sequences" of the Unicode standard (3-7):
// the length and the range of the second byte by the first byte.
struct Shape {
  size_t bytes;
  uint8_t second_min;
  uint8_t second_max;
};

Shape ShapeOf(uint8_t first) {
  if (first < 0x80) return {1, 0, 0};
  if (first >= 0xC2 && first <= 0xDF) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first >= 0xE1 && first <= 0xEF) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  if (first >= 0xF1 && first <= 0xF3) return {4, 0x80, 0xBF};
  if (first == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

bool IsControl(absl::string_view character) {
  const uint8_t first = ByteAt(character, 0);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  return character.size() == 2 && first == 0xC2 && ByteAt(character, 1) < 0xA0;
}

}  // namespace

size_t FirstCharacterBytes(absl::string_view text) {
  if (text.empty()) return 0;
  const Shape shape = ShapeOf(ByteAt(text, 0));
  if (shape.bytes > text.size()) return 0;
  for (size_t i = 1; i < shape.bytes; ++i) {
    const uint8_t low = i == 1 ? shape.second_min : 0x80;
    const uint8_t high = i == 1 ? shape.second_max : 0xBF;
    if (ByteAt(text, i) < low || ByteAt(text, i) > high) return 0;
  }
  return shape.bytes;
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t bytes = FirstCharacterBytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

bool HasControlCharacter(absl::string_view text) {
  while (!text.empty()) {
    const size_t bytes = FirstCharacterBytes(text);
    if (bytes == 0 || IsControl(text.substr(0, bytes))) return true;
    text.remove_prefix(bytes);
  }
  return false;
}

std::string PrintableText(absl::string_view text, size_t max_bytes) {
  std::string printable;
  while (!text.empty()) {
    const size_t bytes = FirstCharacterBytes(text);
    const bool keep = bytes > 0 && !IsControl(text.substr(0, bytes));
    const absl::string_view shown = keep ? text.substr(0, bytes) : "?";
    if (printable.size() + shown.size() > max_bytes) break;
    printable.append(shown.data(), shown.size());
    text.remove_prefix(bytes > 0 ? bytes : 1);
  }
  return printable;
}

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", text, "\""); }

}  // namespace slipstream
