#include "server/grpc/admission.h"

#include <string>

#include "core/base/status.h"
#include "server/grpc/call_projects.h"

namespace slipstream {
namespace {

bool IsToldByWorkers(Rpc rpc) {
  return rpc == Rpc::kObserve || rpc == Rpc::kReport || rpc == Rpc::kHeartbeat ||
         rpc == Rpc::kReleaseTrials;
}

absl::Status CountCall(CallRates& rates, Rpc rpc, const std::set<std::string>& projects) {
  for (const std::string& project : projects) {
    if (project == kEveryProject) continue;
    if (IsToldByWorkers(rpc)) {
      rates.TakeAnyway(project);
    } else {
      SLIPSTREAM_RETURN_IF_ERROR(rates.Take(project));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckProjects(const std::shared_ptr<const Identity>& caller,
                           const std::set<std::string>& projects) {
  if (caller == nullptr || caller->all_projects) return absl::OkStatus();
  for (const std::string& project : projects) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckProject(*caller, project));
  }
  return absl::OkStatus();
}

std::set<std::string> ProjectsOfContent(const v1::RegisterSourceTaskRequest&) { return {}; }

// The source tasks that an imported study uses. The project in its own name is the one that it was
// exported from, which does not matter.
std::set<std::string> ProjectsOfContent(const v1::ImportStudyRequest& message) {
  std::set<std::string> projects;
  for (const v1::ExportLine& line : message.lines()) {
    if (line.study().source_tasks().empty()) continue;
    v1::Study used;
    *used.mutable_source_tasks() = line.study().source_tasks();
    projects.merge(ProjectsOf(used));
  }
  return projects;
}

absl::Status CheckRequest(const Admission& admission, Rpc rpc,
                          const std::shared_ptr<const Identity>& caller,
                          const google::protobuf::Message& request) {
  const bool may_use_all = caller == nullptr || caller->all_projects;
  // Finding the projects takes a while.
  if (may_use_all && admission.rates == nullptr) return absl::OkStatus();
  const std::set<std::string> projects = ProjectsOf(request);
  SLIPSTREAM_RETURN_IF_ERROR(CheckProjects(caller, projects));
  return admission.rates == nullptr ? absl::OkStatus() : CountCall(*admission.rates, rpc, projects);
}

}  // namespace slipstream
