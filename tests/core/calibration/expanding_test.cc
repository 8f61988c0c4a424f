#include "core/calibration/expanding.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/calibration/lengthscales.h"
#include "gtest/gtest.h"
#include "tests/core/calibration/naive_posterior.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {
namespace {

constexpr double kMultiplier = 1.5;

// Many results of a function that is taken to be smooth: the regret that this
// expects has levelled off.
struct Situation {
  explicit Situation(Index count = 120, Index dimension = 2, double lengthscale = 4)
      : data(SampleData(count, dimension, 0.1, 3)),
        model(DefaultModel(Numbers(static_cast<size_t>(dimension)), ModelOptions())) {
    Hyperparameters member = model.Unpack(model.Location());
    member.kernel.tail(dimension).setConstant(std::log(lengthscale));
    member.kernel[dimension] += 0.5;  // Not all the same.
    member.log_noise_variance = std::log(0.3);
    member.kernel[0] = std::log(1.3);
    members.push_back(member);
  }

  Expanded At(const ExpandingOptions& options, LengthscalePast past = {}) const {
    past.results = data.y.size();
    absl::StatusOr<Expanded> expanded =
        Expand(model, data, members, data.x.cols(), kMultiplier, past, options, nullptr);
    EXPECT_TRUE(expanded.ok()) << expanded.status();
    return *std::move(expanded);
  }

  TrainingData data;
  Model model;
  std::vector<Hyperparameters> members;
};

struct NaiveScale {
  explicit NaiveScale(const Situation& situation)
      : variance(std::exp(2 * situation.members.front().kernel[0])),
        noise(std::max(std::exp(situation.members.front().log_noise_variance), 0.01 * variance)) {}

  double variance;
  double noise;
};

// The determinant is that of the matrix itself, Matern 5/2 written out.
double NaiveInformation(const Situation& situation, const Vector& lengthscales) {
  const auto n = situation.data.x.rows();
  const auto [a2, noise] = NaiveScale(situation);
  Eigen::MatrixXd k(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      double square = 0;
      for (Index c = 0; c < situation.data.x.cols(); ++c) {
        const double part = (situation.data.x(i, c) - situation.data.x(j, c)) / lengthscales[c];
        square += part * part;
      }
      const double r = std::sqrt(5 * square);
      k(i, j) = a2 * (1 + r + r * r / 3) * std::exp(-r) / noise + (i == j ? 1 : 0);
    }
  }
  return 0.5 * DenseLogDeterminant(k);
}

// Equation 15 with nothing taken from the code.
double NaiveBound(const Situation& situation, const Vector& lengthscales, double h, double g,
                  double b, const ExpandingOptions& options) {
  const auto n = situation.data.x.rows();
  const auto d = static_cast<double>(situation.data.x.cols());
  const auto [a2, noise] = NaiveScale(situation);
  const double information = NaiveInformation(situation, lengthscales);
  const double constant = 8 / std::log(1 + a2 / noise);
  const double volume = std::pow(g, d);
  EXPECT_NEAR(b * volume, h, 1e-9 * h * (options.theoretical ? 1 : std::pow(h, d)));
  double multiplier = kMultiplier;
  if (options.theoretical) {
    multiplier = b * (options.norm_by_half_power ? std::sqrt(volume) : volume) * options.norm +
                 4 * std::sqrt(noise / a2) *
                     std::sqrt(volume * information + 1 + std::log(1 / options.failure));
  }
  return multiplier * std::sqrt(constant * static_cast<double>(n) * volume * information);
}

Vector LengthscalesOf(const Hyperparameters& member) {
  return member.kernel.tail(member.kernel.size() - 1).array().exp().matrix();
}

TEST(InformationGain, IsTheLogarithmOfADeterminant) {
  const Situation situation(12, 3, 0.4);
  const Kernel& kernel = *situation.model.kernel;
  const Vector& parameters = situation.members.front().kernel;
  const Vector noises = Vector::LinSpaced(12, 0.1, 2);
  Eigen::MatrixXd matrix = kernel.Covariance(parameters, situation.data.x, situation.data.x);
  matrix += Eigen::MatrixXd(noises.asDiagonal());
  EXPECT_NEAR(*InformationGain(kernel, parameters, situation.data.x, noises),
              0.5 * (DenseLogDeterminant(matrix) - noises.array().log().sum()), 1e-10);
  EXPECT_EQ(*InformationGain(kernel, parameters, PointMatrix(0, 3), Vector(0)), 0);
}

TEST(Expand, NoisyPointsOfSourcesTellLittle) {
  Situation situation;
  const double before = situation.At(ExpandingOptions()).regret;
  situation.data.known_noise = Vector::Constant(120, 1000);
  EXPECT_LT(situation.At(ExpandingOptions()).regret, before);
}

