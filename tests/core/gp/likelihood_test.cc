#include "core/gp/likelihood.h"

#include <cmath>
#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/kernel_recipe.h"
#include "tests/core/gp/stacked_priors.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;

TrainingData RandomData(const CoordinateKinds& kinds, Index count, uint64_t seed) {
  Vector repeats = RandomVector(count, 1, 5, seed + 1).array().floor();
  return {RandomPoints(kinds, count, seed), RandomVector(count, -2, 2, seed), repeats};
}

Hyperparameters RandomHyperparameters(Index kernel_count, uint64_t seed) {
  return {RandomVector(kernel_count, -1, 0.5, seed), std::log(0.1), 0.3};
}

// log p(y) of packed hyperparameters: the kernel's, the noise's, the mean.
long double Oracle(const KernelRecipe& recipe, const TrainingData& data, const LongVector& packed) {
  const LongVector kernel(packed.begin(), packed.end() - 2);
  LongData observations{ToLongPoints(data.x), ToLong(data.y), {}};
  for (const double repeats : data.repeats) {
    observations.noise_variance.push_back(std::exp(packed[packed.size() - 2]) / repeats);
  }
  return LogLikelihood(ToLongBelief(recipe, kernel, packed.back()), observations);
}

// Checks the value at `packed` against the oracle's, and the gradient against its differences.
void ExpectMatches(const LikelihoodValue& actual, LongVector packed,
                   const std::function<long double(const LongVector&)>& oracle) {
  EXPECT_LE(RelativeError(actual.value, oracle(packed)), 1e-11);
  LongVector gradient;
  for (long double& parameter : packed) {
    const long double here = parameter;
    gradient.push_back(Derivative(
        [&](long double value) {
          parameter = value;
          return oracle(packed);
        },
        here));
    parameter = here;
  }
  EXPECT_LE(RelativeError(actual.gradient, gradient), 1e-10);
}

class LikelihoodTest : public ::testing::TestWithParam<KernelRecipe> {};

TEST_P(LikelihoodTest, HasTheValueAndGradientOfTheDenseComputation) {
  const KernelRecipe& recipe = GetParam();
  const auto kernel = recipe.make();
  for (const Index count : {1, 2, 14}) {
    const TrainingData data = RandomData(recipe.kinds, count, 1);
    const Hyperparameters hyperparameters = RandomHyperparameters(recipe.parameter_count, 2);
    const absl::StatusOr<LikelihoodValue> actual =
        LogMarginalLikelihood(*kernel, data, hyperparameters);
    ASSERT_TRUE(actual.ok()) << actual.status();
    const LongVector packed = ToLong(hyperparameters.Packed());
    ASSERT_EQ(packed.size(), static_cast<size_t>(recipe.parameter_count + 2));
    ExpectMatches(*actual, packed, [&](const LongVector& at) { return Oracle(recipe, data, at); });
  }
}

INSTANTIATE_TEST_SUITE_P(All, LikelihoodTest, ::testing::ValuesIn(AllRecipes()),
                         [](const auto& each) { return each.param.name; });

KernelRecipe Plain();

// Data with all that a result can have besides: noise of known variance, a term
// that is correlated between the points and one that is not.
TrainingData DataWithTerms(Index count) {
  TrainingData data = RandomData(Numbers(2), count, 61);
  data.known_noise = RandomVector(count, 0, 0.3, 62);
  const Matrix root = RandomPoints(Numbers(count), count, 63);
  data.terms.push_back({RandomVector(count, -1, 1, 64), root * root.transpose()});
  data.terms.push_back({RandomVector(count, -1, 1, 65), Matrix(), RandomVector(count, 0, 1, 66)});
  return data;
}

// log p(y) with the terms, by Gaussian elimination in long double.
long double OracleWithTerms(const TrainingData& data, const LongVector& packed) {
  const KernelRecipe recipe = Plain();
  const LongVector kernel(packed.begin(), packed.begin() + 3);
  const std::vector<LongPoint> points = ToLongPoints(data.x);
  const size_t count = points.size();
  // A point's place is all that its terms depend on, so it serves as a point.
  LongData places;
  for (size_t i = 0; i < count; ++i) {
    places.points.push_back({0, {static_cast<long double>(i)}});
    places.y.push_back(data.y[static_cast<Index>(i)]);
    places.noise_variance.push_back(std::exp(packed[3]) / data.repeats[static_cast<Index>(i)] +
                                    data.known_noise[static_cast<Index>(i)]);
  }
  const auto place_of = [](const LongPoint& point) { return static_cast<Index>(point.x[0]); };
  LongBelief belief;
  belief.mean = [&](const LongPoint& a) {
    long double mean = packed[4];
    for (size_t j = 0; j < 2; ++j) mean += packed[5 + j] * data.terms[j].mean[place_of(a)];
    return mean;
  };
  belief.covariance = [&](const LongPoint& a, const LongPoint& b) {
    const Index i = place_of(a);
    const Index k = place_of(b);
    long double covariance =
        recipe.oracle(kernel, points[static_cast<size_t>(i)].x, points[static_cast<size_t>(k)].x);
    covariance += packed[5] * packed[5] * data.terms[0].covariance(i, k);
    if (i == k) covariance += packed[6] * packed[6] * data.terms[1].variance[i];
    return covariance;
  };
  return LogLikelihood(belief, places);
}

