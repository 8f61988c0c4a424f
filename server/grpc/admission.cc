#include "server/grpc/admission.h"

#include <string>

#include "core/base/status.h"
#include "server/grpc/call_projects.h"

namespace slipstream {
namespace {

bool IsToldByWorkers(Rpc rpc) {
  return rpc == Rpc::kObserve || rpc == Rpc::kReport || rpc == Rpc::kHeartbeat;
}

absl::Status CountCall(CallRates& rates, Rpc rpc, const google::protobuf::Message& request) {
  for (const std::string& project : ProjectsOf(request)) {
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
                           const google::protobuf::Message& message) {
  if (caller == nullptr || caller->all_projects) return absl::OkStatus();
  for (const std::string& project : ProjectsOf(message)) {
    SLIPSTREAM_RETURN_IF_ERROR(CheckProject(*caller, project));
  }
  return absl::OkStatus();
}

absl::Status CheckContent(const std::shared_ptr<const Identity>&,
                          const v1::RegisterSourceTaskRequest&) {
  return absl::OkStatus();
}

// The source tasks that an imported study uses. The project in its own name is the one that it was
// exported from, which does not matter.
absl::Status CheckContent(const std::shared_ptr<const Identity>& caller,
                          const v1::ImportStudyRequest& message) {
  for (const v1::ExportLine& line : message.lines()) {
    if (line.study().source_tasks().empty()) continue;
    v1::Study used;
    *used.mutable_source_tasks() = line.study().source_tasks();
    SLIPSTREAM_RETURN_IF_ERROR(CheckProjects(caller, used));
  }
  return absl::OkStatus();
}

absl::Status CheckRequest(const Admission& admission, Rpc rpc,
                          const std::shared_ptr<const Identity>& caller,
                          const google::protobuf::Message& request) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckProjects(caller, request));
  return admission.rates == nullptr ? absl::OkStatus() : CountCall(*admission.rates, rpc, request);
}

}  // namespace slipstream
