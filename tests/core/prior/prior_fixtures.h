// Sources, targets and checks for tests of priors.
#ifndef SLIPSTREAM_TESTS_CORE_PRIOR_PRIOR_FIXTURES_H_
#define SLIPSTREAM_TESTS_CORE_PRIOR_PRIOR_FIXTURES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/prior/blocks/added_process.h"
#include "core/prior/blocks/source_model.h"
#include "core/prior/prior.h"
#include "gtest/gtest.h"
#include "tests/core/prior/naive_regression.h"

namespace slipstream {

constexpr double kSourceNoise = 1e-3;  // The variance of sources' noise, ...
constexpr double kNoise = 0.02;        // ... of the target's, ...
constexpr double kLittleNoise = 0.01;  // ... and where less is wanted.

// A function of a point in the unit cube.
using TestFunction = std::function<double(const Vector&)>;

// sum_i sin(5 x_i + i): smooth, of about mean 0 and variance 1 in few dimensions.
double Wave(const Vector& x);
// Something else that is smooth.
double Bowl(const Vector& x);

// `count` points, uniform in the unit cube, and the function's values there,
// standardised unless told otherwise.
TrainingData Sampled(const TestFunction& function, Index dimension, Index count, uint64_t seed,
                     bool standardize = true);

// A process for what sources do not explain: squared exponential, mean 0.2.
OwnPart OwnOf(Index dimension);
// Sampled, with noise variances between 0.01 and 0.1.
Observations ObservationsOf(const TestFunction& function, Index dimension, Index count);

// A source of these data under Matern 5/2, lengthscales 0.4, amplitude 1 and
// this noise variance. Fails the test where it cannot be fitted.
std::shared_ptr<const SourceModel> SourceOf(const std::string& name, TrainingData data,
                                            double noise_variance = kSourceNoise);
std::shared_ptr<const SourceModel> SourceOf(const std::string& name, const TestFunction& function,
                                            Index dimension, Index count, uint64_t seed);

// The history that `at` gives, of a target that has `now` results.
EarlierResults EarlierFrom(std::function<TrainingData(Index count)> at, Index now);

// A prior's input together with all that it refers to.
class Situation {
 public:
  // `places` is how many of them there are.
  Situation(SourceModels sources, TrainingData target, Index places = 64, uint64_t seed = 7);

  PriorInput input() const;

  const CoordinateKinds kinds;
  const SourceModels sources;
  const TrainingData target;
  const PointMatrix places;
  const uint64_t seed;
};

// Hyperparameters at the transfer's locations, with the noise variance (and the
// weights, if any) replaced.
Hyperparameters AtLocation(const Transfer& transfer, double noise_variance);

// The number that the transfer remarks under `name`. Fails the test where there is none.
double RemarkOf(const Transfer& transfer, const Hyperparameters& own, const std::string& name);

// Checks the gradients of PredictPoint against differences, that it agrees with
// Predict, and that the diagonal of JointCovariance does.
void ExpectConsistent(const Surrogate& surrogate, const PointMatrix& at, double tolerance = 1e-5);

// Checks that these are the predictions of a process with the Mean and Covariance of `naive`, given
// the results under kNoise.
template <typename Naive>
void ExpectIsRegression(const Naive& naive, const TrainingData& results, const PointMatrix& at,
                        const Predictions& predicted, double tolerance) {
  const NaivePosterior expected = NaiveRegression(
      naive.Covariance(results.x, results.x), Vector::Constant(results.y.size(), kNoise),
      naive.Covariance(results.x, at), naive.Covariance(at, at), results.y - naive.Mean(results.x));
  EXPECT_LT((predicted.mean - naive.Mean(at) - expected.mean).cwiseAbs().maxCoeff(), tolerance);
  EXPECT_LT((predicted.variance - expected.covariance.diagonal()).cwiseAbs().maxCoeff(), tolerance);
}

// Checks the prior where results are all alike, points are the same, one source has a single point
// and another agrees with the target exactly.
void ExpectFiniteWhereDataAreDegenerate(const Prior& prior);

// Checks the prior where there are no results, one or five, all at one place, and sources of one
// point or of equal results.
void ExpectLivesWithLittle(const Prior& prior);

// Checks that of 3,000 points of 100 sources as many are kept as `remark` says, some of each
// source, and that the prior believes the same each time.
void ExpectThinsManyPoints(const Prior& prior, const std::string& remark);

// Checks that a calibration to six of nine results sees 20 points, which depend on nothing that
// came after the six and begin with these. Returns what is calibrated.
std::unique_ptr<Transfer> ExpectCalibratesToFirstResults(const Prior& prior);

// Checks that, prepared for `count` sources without a target, the prior that `make` gives believes
// of a target bit for bit what it does otherwise, and takes not half as long to say it.
void ExpectIsPreparedAhead(const std::function<std::unique_ptr<Prior>()>& make, int count);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_PRIOR_PRIOR_FIXTURES_H_
