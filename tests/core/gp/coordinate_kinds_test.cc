#include "core/gp/coordinate_kinds.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace slipstream {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using enum CoordinateKind;

TEST(CoordinateKinds, OnlyWordsTrueAndFalseHaveNoDistance) {
  const absl::StatusOr<SearchSpace> space =
      SearchSpace::Create({{"rate", DoubleDomain{1e-5, 1, Scale::kLog}, {}, {}},
                           {"optimizer", CategoricalDomain{{"sgd", "adam"}}, {}, {}},
                           {"layers", IntegerDomain{1, 2, Scale::kLinear}, {}, {}},
                           {"nesterov", BooleanDomain{}, {}, {}},
                           {"width", DiscreteDomain{{16, 64}, Scale::kLinear}, {}, {}}});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_THAT(KindsOf(*space), ElementsAre(kNumber, kWord, kNumber, kWord, kNumber));
}

TEST(CoordinateKinds, NumbersAreAllNumbers) {
  EXPECT_THAT(Numbers(3), AllOf(SizeIs(3), Each(kNumber)));
  EXPECT_THAT(Numbers(0), IsEmpty());
}

}  // namespace
}  // namespace slipstream
