#include "core/gp/model.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/calibration/naive_posterior.h"

namespace slipstream {
namespace {

TEST(DefaultModel, BelievesWhatItsHeaderSays) {
  for (Index dimension : {1, 3, 60}) {
    const Model model = DefaultModel(Numbers(dimension), ModelOptions());
    const std::vector<HyperparameterBelief>& beliefs = model.beliefs;
    ASSERT_EQ(beliefs.size(), static_cast<size_t>(dimension) + 3);
    EXPECT_EQ(beliefs[0].location, 0);  // amplitude^2 ~ LogNormal(0, 1).
    EXPECT_EQ(beliefs[0].deviation, 0.5);
    for (size_t i = 1; i <= static_cast<size_t>(dimension); ++i) {
      EXPECT_NEAR(beliefs[i].location, std::log(static_cast<double>(dimension)) / 2 - 1, 1e-12);
      EXPECT_EQ(beliefs[i].deviation, 1);
    }
    const HyperparameterBelief& noise = beliefs[beliefs.size() - 2];
    EXPECT_EQ(noise.location, -4);
    EXPECT_EQ(noise.deviation, 1);
    EXPECT_NEAR(noise.lower, std::log(1e-6), 1e-12);
    EXPECT_EQ(beliefs.back().location, 0);
    EXPECT_EQ(beliefs.back().deviation, 1);
  }
}

TEST(DefaultModel, HasTheWidestRoomAroundEveryLocation) {
  for (Index dimension : {1, 200}) {
    for (const HyperparameterBelief& belief :
         DefaultModel(Numbers(dimension), ModelOptions()).beliefs) {
      EXPECT_LT(belief.lower, belief.location - 2 * belief.deviation);
      EXPECT_GT(belief.upper, belief.location + 2 * belief.deviation);
    }
  }
}

TEST(DefaultModel, FixesTheNoiseOfExactResults) {
  ModelOptions options;
  options.noiseless = true;
  options.exact_noise_variance = 1e-7;
  const Model model = DefaultModel(Numbers(2), options);
  const HyperparameterBelief& noise = model.beliefs[3];
  EXPECT_TRUE(noise.is_fixed());
  EXPECT_NEAR(noise.lower, std::log(1e-7), 1e-12);
  EXPECT_NEAR(model.Location()[3], std::log(1e-7), 1e-12);
}

TEST(DefaultModel, FixesWhatIsGiven) {
  ModelOptions options;
  options.given = {.lengthscale = 0.3, .amplitude = 2, .noise_deviation = 0.1, .mean = 0.5};
  options.warps_inputs = true;
  const Model model = DefaultModel(Numbers(2), options);
  const Vector location = model.Location();
  EXPECT_DOUBLE_EQ(std::exp(location[0]), 2);
  EXPECT_DOUBLE_EQ(std::exp(location[1]), 0.3);
  EXPECT_DOUBLE_EQ(std::exp(location[2]), 0.3);
  EXPECT_NEAR(std::exp(location[location.size() - 2]), 0.01, 1e-15);
  EXPECT_EQ(location[location.size() - 1], 0.5);
  int open = 0;
  for (const HyperparameterBelief& belief : model.beliefs) open += belief.is_fixed() ? 0 : 1;
  EXPECT_EQ(open, 4) << "the curves that bend coordinates";
}

// The density of a Gamma variable theta = exp(power x) is theta^(shape - 1) exp(-rate theta), and
// that of x has theta dx's part on top.
TEST(Model, GammaBeliefsHaveTheDensityOfTheGammaDistributionInTheLogarithm) {
  ModelOptions options;
  options.gamma = {.rate = 10, .shape = 1e-3};
  const Model model = DefaultModel(Numbers(2), options);
  const auto density = [](double theta) { return (1e-3 - 1) * std::log(theta) - 10 * theta; };
  const auto belief_at = [&](const Vector& x) {
    Vector unused = Vector::Zero(x.size());
    return model.LogBelief(x, unused);
  };
  Vector a(5);
  a << -0.4, -1.2, 0.3, -5, 0;
  Vector b(5);
  b << 0.2, -2.2, -0.1, -2, 0;
  const auto naive = [&](const Vector& x) {
    const double variance = std::exp(2 * x[0]);
    return density(variance) + std::log(variance) + density(std::exp(x[1])) + x[1] +
           density(std::exp(x[2])) + x[2] + density(std::exp(x[3])) + x[3];
  };
  EXPECT_NEAR(belief_at(a) - belief_at(b), naive(a) - naive(b), 1e-10);
  Vector gradient = Vector::Zero(5);
  model.LogBelief(a, gradient);
  for (Index i = 0; i < 5; ++i) {
    Vector up = a;
    Vector down = a;
    up[i] += 1e-6;
    down[i] -= 1e-6;
    EXPECT_NEAR(gradient[i], (belief_at(up) - belief_at(down)) / 2e-6, 1e-5) << i;
  }
  EXPECT_EQ(model.Location(), DefaultModel(Numbers(2), ModelOptions()).Location());
}

TEST(DefaultModel, HasABeliefForEachHyperparameterOfItsKernel) {
  for (Lengthscales lengthscales : {Lengthscales::kShared, Lengthscales::kEach}) {
    ModelOptions options;
    options.lengthscales = lengthscales;
    const CoordinateKinds kinds = {CoordinateKind::kNumber, CoordinateKind::kWord,
                                   CoordinateKind::kNumber};
    const Model model = DefaultModel(kinds, options);
    EXPECT_EQ(model.beliefs.size(), HyperparameterNames(*model.kernel).size());
    EXPECT_EQ(model.kernel->dimension(), 3);
  }
}

TEST(DefaultModel, BendsNumbersAloneAndExpectsThemStraight) {
  ModelOptions options;
  options.warps_inputs = true;
  const CoordinateKinds kinds = {CoordinateKind::kNumber, CoordinateKind::kWord,
                                 CoordinateKind::kNumber};
  const Model model = DefaultModel(kinds, options);
  const std::vector<std::string> names = HyperparameterNames(*model.kernel);
  ASSERT_EQ(names.size(), 4U + 4 + 2);
  ASSERT_EQ(model.beliefs.size(), names.size());
  EXPECT_EQ(names[4], "warp_a[0]");
  EXPECT_EQ(names[7], "warp_b[2]");
  const Vector location = model.Location();
  for (Index i = 4; i < 8; ++i) EXPECT_EQ(location[i], 0) << names[static_cast<size_t>(i)];
  PointMatrix x(2, 3);
  x << 0.2, 1, 0.9, 0.7, 0, 0.4;
  const Matrix straight =
      DefaultModel(kinds, ModelOptions()).kernel->Covariance(location.head(4), x, x);
  EXPECT_NEAR(model.kernel->Covariance(location.head(8), x, x)(0, 1), straight(0, 1), 1e-5);
}

Model SmallModel() {
  Model model = SmoothModel(1);
  model.beliefs = {{0.5, 2, -1, 1}, {-3, 0.5, -2, 4}, {-4, 1, -4.5, -4.5}, {0, 3, -5, 5}};
  return model;
}

TEST(Model, TellsItsBoundsAndItsLocationsWithinThem) {
  const Model model = SmallModel();
  EXPECT_EQ(model.Lower(), (Vector{{-1, -2, -4.5, -5}}));
  EXPECT_EQ(model.Upper(), (Vector{{1, 4, -4.5, 5}}));
  EXPECT_EQ(model.Location(), (Vector{{0.5, -2, -4.5, 0}}));
}

TEST(Model, ItsBeliefIsNormalUpToAConstant) {
  const Model model = SmallModel();
  const Vector first{{0.1, 1.0, -4.5, -2.0}};
  const Vector second{{-0.7, -1.5, -4.5, 4.0}};
  Vector gradient = Vector::Zero(4);
  const double difference = model.LogBelief(first, gradient) - model.LogBelief(second, gradient);
  EXPECT_NEAR(difference, NaiveLogBelief(model, first) - NaiveLogBelief(model, second), 1e-12);
}

TEST(Model, ItsBeliefAddsItsGradient) {
  const Model model = SmallModel();
  const Vector place{{0.1, 1.0, -4.5, -2.0}};
  Vector gradient = Vector::Constant(4, 100);
  model.LogBelief(place, gradient);
  for (Index i : {0, 1, 3}) {
    Vector up = place;
    Vector down = place;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    const double slope = (NaiveLogBelief(model, up) - NaiveLogBelief(model, down)) / 2e-5;
    EXPECT_NEAR(gradient[i], 100 + slope, 1e-8);
  }
}

}  // namespace
}  // namespace slipstream
