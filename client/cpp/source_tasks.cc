#include <utility>

#include "client/cpp/caller.h"
#include "client/cpp/paging.h"
#include "client/cpp/request_identity.h"
#include "client/cpp/upload.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

using client_internal::Caller;
using client_internal::Identify;

constexpr int kSourceTasksPerPage = 100;

// Reads a vector that outlives it.
class VectorReader final : public ObservationReader {
 public:
  explicit VectorReader(const std::vector<v1::Observation>& observations)
      : observations_(observations) {}

  absl::Status Rewind() override {
    next_ = 0;
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Next(v1::Observation* observation) override {
    if (next_ == observations_.size()) return false;
    *observation = observations_[next_++];
    return true;
  }

 private:
  const std::vector<v1::Observation>& observations_;
  size_t next_ = 0;
};

}  // namespace

absl::StatusOr<v1::RegisterSourceTaskResponse> Client::RegisterSourceTask(
    v1::RegisterSourceTaskRequest::Header header, ObservationReader& observations) {
  Identify(&header);
  return client_internal::Upload(
      *caller_, "register a source task", options_.registration, &Caller::Stub::RegisterSourceTask,
      header, &v1::RegisterSourceTaskRequest::mutable_observations, observations);
}

absl::StatusOr<v1::RegisterSourceTaskResponse> Client::RegisterSourceTask(
    v1::RegisterSourceTaskRequest::Header header,
    const std::vector<v1::Observation>& observations) {
  VectorReader reader(observations);
  return RegisterSourceTask(std::move(header), reader);
}

absl::StatusOr<v1::SourceTask> Client::GetSourceTask(const std::string& name) {
  v1::GetSourceTaskRequest request;
  request.set_name(name);
  return caller_->Unary("read " + name, options_.call, &Caller::Stub::GetSourceTask, request);
}

absl::StatusOr<v1::ListSourceTasksResponse> Client::ListSourceTasks(
    const v1::ListSourceTasksRequest& request) {
  return caller_->Unary("list source tasks", options_.call, &Caller::Stub::ListSourceTasks,
                        request);
}

absl::Status Client::ListAllSourceTasks(const Visitor<v1::SourceTask>& visit,
                                        const std::string& parent) {
  v1::ListSourceTasksRequest request;
  request.set_parent(parent);
  request.set_page_size(kSourceTasksPerPage);
  return client_internal::VisitAllPages(
      request, [this](const v1::ListSourceTasksRequest& page) { return ListSourceTasks(page); },
      [](const v1::ListSourceTasksResponse& page) -> const auto& { return page.source_tasks(); },
      visit);
}

absl::StatusOr<v1::ListSourceObservationsResponse> Client::ListSourceObservations(
    const v1::ListSourceObservationsRequest& request) {
  return caller_->Unary("read the observations of " + request.source_task(), options_.call,
                        &Caller::Stub::ListSourceObservations, request);
}

absl::Status Client::ListAllSourceObservations(const std::string& source_task,
                                               const Visitor<v1::Observation>& visit) {
  v1::ListSourceObservationsRequest request;
  request.set_source_task(source_task);
  return client_internal::VisitAllPages(
      request,
      [this](const v1::ListSourceObservationsRequest& page) {
        return ListSourceObservations(page);
      },
      [](const v1::ListSourceObservationsResponse& page) -> const auto& {
        return page.observations();
      },
      visit);
}

absl::Status Client::DeleteSourceTask(v1::DeleteSourceTaskRequest request) {
  Identify(&request);
  return caller_
      ->Unary("delete " + request.name(), options_.call, &Caller::Stub::DeleteSourceTask, request)
      .status();
}

absl::Status Client::DeleteSourceTask(const std::string& name) {
  v1::DeleteSourceTaskRequest request;
  request.set_name(name);
  return DeleteSourceTask(std::move(request));
}

}  // namespace slipstream
