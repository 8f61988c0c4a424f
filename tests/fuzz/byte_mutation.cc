#include "tests/fuzz/byte_mutation.h"

#include <algorithm>
#include <cstdint>

namespace slipstream::fuzz {
namespace {

constexpr uint32_t kMostChanges = 5;
constexpr uint32_t kLongestPiece = 64;

size_t Place(const std::string& bytes, Dice& dice) {
  return dice.Below(static_cast<uint32_t>(bytes.size()) + 1);
}

std::string Piece(const std::string& bytes, Dice& dice) {
  const size_t place = Place(bytes, dice);
  return bytes.substr(place, 1 + dice.Below(kLongestPiece));
}

char AnyByte(Dice& dice) { return static_cast<char>(dice.Below(256)); }

void Change(const std::vector<std::string>& inputs, Dice& dice, std::string& bytes) {
  const size_t place = Place(bytes, dice);
  switch (dice.Below(6)) {
    case 0:
      if (place < bytes.size()) bytes[place] = static_cast<char>(bytes[place] ^ 1 << dice.Below(8));
      break;
    case 1:
      if (place < bytes.size()) bytes[place] = AnyByte(dice);
      break;
    case 2:
      bytes.insert(place, 1, AnyByte(dice));
      break;
    case 3:
      bytes.erase(place, 1 + dice.Below(kLongestPiece));
      break;
    case 4:
      bytes.insert(place, Piece(bytes, dice));
      break;
    default: {
      const std::string piece = Piece(dice.AnyOf(inputs), dice);
      const bool replaces = dice.OneIn(2);
      bytes.replace(place, replaces ? piece.size() : 0, piece);
    }
  }
}

}  // namespace

std::string MutateBytes(const std::vector<std::string>& inputs, Dice& dice) {
  std::string bytes = dice.AnyOf(inputs);
  const uint32_t changes = 1 + dice.Below(kMostChanges);
  for (uint32_t i = 0; i < changes; ++i) Change(inputs, dice, bytes);
  bytes.resize(std::min(bytes.size(), kLongestMutated));
  return bytes;
}

}  // namespace slipstream::fuzz
