// The demo's trainer. Like a real one, it repeatedly asks a server for
// hyperparameters, trains with them and reports the validation error.
#ifndef SLIPSTREAM_DEPLOY_DEMO_TRAINER_H_
#define SLIPSTREAM_DEPLOY_DEMO_TRAINER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "deploy/demo/progress.h"
#include "deploy/demo/training_run.h"
#include "slipstream/client.h"

namespace slipstream {

struct TuningPlan {
  std::string study_id;  // Last part of the new study's name.
  std::string title;     // The study's title.
  DataSet data_set = DataSet::kThisYear;
  int evaluations = 20;
  uint64_t seed = 1;
  std::string source_task;  // "sourceTasks/..." to learn from; empty: none.
};

// Creates the study, runs all its evaluations and completes it. Returns the
// client's errors, ALREADY_EXISTS if the id is taken, and then leaves the study
// as it is.
absl::StatusOr<Progress> Tune(Client& client, const TuningPlan& plan);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_TRAINER_H_
