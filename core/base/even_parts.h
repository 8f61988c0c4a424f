// Runs of nearly equal length: how many things are thinned to a few that are spread evenly.
//
// Part i of `parts` begins at floor(i size / parts). Pure functions.
#ifndef SLIPSTREAM_CORE_BASE_EVEN_PARTS_H_
#define SLIPSTREAM_CORE_BASE_EVEN_PARTS_H_

#include <algorithm>
#include <vector>

namespace slipstream {

// `parts` is positive; `part` may be `parts`, which gives `size`.
template <typename Integer>
constexpr Integer PartBegin(Integer part, Integer size, Integer parts) {
  return part * size / parts;
}

// The first place of each part, ascending; all places where there are no more than `parts`.
template <typename Integer>
std::vector<Integer> FirstOfParts(Integer size, Integer parts) {
  parts = std::min(parts, size);
  std::vector<Integer> places;
  for (Integer part = 0; part < parts; ++part) places.push_back(PartBegin(part, size, parts));
  return places;
}

// The last place of each, so that the very last one is there.
template <typename Integer>
std::vector<Integer> LastOfParts(Integer size, Integer parts) {
  parts = std::min(parts, size);
  std::vector<Integer> places;
  for (Integer part = 0; part < parts; ++part) {
    places.push_back(PartBegin<Integer>(part + 1, size, parts) - 1);
  }
  return places;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_EVEN_PARTS_H_
