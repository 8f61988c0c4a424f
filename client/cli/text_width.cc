#include "client/cli/text_width.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace slipstream::cli {
namespace {

struct CodePoints {
  uint32_t first;
  uint32_t last;

  bool Have(uint32_t code) const { return code >= first && code <= last; }
};

// Combining marks, joiners and variation selectors.
constexpr CodePoints kWithoutWidth[] = {
    {0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};

// Wide and full-width ones by Unicode's East Asian Width, in the blocks that people write with.
constexpr CodePoints kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
    {0x20000, 0x3FFFD}};

template <size_t count>
bool AnyHas(const CodePoints (&blocks)[count], uint32_t code) {
  return std::any_of(std::begin(blocks), std::end(blocks),
                     [code](const CodePoints& block) { return block.Have(code); });
}

struct Character {
  size_t bytes = 1;
  size_t width = 1;
};

// Text that is not UTF-8 has a width, too, but hardly the one that a terminal shows.
Character FirstOf(absl::string_view text) {
  Character character;
  const auto first = static_cast<uint8_t>(text[0]);
  uint32_t code = first < 0xE0 ? first & 0x1F : first < 0xF0 ? first & 0x0F : first & 0x07;
  for (; character.bytes < text.size() && (text[character.bytes] & 0xC0) == 0x80;
       ++character.bytes) {
    code = code << 6 | (static_cast<uint8_t>(text[character.bytes]) & 0x3F);
  }
  if (character.bytes == 1) return character;
  if (AnyHas(kWithoutWidth, code)) character.width = 0;
  if (AnyHas(kWide, code)) character.width = 2;
  return character;
}

}  // namespace

size_t TextWidth(absl::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character character = FirstOf(text);
    width += character.width;
    text.remove_prefix(character.bytes);
  }
  return width;
}

absl::string_view BeginningOf(absl::string_view text, size_t width) {
  size_t end = 0;
  size_t used = 0;
  while (end < text.size()) {
    const Character character = FirstOf(text.substr(end));
    used += character.width;
    if (used > width) break;
    end += character.bytes;
  }
  return text.substr(0, end);
}

}  // namespace slipstream::cli
