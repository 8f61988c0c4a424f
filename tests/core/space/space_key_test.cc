#include "core/space/space_key.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/core/space/space_fixtures.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

std::string KeyOf(std::vector<Parameter> parameters) {
  return SpaceKeyOf(MustCreateSpace(std::move(parameters)));
}

TEST(SpaceKey, DiffersIfAParameterDiffers) {
  const std::string key = KeyOf({Named("a", DoubleDomain{1, 2})});
  EXPECT_EQ(KeyOf({Named("a", DoubleDomain{1, 2})}), key);
  EXPECT_NE(KeyOf({Named("b", DoubleDomain{1, 2})}), key);
  EXPECT_NE(KeyOf({Named("a", DoubleDomain{1, 3})}), key);
  EXPECT_NE(KeyOf({Named("a", DoubleDomain{1, 2, Scale::kLog})}), key);
  EXPECT_NE(KeyOf({Named("a", IntegerDomain{1, 2})}), key);
  EXPECT_NE(KeyOf({{"a", DoubleDomain{1, 2}, 1.5, {}}}), key);
}

TEST(SpaceKey, IsNotFooledByWordsThatJoinAlike) {
  EXPECT_NE(KeyOf({Named("a", CategoricalDomain{{"b", "cd"}})}),
            KeyOf({Named("a", CategoricalDomain{{"bc", "d"}})}));
}

TEST(SpaceKey, IgnoresCandidates) {
  const std::vector<Parameter> parameters = {Named("a", IntegerDomain{1, 2})};
  const SearchSpace listed =
      MustCreateSpace(parameters, SearchSpace::CandidateTable{{{{"a", int64_t{1}}}}, false});
  EXPECT_EQ(SpaceKeyOf(listed), KeyOf(parameters));
}

TEST(SpaceKey, DiffersInWhateverDiffers) {
  const Parameter plain{"x", IntegerDomain{1, 8, Scale::kLinear}, {}, {}};
  const std::string key = SpaceKeyOf(*MakeSpace({plain}));
  Parameter changed = plain;
  changed.name = "xx";
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed = plain;
  changed.domain = IntegerDomain{1, 9, Scale::kLinear};
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed.domain = IntegerDomain{1, 8, Scale::kLog};
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed.domain = DoubleDomain{1, 8, Scale::kLinear};
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed = plain;
  changed.default_value = NamedValue(int64_t{3});
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  EXPECT_EQ(SpaceKeyOf(*MakeSpace({plain})), key);
}

}  // namespace
}  // namespace slipstream
