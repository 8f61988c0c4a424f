#include "core/calibration/shrinking.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace slipstream {
namespace {

class Shrinking : public testing::Test {
 protected:
  Shrinking() : members_({model_.Unpack(model_.Location())}) {}

  absl::StatusOr<Shrunk> At(double deviation_of_one) {
    return Shrink(model_, members_, 2, options_,
                  [=, this](const std::vector<Hyperparameters>& members, double) {
                    ++calls_;
                    const double g =
                        std::exp(members_.front().kernel[1] - members.front().kernel[1]);
                    return deviation_of_one * g;
                  });
  }

  Model model_ = DefaultModel(Numbers(2), ModelOptions());
  std::vector<Hyperparameters> members_;
  ShrinkingOptions options_;
  int calls_ = 0;
};

TEST_F(Shrinking, LeavesWhatIsUncertainEnough) {
  const absl::StatusOr<Shrunk> shrunk = At(0.1);
  ASSERT_TRUE(shrunk.ok());
  EXPECT_EQ(shrunk->g, 1);
  EXPECT_EQ(shrunk->members.front().kernel, members_.front().kernel);
  EXPECT_EQ(calls_, 1);
}

TEST_F(Shrinking, TakesTheSmallestDivisorOfTheGridThatIsEnough) {
  for (const double deviation : {0.09, 0.05, 0.0123}) {
    const absl::StatusOr<Shrunk> shrunk = At(deviation);
    ASSERT_TRUE(shrunk.ok());
    EXPECT_GE(deviation * shrunk->g, 0.1);
    EXPECT_LT(deviation * shrunk->g / 1.1, 0.1);
    EXPECT_NEAR(shrunk->deviation, deviation * shrunk->g, 1e-12);
    EXPECT_NEAR(shrunk->members.front().kernel[2], members_.front().kernel[2] - std::log(shrunk->g),
                1e-12);
    EXPECT_EQ(shrunk->members.front().kernel[0], members_.front().kernel[0]);
  }
}

TEST_F(Shrinking, EndsAtTheLimit) {
  const absl::StatusOr<Shrunk> shrunk = At(1e-6);
  ASSERT_TRUE(shrunk.ok());
  EXPECT_EQ(shrunk->g, options_.most);
  EXPECT_NEAR(shrunk->deviation, 1e-5, 1e-12);
}

TEST_F(Shrinking, PassesErrorsOn) {
  const auto fails = [](const std::vector<Hyperparameters>&, double) -> absl::StatusOr<double> {
    return absl::DeadlineExceededError("late");
  };
  EXPECT_TRUE(absl::IsDeadlineExceeded(Shrink(model_, members_, 2, options_, fails).status()));
}

}  // namespace
}  // namespace slipstream
