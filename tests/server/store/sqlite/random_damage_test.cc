#include "tests/server/store/sqlite/random_damage.h"

namespace slipstream {
namespace {

class RandomDamageWithAnyIndexTest : public RandomDamageTest,
                                     public testing::WithParamInterface<LogIndexState> {};

INSTANTIATE_TEST_SUITE_P(Index, RandomDamageWithAnyIndexTest,
                         testing::Values(LogIndexState::kSound, LogIndexState::kEmpty,
                                         LogIndexState::kZeros, LogIndexState::kOld,
                                         LogIndexState::kDamaged));

TEST_P(RandomDamageWithAnyIndexTest, DamageIsFoundOrHarmless) {
  DamageAndExpect(/*rounds=*/30, /*seed=*/1, GetParam());
}

}  // namespace
}  // namespace slipstream
