#include "core/space/nearest_candidate.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

TEST(NearestCandidate, IsTheNearestOfThoseAskedFor) {
  const auto space = LineOfCandidates(11);  // 0, 0.1, ..., 1.
  NearestCandidate nearest(*space);
  const std::vector<int64_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(nearest.PlaceAmong(all, {{Value::Double(0.33)}}), 3u);
  EXPECT_EQ(nearest.PlaceAmong(all, {{Value::Double(1)}}), 10u);
  const std::vector<int64_t> some = {0, 9};
  EXPECT_EQ(nearest.PlaceAmong(some, {{Value::Double(0.33)}}), 0u);
  EXPECT_EQ(nearest.PlaceAmong(some, {{Value::Double(0.63)}}), 1u);
}

TEST(NearestCandidate, IsTheFirstOfEquallyNearOnes) {
  const auto space = LineOfCandidates(3);  // 0, 0.5, 1.
  NearestCandidate nearest(*space);
  EXPECT_EQ(nearest.PlaceAmong({0, 1}, {{Value::Double(0.25)}}), 0u);
  EXPECT_EQ(nearest.PlaceAmong({1, 0}, {{Value::Double(0.25)}}), 0u);
}

}  // namespace
}  // namespace slipstream
