#include "client/cli/trial_holder.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {
namespace {

// "worker gpu-3 holds it".
std::string HolderText(const v1::Trial& trial) {
  if (trial.worker().empty()) return "no worker holds it";
  return absl::StrCat("worker ", trial.worker(),
                      trial.state() == v1::Trial::ACTIVE ? " holds it" : " held it");
}

}  // namespace

void AddHolder(CLI::App* command, std::optional<std::string>* worker) {
  TakeText(command->add_option("--worker", *worker,
                               "Only if this worker holds or held the trial; exits with 1 "
                               "otherwise, as when the study was deleted and another one has its "
                               "name"))
      ->type_name("NAME");
}

absl::StatusOr<google::protobuf::Timestamp> CreateTimeOfHeld(const std::string& name,
                                                             const std::string& worker,
                                                             Session& session) {
  ASSIGN_OR_RETURN(const v1::Trial trial, session.client().GetTrial(name));
  if (trial.worker() == worker) return trial.create_time();
  return absl::FailedPreconditionError(absl::StrCat(
      ShortTrialName(name), " is not a trial of worker ", worker, ": ", HolderText(trial)));
}

}  // namespace slipstream::cli
