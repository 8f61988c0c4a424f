#include "core/zero_shot/design_selection.h"

#include "gtest/gtest.h"

namespace slipstream {
namespace {

bool OnlyItself(size_t a, size_t b) { return a == b; }

std::vector<size_t> Order(const std::vector<DesignChoice>& choices) {
  std::vector<size_t> order;
  for (const DesignChoice& choice : choices) order.push_back(choice.candidate);
  return order;
}

TEST(SelectDesign, PrefersTheAllRounderThenItsComplement) {
  const std::vector<std::vector<double>> losses = {{0, 1, 1}, {0.2, 0.2, 0.9}, {1, 1, 0}};
  const auto choices = SelectDesign(losses, OnlyItself, {2, 1e-3});
  EXPECT_EQ(Order(choices), (std::vector<size_t>{1, 2}));
  EXPECT_EQ(choices[0].reductions, (std::vector<double>{0.8, 0.8, 1 - 0.9}));
  EXPECT_EQ(choices[1].reductions, (std::vector<double>{0, 0, 0.9}));
}

TEST(SelectDesign, OfEquallyGoodOnesTheFirst) {
  EXPECT_EQ(Order(SelectDesign({{0.5, 0}, {0, 0.5}, {0.5, 0}}, OnlyItself, {1, 1e-3})),
            std::vector<size_t>{0});
}

TEST(SelectDesign, RoundingDoesNotPartEqualGains) {
  // 0.7 + 0.6 + 0.4 and its permutations round to different sums.
  for (const auto& losses : std::vector<std::vector<std::vector<double>>>{
           {{0.3, 0.4, 0.6}, {0.6, 0.4, 0.3}, {0.4, 0.6, 0.3}},
           {{0.6, 0.4, 0.3}, {0.3, 0.4, 0.6}, {0.4, 0.3, 0.6}},
           {{0.1, 0.2, 0.3}, {0.3, 0.2, 0.1}, {0.2, 0.1, 0.3}},
           {{0.3, 0.2, 0.1}, {0.1, 0.2, 0.3}, {0.2, 0.3, 0.1}}}) {
    EXPECT_EQ(Order(SelectDesign(losses, OnlyItself, {1, 1e-3})), std::vector<size_t>{0});
  }
}

TEST(SelectDesign, StartsAnotherRoundWithoutWhatIsNearWhenNothingHelps) {
  // 0 is best everywhere; 1 is near it; 2 is only second best but elsewhere.
  const std::vector<std::vector<double>> losses = {{0, 0}, {0.1, 0.1}, {0.3, 0.3}};
  const auto is_near = [](size_t a, size_t b) { return a == b || a + b == 1; };
  const auto choices = SelectDesign(losses, is_near, {3, 1e-3});
  EXPECT_EQ(Order(choices), (std::vector<size_t>{0, 2}));
  EXPECT_EQ(choices[1].reductions, (std::vector<double>{0.7, 0.7}));
}

TEST(SelectDesign, AGainMustBeWorthIt) {
  const std::vector<std::vector<double>> losses = {{0, 0.0005}, {1, 0}, {1, 0.999}};
  // Candidate 1 would gain 0.00025: it comes in the second round, where it is
  // the best; the third then gains only 0.0005 and ends it.
  EXPECT_EQ(Order(SelectDesign(losses, OnlyItself, {3, 1e-3})), (std::vector<size_t>{0, 1}));
}

TEST(SelectDesign, EndsWhenAllThatIsLeftIsWorstForAll) {
  EXPECT_TRUE(SelectDesign({{1, 1}, {1, 1}}, OnlyItself, {5, 1e-3}).empty());
  EXPECT_TRUE(SelectDesign({}, OnlyItself, {5, 1e-3}).empty());
  EXPECT_TRUE(SelectDesign({{0, 0}}, OnlyItself, {0, 1e-3}).empty());
}

}  // namespace
}  // namespace slipstream