TEST(Expand, GrowsToTheReferenceAndNoFurther) {
  const Situation situation;
  for (const LengthscaleCoupling coupling :
       {LengthscaleCoupling::kDivided, LengthscaleCoupling::kMinimum,
        LengthscaleCoupling::kAlone}) {
    ExpandingOptions options;
    options.coupling = coupling;
    options.first_lengthscale = 5;
    options.reference_power = 0.99;
    options.most = 1000;
    const Expanded expanded = situation.At(options);
    const Vector reference_lengthscales = coupling == LengthscaleCoupling::kDivided
                                              ? LengthscalesOf(situation.members.front())
                                              : Vector::Constant(2, 5.0);
    EXPECT_NEAR(expanded.reference, std::pow(120.0, 0.99), 1e-9);
    EXPECT_GT(expanded.h, 1.001);
    EXPECT_EQ(expanded.g, expanded.h);
    EXPECT_EQ(expanded.multiplier, kMultiplier);
    const double there = NaiveBound(situation, reference_lengthscales, expanded.h * expanded.h,
                                    expanded.g, 1, options);
    EXPECT_NEAR(there, expanded.reference, 1e-6 * there);
    EXPECT_NEAR(there, expanded.regret, 1e-6 * there);
  }
}

TEST(Expand, LeavesWhatIsUncertainEnoughAsItIs) {
  const Situation situation(10, 2, 0.1);
  const Expanded expanded = situation.At(ExpandingOptions());
  EXPECT_EQ(expanded.h, 1);
  EXPECT_GE(expanded.regret, expanded.reference);
  EXPECT_EQ(expanded.members.front().kernel, situation.members.front().kernel);
}

TEST(Expand, FollowsTheTheoryWhereItIsAskedTo) {
  const Situation situation;
  for (const bool half : {false, true}) {
    ExpandingOptions options;
    options.theoretical = true;
    options.norm = 0.1;
    options.reference_power = 0.999;
    options.norm_by_half_power = half;
    LengthscalePast past;
    past.h = 1.4;
    const Expanded expanded = situation.At(options, past);
    EXPECT_GE(expanded.h, 1.4);
    EXPECT_NEAR(expanded.b, std::pow(expanded.h, 0.1), 1e-12);
    const double there = NaiveBound(situation, LengthscalesOf(situation.members.front()),
                                    expanded.h, expanded.g, expanded.b, options);
    EXPECT_NEAR(there, expanded.regret, 1e-6 * there);
    // Lemma 1 has the information of the lengthscales that the model gets.
    const double information =
        NaiveInformation(situation, LengthscalesOf(expanded.members.front()));
    const double volume = std::pow(expanded.g, 2);
    EXPECT_NEAR(expanded.multiplier,
                expanded.b * (half ? std::sqrt(volume) : volume) * 0.1 +
                    4 * std::sqrt(0.3) / 1.3 * std::sqrt(information + 1 + std::log(10.0)),
                1e-9 * expanded.multiplier);
    EXPECT_NEAR(expanded.amplitude, 1.3, 1e-12);
  }
}

TEST(Expand, NeverShrinksAndHasALimit) {
  const Situation situation;
  LengthscalePast past;
  past.h = 7;
  EXPECT_EQ(situation.At(ExpandingOptions(), past).h, 7);
  past.h = 1e9;  // As another version may have left it.
  EXPECT_EQ(situation.At(ExpandingOptions(), past).h, ExpandingOptions().most);
  ExpandingOptions out_of_reach;
  out_of_reach.reference_power = 5;
  const Expanded expanded = situation.At(out_of_reach);
  EXPECT_EQ(expanded.h, out_of_reach.most);
  EXPECT_LT(expanded.regret, expanded.reference);
}

TEST(Expand, NormAndLengthscalesBothGrowWithoutBoundInTheTheory) {
  Situation situation(20, 2, 0.5);
  ExpandingOptions options;
  options.theoretical = true;
  options.reference_power = 50;  // Out of reach: h is at its limit.
  const Expanded few = situation.At(options);
  EXPECT_NEAR(few.g, 10 * (1 + std::log(20.0)), 1e-9 * few.g);
  EXPECT_NEAR(few.b * few.g * few.g, few.h, 1e-9 * few.h);
  situation.data = SampleData(400, 2, 0.1, 3);
  const Expanded many = situation.At(options);
  EXPECT_NEAR(many.g, 10 * (1 + std::log(400.0)), 1e-9 * many.g);
  EXPECT_GT(many.b, few.b);
}