TEST(LikelihoodWithTerms, HasTheValueAndGradientOfTheDenseComputation) {
  const TrainingData data = DataWithTerms(9);
  for (const Vector& weights : {Vector{{0.7, 1.3}}, Vector{{0.0, 2.0}}, Vector{{0.0, 0.0}}}) {
    Hyperparameters hyperparameters = RandomHyperparameters(3, 67);
    hyperparameters.weights = weights;
    const absl::StatusOr<LikelihoodValue> actual =
        LogMarginalLikelihood(*Plain().make(), data, hyperparameters);
    ASSERT_TRUE(actual.ok()) << actual.status();
    const LongVector packed = ToLong(hyperparameters.Packed());
    ASSERT_EQ(packed.size(), 7U);
    ExpectMatches(*actual, packed, [&](const LongVector& at) { return OracleWithTerms(data, at); });
  }
}

TEST(RowsOf, TakesEverythingThatARowHas) {
  TrainingData data = DataWithTerms(5);
  data.spreads = RandomVector(5, 0, 1, 9);
  const TrainingData part = RowsOf(data, {4, 1});
  EXPECT_EQ(part.x.row(0), data.x.row(4));
  EXPECT_EQ(part.y[1], data.y[1]);
  EXPECT_EQ(part.repeats[0], data.repeats[4]);
  EXPECT_EQ(part.known_noise[1], data.known_noise[1]);
  EXPECT_EQ(part.spreads[0], data.spreads[4]);
  EXPECT_EQ(part.terms[0].mean[0], data.terms[0].mean[4]);
  EXPECT_EQ(part.terms[0].covariance(1, 0), data.terms[0].covariance(1, 4));
  EXPECT_EQ(part.terms[1].covariance.size(), 0);
  EXPECT_EQ(part.terms[1].variance[0], data.terms[1].variance[4]);
}

KernelRecipe Plain() {
  return StationaryRecipe(Smoothness::kMatern52, Numbers(2), Lengthscales::kEach);
}

TEST(Likelihood, IsThatOfTheFittedProcess) {
  const std::shared_ptr<const Kernel> kernel = Plain().make();
  const TrainingData data = RandomData(Numbers(2), 90, 11);
  const Hyperparameters hyperparameters = RandomHyperparameters(3, 12);
  const absl::StatusOr<GaussianProcess> process = FitProcess(kernel, data, hyperparameters);
  ASSERT_TRUE(process.ok()) << process.status();
  const LikelihoodValue value = LogMarginalLikelihood(*kernel, data, hyperparameters).value();
  EXPECT_NEAR(LogLikelihoodOf(*process), value.value, 1e-9 * std::abs(value.value));
  const PointMatrix somewhere = RandomPoints(Numbers(2), 1, 13);
  EXPECT_EQ(process->prior().Mean(somewhere)[0], hyperparameters.mean);
  EXPECT_EQ(process->observations().y, data.y);
  for (Index i = 0; i < 90; ++i) {
    EXPECT_NEAR(process->observations().noise_variance[i], 0.1 / data.repeats[i], 1e-15);
  }
}

