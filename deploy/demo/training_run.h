// A stand-in for training a small network: three hyperparameters in, the
// validation error out, at once and without noise.
#ifndef SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_
#define SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_

#include <cstdint>

namespace slipstream {

// The data sets that one can train on. They want similar hyperparameters, not
// the same: what was learnt on one helps on the other.
enum class DataSet { kLastYear, kThisYear };

struct HyperParameters {
  double learning_rate = 0.001;  // 1e-5 to 1, felt on a log scale.
  double weight_decay = 0.0001;  // 1e-6 to 0.1, felt on a log scale.
  int64_t layers = 2;            // 1 to 8.
};

// In percent, 0 to 90. Smooth, with one minimum.
double ValidationError(DataSet data_set, const HyperParameters& parameters);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_
