// Gaussian processes as a textbook has them, in long double and with nothing
// saved: every posterior solves the whole system, over all tasks at once.
#ifndef SLIPSTREAM_TESTS_CORE_GP_DENSE_ORACLE_H_
#define SLIPSTREAM_TESTS_CORE_GP_DENSE_ORACLE_H_

#include <functional>
#include <limits>
#include <vector>

#include "core/gp/coordinate_kinds.h"
#include "core/gp/gaussian_process.h"
#include "core/linalg/types.h"
#include "tests/core/linalg/long_matrix.h"

namespace slipstream {

// What a computation may be given and must not be led astray by.
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where one of several functions, one a task, is looked at.
struct LongPoint {
  int task = 0;
  LongVector x;
};

// What is believed of all the functions together.
struct LongBelief {
  std::function<long double(const LongPoint&)> mean;
  std::function<long double(const LongPoint&, const LongPoint&)> covariance;
};

struct LongData {
  std::vector<LongPoint> points;
  LongVector y;
  LongVector noise_variance;

  size_t size() const { return y.size(); }
};

struct LongPosterior {
  LongVector mean;
  LongMatrix covariance;

  LongVector Variance() const;
};

std::vector<LongPoint> ToLongPoints(const PointMatrix& x, int task = 0);
LongPoint ToLongPoint(const Vector& x, int task = 0);
LongData ToLongData(const Observations& observations, int task = 0);
LongData Together(const LongData& a, const LongData& b);
// The observations of `data` from `first` on, `count` of them.
LongData Part(const LongData& data, size_t first, size_t count);

// Function t is the sum of independent processes 0 to t, whose beliefs (about
// one function, task 0) these are.
LongBelief Accumulated(std::vector<LongBelief> processes);

LongPosterior Conditioned(const LongBelief& belief, const LongData& data,
                          const std::vector<LongPoint>& at);
long double LogLikelihood(const LongBelief& belief, const LongData& data);

// d of the mean and of the variance at `x` along each number; 0 along words.
struct LongGradients {
  LongVector mean;
  LongVector variance;
};
LongGradients ConditionedGradients(const LongBelief& belief, const LongData& data,
                                   const LongPoint& x, const CoordinateKinds& kinds);

// Points with numbers anywhere in the unit interval and words of three kinds.
PointMatrix RandomPoints(const CoordinateKinds& kinds, Index count, uint64_t seed);
// Uniform in [low, high].
Vector RandomVector(Index size, double low, double high, uint64_t seed);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_GP_DENSE_ORACLE_H_