// The mean of k results with noise v tells of the function what they tell one
// by one.
TEST(Likelihood, AMeanOfRepeatsTeachesTheFunctionWhatTheRepeatsDo) {
  const std::shared_ptr<const Kernel> kernel = Plain().make();
  const Hyperparameters hyperparameters = RandomHyperparameters(3, 21);
  TrainingData one_by_one = RandomData(Numbers(2), 6, 22);
  one_by_one.x.row(4) = one_by_one.x.row(3);
  one_by_one.x.row(5) = one_by_one.x.row(3);
  one_by_one.repeats.setOnes();
  TrainingData merged{one_by_one.x.topRows(4), one_by_one.y.head(4), Vector::Ones(4)};
  merged.y[3] = one_by_one.y.tail(3).mean();
  merged.repeats[3] = 3;
  const PointMatrix x = RandomPoints(Numbers(2), 7, 23);
  const Predictions a = FitProcess(kernel, one_by_one, hyperparameters)->Predict(x);
  const Predictions b = FitProcess(kernel, merged, hyperparameters)->Predict(x);
  EXPECT_LE((a.mean - b.mean).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((a.variance - b.variance).cwiseAbs().maxCoeff(), 1e-12);
  merged.spreads = Vector::Zero(4);
  merged.spreads[3] = (one_by_one.y.tail(3).array() - merged.y[3]).square().sum();
  const LikelihoodValue each = *LogMarginalLikelihood(*kernel, one_by_one, hyperparameters);
  const LikelihoodValue mean = *LogMarginalLikelihood(*kernel, merged, hyperparameters);
  EXPECT_NEAR(mean.value, each.value, 1e-10 * std::abs(each.value));
  EXPECT_LE((mean.gradient - each.gradient).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Likelihood, OfNothingIsCertain) {
  const auto kernel = Plain().make();
  const absl::StatusOr<LikelihoodValue> value =
      LogMarginalLikelihood(*kernel, RandomData(Numbers(2), 0, 31), RandomHyperparameters(3, 32));
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(value->value, 0);
  EXPECT_EQ(value->gradient, Vector::Zero(5));
}

TEST(Likelihood, RefusesWhatIsNotFinite) {
  const std::shared_ptr<const Kernel> kernel = Plain().make();
  const Hyperparameters good = RandomHyperparameters(3, 41);
  const auto refuses = [&](const TrainingData& data, const Hyperparameters& hyperparameters) {
    return absl::IsFailedPrecondition(
               LogMarginalLikelihood(*kernel, data, hyperparameters).status()) &&
           absl::IsFailedPrecondition(FitProcess(kernel, data, hyperparameters).status());
  };
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    TrainingData data = RandomData(Numbers(2), 5, 42);
    data.y[2] = bad;
    EXPECT_TRUE(refuses(data, good)) << bad;
    data = RandomData(Numbers(2), 5, 42);
    data.x(1, 1) = bad;
    EXPECT_TRUE(refuses(data, good)) << bad;
    Hyperparameters broken = good;
    broken.mean = bad;
    EXPECT_TRUE(refuses(RandomData(Numbers(2), 5, 42), broken)) << bad;
  }
  Hyperparameters broken = good;
  for (const double bad : {kNaN, kInfinity, 1e4}) {
    broken.log_noise_variance = bad;
    EXPECT_TRUE(refuses(RandomData(Numbers(2), 5, 42), broken)) << bad;
  }
  broken = good;
  for (const double bad : {kNaN, kInfinity, 1e4}) {
    broken.kernel[0] = bad;
    EXPECT_TRUE(refuses(RandomData(Numbers(2), 5, 42), broken)) << bad;
  }
}

TEST(Likelihood, IsFiniteOrRefusedFarOut) {
  const auto kernel = Plain().make();
  TrainingData data = RandomData(Numbers(2), 8, 51);
  data.x.row(1) = data.x.row(0);
  for (const double amplitude : {-300.0, -30.0, 0.0, 30.0, 150.0}) {
    for (const double lengthscale : {-300.0, -20.0, 0.0, 20.0, 300.0}) {
      for (const double noise : {-700.0, -40.0, 0.0, 40.0, 300.0}) {
        Hyperparameters far{Vector::Constant(3, lengthscale), noise, 0};
        far.kernel[0] = amplitude;
        const absl::StatusOr<LikelihoodValue> value = LogMarginalLikelihood(*kernel, data, far);
        if (!value.ok()) {
          EXPECT_TRUE(absl::IsFailedPrecondition(value.status()));
          continue;
        }
        EXPECT_TRUE(std::isfinite(value->value) && value->gradient.allFinite())
            << amplitude << " " << lengthscale << " " << noise;
      }
    }
  }
}

TEST(Hyperparameters, ComeOutOfThePackAsTheyWentIn) {
  const Hyperparameters hyperparameters{RandomVector(4, -1, 1, 61), -3.5, 0.25};
  const Vector packed = hyperparameters.Packed();
  ASSERT_EQ(packed.size(), 6);
  EXPECT_EQ(packed[4], -3.5);
  EXPECT_EQ(packed[5], 0.25);
  const Hyperparameters again = Hyperparameters::Unpacked(packed);
  EXPECT_EQ(again.kernel, hyperparameters.kernel);
  EXPECT_EQ(again.log_noise_variance, -3.5);
  EXPECT_EQ(again.mean, 0.25);
}

TEST(Hyperparameters, HaveANameEach) {
  EXPECT_THAT(
      HyperparameterNames(*Plain().make()),
      ElementsAre("amplitude", "lengthscale[0]", "lengthscale[1]", ::testing::_, ::testing::_));
}

}  // namespace
}  // namespace slipstream