// Where the calibrated lengthscales are shorter than first_lengthscale / most, the limit is still
// one that they reach.
TEST(Expand, ALimitOfLengthscalesReachesThoseThatAreShort) {
  const Situation situation(120, 2, 0.04);  // And 0.066 along the other coordinate.
  ExpandingOptions options;
  options.coupling = LengthscaleCoupling::kMinimum;
  options.reference_power = 5;
  const Expanded expanded = situation.At(options);
  EXPECT_NEAR(expanded.h, 10 / 0.04, 1e-6);
  EXPECT_TRUE(LengthscalesOf(expanded.members.front()).isApprox(Vector::Constant(2, 0.004)));
}

TEST(Expand, CouplesWithTheCalibrationInThreeWays) {
  const Situation situation;
  const Hyperparameters& calibrated = situation.members.front();
  LengthscalePast past;
  past.h = 2;
  ExpandingOptions options;
  options.reference_power = 0.1;
  options.first_lengthscale = 10;
  const Vector before = LengthscalesOf(calibrated);
  const auto after = [&](LengthscaleCoupling coupling) {
    options.coupling = coupling;
    const Hyperparameters member = situation.At(options, past).members.front();
    EXPECT_EQ(member.kernel[0], calibrated.kernel[0]);
    EXPECT_EQ(member.log_noise_variance, calibrated.log_noise_variance);
    EXPECT_EQ(member.mean, calibrated.mean);
    return LengthscalesOf(member);
  };
  EXPECT_TRUE(after(LengthscaleCoupling::kDivided).isApprox(before / 2));
  EXPECT_TRUE(after(LengthscaleCoupling::kMinimum).isApprox(before.cwiseMin(5.0)));
  EXPECT_NE(before, before.cwiseMin(5.0));
  EXPECT_TRUE(after(LengthscaleCoupling::kAlone).isApprox(Vector::Constant(2, 5.0)));
}

TEST(Expand, ChangesEveryMember) {
  Situation situation;
  situation.members.push_back(situation.members.front());
  situation.members.back().kernel[1] = 0;
  LengthscalePast past;
  past.h = 3;
  const Expanded expanded = situation.At(ExpandingOptions(), past);
  ASSERT_EQ(expanded.members.size(), 2);
  EXPECT_NEAR(expanded.members[1].kernel[1], -std::log(3.0), 1e-12);
}

class OneStep : public testing::Test {
 protected:
  OneStep() { options_.estimate = RegretEstimate::kOneStep; }

  // Deviations that grow with the divisor.
  absl::StatusOr<Expanded> AtDeviation(double of_one, double power = 1) {
    calls_ = 0;
    const double before = situation_.members.front().kernel[1];
    return Expand(situation_.model, situation_.data, situation_.members, 2, kMultiplier, past_,
                  options_,
                  [=, this](const std::vector<Hyperparameters>& members, double multiplier) {
                    ++calls_;
                    EXPECT_EQ(multiplier, kMultiplier);
                    const double g = std::exp(before - members.front().kernel[1]);
                    return 1.3 * of_one * std::pow(g, power);  // In units of the amplitude: of_one.
                  });
  }

  Situation situation_;
  ExpandingOptions options_;
  LengthscalePast past_ = {120, 1, 30, 39};
  int calls_ = 0;
};

TEST_F(OneStep, StopsAtTheFirstOfTheGridThatIsEnough) {
  // 40^0.9 = 27.66 has been paid for; 60^0.9 = 39.8 has not.
  EXPECT_EQ(AtDeviation(0.001)->h, 1);
  EXPECT_EQ(calls_, 1);
  past_.chosen_points = 59;
  for (const double of_one : {0.5, 1.0, 2.0, 3.0}) {
    const absl::StatusOr<Expanded> expanded = AtDeviation(of_one);
    ASSERT_TRUE(expanded.ok());
    double naive = 1;
    while (30 + 2 * kMultiplier * of_one * naive < std::pow(60.0, 0.9)) naive *= 1.1;
    EXPECT_NEAR(expanded->h, naive, 1e-9);
    EXPECT_NEAR(expanded->regret, 30 + 2 * kMultiplier * of_one * naive, 1e-9);
  }
}

TEST_F(OneStep, TakesTheFirstThatIsEnoughWhereTheDeviationDoesNotGrow) {
  past_.chosen_points = 59;
  const double needed = (std::pow(60.0, 0.9) - 30) / (2 * kMultiplier);
  const double before = situation_.members.front().kernel[1];
  const auto at = [&](double peak) {
    // Largest at g = 3, and smaller beyond it.
    return Expand(situation_.model, situation_.data, situation_.members, 2, kMultiplier, past_,
                  options_, [=](const std::vector<Hyperparameters>& members, double) {
                    const double g = std::exp(before - members.front().kernel[1]);
                    return 1.3 * peak * std::exp(-std::pow(std::log(g / 3), 2));
                  });
  };
  const absl::StatusOr<Expanded> enough = at(1.1 * needed);
  ASSERT_TRUE(enough.ok());
  EXPECT_GT(enough->h, 1);
  EXPECT_LT(enough->h, 3);
  EXPECT_GE(enough->regret, enough->reference);
  const absl::StatusOr<Expanded> never = at(0.9 * needed);
  ASSERT_TRUE(never.ok());
  EXPECT_EQ(never->h, options_.most) << "where none is enough, the largest";
  EXPECT_LT(never->regret, never->reference);
}

