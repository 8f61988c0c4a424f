// A stand-in for training a small network: maps three hyperparameters to a
// validation error, instantly and without noise.
#ifndef SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_
#define SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_

#include <cstdint>

namespace slipstream {

// The data sets to train on. Their best hyperparameters are similar but not the
// same, so that experience with one helps with the other.
enum class DataSet { kLastYear, kThisYear };

struct HyperParameters {
  double learning_rate = 0.001;  // 1e-5 to 1, on a log scale.
  double weight_decay = 0.0001;  // 1e-6 to 0.1, on a log scale.
  int64_t layers = 2;            // 1 to 8.
};

// The error in percent, 0 to 90. A smooth function with a single minimum.
double ValidationError(DataSet data_set, const HyperParameters& parameters);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_
