#include "core/prior/blocks/source_identities.h"

#include "gtest/gtest.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

TEST(SourceIdentities, AreOfObjectsInTheirOrder) {
  const auto a = SourceOf("a", Wave, 2, 5, 1);
  const auto b = SourceOf("b", Wave, 2, 5, 2);
  const auto like_a = SourceOf("a", Wave, 2, 5, 1);
  const SourceIdentities both({a, b});
  EXPECT_EQ(both, SourceIdentities({a, b}));
  EXPECT_FALSE(both == SourceIdentities({b, a}));
  EXPECT_FALSE(both == SourceIdentities({a}));
  EXPECT_FALSE(both == SourceIdentities({like_a, b}));
}

}  // namespace
}  // namespace slipstream
