#include "deploy/demo/training_run.h"

#include <cmath>
#include <random>

namespace slipstream {
namespace {

// A task whose hyperparameters differ from these by no more than a share of the space.
Task Near(const Task& center, uint64_t seed) {
  std::mt19937_64 random(seed);
  // Uniform between -1 and 1; the standard library's distributions differ between libraries.
  const auto draw = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  Task task = center;
  task.log_learning_rate += 0.35 * draw();
  task.log_weight_decay += 0.6 * draw();
  task.layers += draw();
  task.error += draw();
  return task;
}

}  // namespace

Task SimilarTask(uint64_t seed) { return Near({-2.4, -3.3, 4.5, 5}, seed); }

Task UnlikeTask(uint64_t seed) { return Near({-4.2, -1.8, 2, 6}, seed); }

double ValidationError(const Task& task, const HyperParameters& parameters) {
  constexpr double kGuessing = 90.0;  // The error of guessing among ten classes.
  const double rate = std::log10(parameters.learning_rate) - task.log_learning_rate;
  const double decay = (std::log10(parameters.weight_decay) - task.log_weight_decay) / 2;
  const double depth = (static_cast<double>(parameters.layers) - task.layers) / 3;
  // Deeper networks need smaller steps.
  const double distance = rate * rate + decay * decay + depth * depth + 0.6 * rate * depth;
  return kGuessing - (kGuessing - task.error) * std::exp(-distance / 3);
}

}  // namespace slipstream