TEST_F(OneStep, WithMinimumDoesNotStopWhereLengthscalesAreStillTheCalibrateds) {
  past_.chosen_points = 59;
  options_.coupling = LengthscaleCoupling::kMinimum;
  for (Hyperparameters& member : situation_.members) {
    member.kernel.tail(2).setConstant(std::log(0.05));
  }
  int calls = 0;
  const auto expanded =
      Expand(situation_.model, situation_.data, situation_.members, 2, kMultiplier, past_, options_,
             [&](const std::vector<Hyperparameters>& members, double) -> absl::StatusOr<double> {
               ++calls;
               return 0.65 * 0.05 / std::exp(members.front().kernel[1]);
             });
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_GT(expanded->h, 20) << "1/20 is where the limit meets the lengthscales";
  EXPECT_GE(expanded->regret, expanded->reference) << "the regret estimate reaches its reference";
  EXPECT_LT(LengthscalesOf(expanded->members.front()).maxCoeff(), 0.05);
  EXPECT_LT(calls, 30) << "the scales at which nothing changes are not tried";
}

TEST_F(OneStep, WithTheTheoryIsLemma1sMultiplierAtEachScale) {
  past_.chosen_points = 500;
  options_.theoretical = true;
  options_.norm = 0.2;
  std::vector<double> multipliers;
  const auto expanded = Expand(
      situation_.model, situation_.data, situation_.members, 2, kMultiplier, past_, options_,
      [&](const std::vector<Hyperparameters>& members,
          double multiplier) -> absl::StatusOr<double> {
        const double before = situation_.members.front().kernel[1];
        const double g = std::exp(before - members.front().kernel[1]);
        const double h = std::pow(g, 2 / 0.9);
        const double information = NaiveInformation(situation_, LengthscalesOf(members.front()));
        EXPECT_NEAR(multiplier,
                    std::pow(h, 0.1) * g * g * 0.2 +
                        4 * std::sqrt(0.3) / 1.3 * std::sqrt(information + 1 + std::log(10.0)),
                    1e-9 * multiplier);
        multipliers.push_back(multiplier);
        return 1.3;
      });
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_GT(multipliers.size(), 3U);
  EXPECT_NEAR(expanded->multiplier, multipliers.back(), 1e-12);
  EXPECT_NEAR(expanded->regret, 30 + 2 * multipliers.back(), 1e-9);
  EXPECT_GE(expanded->regret, expanded->reference);
}

TEST_F(OneStep, ADeadlineLeavesTheBestSoFar) {
  past_.chosen_points = 59;
  int calls = 0;
  const auto expanded =
      Expand(situation_.model, situation_.data, situation_.members, 2, kMultiplier, past_, options_,
             [&](const std::vector<Hyperparameters>&, double) -> absl::StatusOr<double> {
               if (++calls > 3) return absl::DeadlineExceededError("late");
               return 0.01 * calls;
             });
  ASSERT_TRUE(expanded.ok()) << expanded.status();
  EXPECT_NEAR(expanded->h, 1.21, 1e-9);
}

TEST_F(OneStep, GoesOnFromWhereItWas) {
  past_ = {120, 2.5, 30, 59};
  EXPECT_EQ(AtDeviation(100)->h, 2.5);
  past_.h = 9.9;
  EXPECT_EQ(AtDeviation(0.001)->h, options_.most);
}

TEST_F(OneStep, PassesErrorsOn) {
  const auto fails = [](const std::vector<Hyperparameters>&, double) -> absl::StatusOr<double> {
    return absl::DeadlineExceededError("late");
  };
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      Expand(situation_.model, situation_.data, situation_.members, 2, 2, {}, options_, fails)
          .status()));
}

TEST(Lengthscales, AreFoundInSumsAndProducts) {
  std::vector<std::unique_ptr<Kernel>> parts;
  parts.push_back(MakeStationary(Smoothness::kMatern12, Numbers(2), Lengthscales::kShared));
  parts.push_back(MakeStationary(Smoothness::kMatern32, Numbers(2), Lengthscales::kEach));
  const std::unique_ptr<Kernel> product = MakeProduct(std::move(parts));
  EXPECT_EQ(LengthscalePlaces(*product), (std::vector<Index>{1, 3, 4}));
}

}  // namespace
}  // namespace slipstream
