// The posterior of a process's hyperparameters, written down a second time:
// squared-exponential kernels only, dense algebra, no gradients.
#ifndef SLIPSTREAM_TESTS_CORE_CALIBRATION_NAIVE_POSTERIOR_H_
#define SLIPSTREAM_TESTS_CORE_CALIBRATION_NAIVE_POSTERIOR_H_

#include "core/gp/model.h"

namespace slipstream {

// log p(y | log amplitude, log lengthscales, log noise variance, mean).
double NaiveLogLikelihood(const TrainingData& data, const Vector& packed);

// The logarithm of the beliefs' density, without normalisation; fixed entries
// do not count.
double NaiveLogBelief(const Model& model, const Vector& packed);

// The best of many compass searches from random starts within the bounds.
struct NaiveOptimum {
  Vector packed;
  double value = 0;
};
NaiveOptimum MaximizeNaively(const Model& model, const TrainingData& data, bool with_beliefs,
                             int restarts);

// A model of squared-exponential kernel with DefaultModel's beliefs.
Model SmoothModel(Index dimension, bool noiseless = false);

// Fixes one entry.
void Fix(Model& model, Index entry, double value);

// Noisy results of a smooth function at random points.
TrainingData SampleData(Index count, Index dimension, double noise_deviation, unsigned seed);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_CALIBRATION_NAIVE_POSTERIOR_H_
