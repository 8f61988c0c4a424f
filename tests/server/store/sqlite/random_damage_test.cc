#include "tests/server/store/sqlite/random_damage.h"

namespace slipstream {
namespace {

TEST_F(RandomDamageTest, DamageIsFoundOrHarmless) {
  DamageAndExpect(/*rounds=*/50, /*seed=*/1, /*keep_log_index=*/true);
}

}  // namespace
}  // namespace slipstream
