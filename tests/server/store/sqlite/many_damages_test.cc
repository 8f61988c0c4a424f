// A thousand damages; see random_damage_test.cc for the few of every run.
#include "tests/server/store/sqlite/random_damage.h"

namespace slipstream {
namespace {

TEST_F(RandomDamageTest, AThousandDamagesAreFoundOrHarmless) {
  DamageAndExpect(/*rounds=*/1000, /*seed=*/2, LogIndexState::kSound);
}

TEST_F(RandomDamageTest, AThousandDamagesBesideAnIndexThatSaysNothingAreFoundOrHarmless) {
  DamageAndExpect(/*rounds=*/250, /*seed=*/3, LogIndexState::kEmpty);
  DamageAndExpect(/*rounds=*/250, /*seed=*/4, LogIndexState::kZeros);
  DamageAndExpect(/*rounds=*/250, /*seed=*/5, LogIndexState::kOld);
  DamageAndExpect(/*rounds=*/250, /*seed=*/6, LogIndexState::kDamaged);
}

}  // namespace
}  // namespace slipstream
