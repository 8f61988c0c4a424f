// A stand-in for training a small network: maps three hyperparameters to a
// validation error, instantly and without noise.
#ifndef SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_
#define SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_

#include <cstdint>

namespace slipstream {

// A network to train on some data: which hyperparameters are best, and the error with them.
struct Task {
  double log_learning_rate = 0;
  double log_weight_decay = 0;
  double layers = 0;
  double error = 0;
};

// One kind of network on ever new data: the best hyperparameters are similar but not the same, so
// that experience with one task helps with another. Equal seeds give equal tasks.
Task SimilarTask(uint64_t seed);

// Another kind of network, which wants quite other hyperparameters: experience with it misleads.
Task UnlikeTask(uint64_t seed);

struct HyperParameters {
  double learning_rate = 0.001;  // 1e-5 to 1, on a log scale.
  double weight_decay = 0.0001;  // 1e-6 to 0.1, on a log scale.
  int64_t layers = 2;            // 1 to 8.
};

// The error in percent, 0 to 90. A smooth function with a single minimum.
double ValidationError(const Task& task, const HyperParameters& parameters);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_TRAINING_RUN_H_
