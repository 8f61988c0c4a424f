// A thousand damages; see random_damage_test.cc for the few of every run.
#include "tests/server/store/sqlite/random_damage.h"

namespace slipstream {
namespace {

TEST_F(RandomDamageTest, AThousandDamagesAreFoundOrHarmless) {
  DamageAndExpect(/*rounds=*/1000, /*seed=*/2, /*keep_log_index=*/true);
}

}  // namespace
}  // namespace slipstream
