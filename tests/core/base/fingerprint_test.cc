#include "core/base/fingerprint.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace slipstream {
namespace {

Fingerprint Of(const std::vector<double>& numbers) {
  Fingerprint fingerprint;
  for (const double number : numbers) fingerprint.Add(number);
  return fingerprint;
}

TEST(FingerprintTest, EqualSequencesHaveEqualOnes) {
  EXPECT_EQ(Of({1, -2.5, 1e300}), Of({1, -2.5, 1e300}));
  EXPECT_EQ(Of({0.0}), Of({-0.0})) << "as == has it";
}

TEST(FingerprintTest, ValuesOrderAndLengthTell) {
  EXPECT_FALSE(Of({1, 2}) == Of({2, 1}));
  EXPECT_FALSE(Of({1, 2}) == Of({1}));
  EXPECT_FALSE(Of({0}) == Of({}));
  EXPECT_FALSE(Of({0, 0}) == Of({0}));
  EXPECT_FALSE(Of({1}) == Of({std::nextafter(1.0, 2.0)}));
}

TEST(FingerprintTest, NoTwoOfManyNeighboursAreEqual) {
  std::vector<Fingerprint> all;
  std::vector<double> numbers(8, 1.0);
  for (double& number : numbers) {
    for (int step = 0; step < 50; ++step) {
      number = std::nextafter(number, 2.0);
      all.push_back(Of(numbers));
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) ASSERT_FALSE(all[i] == all[j]) << i << " " << j;
  }
}

}  // namespace
}  // namespace slipstream
