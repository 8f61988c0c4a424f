// The demo's experiment: the same tasks are tuned without source tasks, with those of similar
// tasks, and with those of a quite different network, which mislead.
#ifndef SLIPSTREAM_DEPLOY_DEMO_EXPERIMENT_H_
#define SLIPSTREAM_DEPLOY_DEMO_EXPERIMENT_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "deploy/demo/trainer.h"
#include "slipstream/messages/client.h"

namespace slipstream {

struct ExperimentPlan {
  std::string prefix;           // The ids of all studies begin with it.
  int seeds = 20;               // Tasks, each tuned once in each of the three ways.
  int evaluations = 20;         // Of each study.
  int sources = 3;              // Source tasks of each kind.
  int source_evaluations = 60;  // Of each study that becomes a source task.
  int threads = 2;              // Studies that are tuned at the same time.
};

// One run for each seed, in their order.
struct Experiment {
  std::vector<Progress> without;
  std::vector<Progress> similar;
  std::vector<Progress> unlike;
};

// `announce` is told of each part that is done. Returns the client's first error.
absl::StatusOr<Experiment> RunExperiment(Client& client, const ExperimentPlan& plan,
                                         const std::function<void(const std::string&)>& announce);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_EXPERIMENT_H_
