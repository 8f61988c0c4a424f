#include "tests/fuzz/byte_mutation.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace slipstream::fuzz {
namespace {

TEST(MutateBytes, MakesManyInputsOfWhichASeedTellsEach) {
  const std::vector<std::string> corpus = {"", "short", std::string(5000, 'x')};
  RandomDice first(7);
  RandomDice second(7);
  RandomDice other(8);
  std::set<std::string> made;
  std::set<std::string> made_by_other;
  for (int i = 0; i < 1000; ++i) {
    const std::string bytes = MutateBytes(corpus, first);
    EXPECT_EQ(bytes, MutateBytes(corpus, second));
    EXPECT_LE(bytes.size(), kLongestMutated);
    made.insert(bytes);
    made_by_other.insert(MutateBytes(corpus, other));
  }
  EXPECT_GT(made.size(), 500u);
  EXPECT_NE(made, made_by_other);
}

TEST(MutateBytes, KeepsMostOfAnInputAndPutsInPiecesOfOthers) {
  const std::string digits(2000, '1');
  const std::string letters(2000, 'a');
  RandomDice dice(1);
  int with_both = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string bytes = MutateBytes({digits, letters}, dice);
    const bool begins_as_one = bytes.find("11111111") != std::string::npos ||
                               bytes.find("aaaaaaaa") != std::string::npos;
    EXPECT_TRUE(begins_as_one) << bytes;
    with_both += bytes.find('1') != std::string::npos && bytes.find('a') != std::string::npos;
  }
  EXPECT_GT(with_both, 20);
}

}  // namespace
}  // namespace slipstream::fuzz
