// The demo's trainer. Like a real one, it repeatedly asks a server for
// hyperparameters, trains with them and reports the validation error.
#ifndef SLIPSTREAM_DEPLOY_DEMO_TRAINER_H_
#define SLIPSTREAM_DEPLOY_DEMO_TRAINER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "deploy/demo/training_run.h"
#include "slipstream/messages/client.h"

namespace slipstream {

struct TuningPlan {
  std::string study_id;  // Last part of the new study's name.
  std::string title;     // The study's title.
  Task task;
  int evaluations = 20;
  uint64_t seed = 1;
  std::vector<std::string> sources;  // "sourceTasks/..." to learn from.
};

// The measured errors of one tuning run, in the order of its evaluations.
using Progress = std::vector<double>;

// Creates the study, runs all its evaluations and completes it. Returns the
// client's errors, ALREADY_EXISTS if the id is taken, and then leaves the study
// as it is.
absl::StatusOr<Progress> Tune(Client& client, const TuningPlan& plan);

// Registers the trials of a study that Tune made as a source task, as a CI job does; returns its
// name. The same trials registered again are the same source task.
absl::StatusOr<std::string> RegisterAsSource(Client& client, const std::string& study_id,
                                             const std::string& title);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_TRAINER_H_
