#include "core/base/even_parts.h"

#include <cstddef>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

TEST(EvenParts, HaveAFirstAndALastPlace) {
  EXPECT_EQ(FirstOfParts(10, 3), (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(LastOfParts(10, 3), (std::vector<int>{2, 5, 9}));
}

TEST(EvenParts, AreSinglePlacesWhereThereAreAsManyAsPlaces) {
  for (const size_t parts : {4, 5, 100}) {
    EXPECT_EQ(FirstOfParts(size_t{4}, parts), (std::vector<size_t>{0, 1, 2, 3}));
    EXPECT_EQ(LastOfParts(size_t{4}, parts), (std::vector<size_t>{0, 1, 2, 3}));
  }
  EXPECT_TRUE(FirstOfParts(0, 3).empty());
  EXPECT_TRUE(LastOfParts(3, 0).empty());
}

TEST(EvenParts, DifferByOneAtMost) {
  for (int size = 1; size < 40; ++size) {
    for (int parts = 1; parts <= size; ++parts) {
      EXPECT_EQ(PartBegin(parts, size, parts), size);
      for (int part = 0; part < parts; ++part) {
        const int length = PartBegin(part + 1, size, parts) - PartBegin(part, size, parts);
        EXPECT_TRUE(length == size / parts || length == (size + parts - 1) / parts);
      }
    }
  }
}

}  // namespace
}  // namespace slipstream
