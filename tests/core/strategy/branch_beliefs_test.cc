#include "core/strategy/branch_beliefs.h"

#include <cmath>

#include "core/gp/coordinate_kinds.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

TEST(BranchBeliefs, LengthscalesAreThoseOfTheParametersThatExistAndShorterBetweenBranches) {
  Parameter own{"own", DoubleDomain{}, {}, Condition{"branch", {std::string("a")}}};
  Parameter other{"other", DoubleDomain{}, {}, Condition{"branch", {std::string("b")}}};
  const auto space = MakeSpace({own,
                                {"branch", CategoricalDomain{{"a", "b"}}, {}, {}},
                                other,
                                {"flag", BooleanDomain{}, {}, {}}});
  const Model usual = DefaultModel(KindsOf(*space), {});
  Model model = usual;
  BelieveInBranches(*space, model);
  ASSERT_EQ(model.beliefs.size(), usual.beliefs.size());
  for (size_t i = 0; i < model.beliefs.size(); ++i) {
    const HyperparameterBelief& belief = model.beliefs[i];
    if (i == 2) {
      EXPECT_EQ(belief.location, -0.3);
      EXPECT_EQ(belief.deviation, 0.5);
    } else if (i == 1 || i == 3 || i == 4) {
      EXPECT_NEAR(belief.location, std::log(3.0) / 2 - 1, 0.01);  // Three of four exist.
      EXPECT_EQ(belief.deviation, 1);
    } else {
      EXPECT_EQ(belief, usual.beliefs[i]);
    }
  }
}

TEST(BranchBeliefs, AreTheUsualOnesWithoutConditions) {
  const auto space = MakeSpace({{"x", DoubleDomain{}, {}, {}}, {"on", BooleanDomain{}, {}, {}}});
  const Model usual = DefaultModel(KindsOf(*space), {});
  Model model = usual;
  BelieveInBranches(*space, model);
  EXPECT_EQ(model.beliefs, usual.beliefs);
}

}  // namespace
}  // namespace slipstream
