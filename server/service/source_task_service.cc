#include "server/service/source_task_service.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/page_token.h"
#include "server/convert/resource_name.h"
#include "server/convert/source_conversion.h"
#include "server/convert/text_limits.h"
#include "server/service/answering.h"
#include "server/service/page.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

constexpr char kSourceTasksScope[] = "source tasks";
constexpr char kObservationsScope[] = "observations of ";

absl::Status FillRegistered(const RegisteredSourceTask& registered,
                            v1::RegisterSourceTaskResponse* response) {
  SLIPSTREAM_ASSIGN_OR_RETURN(*response->mutable_source_task(),
                              SourceTaskToProto(registered.record));
  if (registered.record.key == 0) response->mutable_source_task()->clear_create_time();
  response->set_already_registered(registered.already_registered);
  return absl::OkStatus();
}

// Adds observations of the task from `position` on, counted from 0, until there are `limit` or the
// page is full. Returns the position of the next one.
absl::StatusOr<int64_t> AddObservations(Store& store, const SourceTaskRecord& task,
                                        int64_t position, int limit, size_t full_bytes,
                                        v1::ListSourceObservationsResponse* response) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskHeader header, StoredSourceTaskHeader(task));
  const int64_t left = std::max<int64_t>(task.observation_count - position, 0);
  const int64_t end = position + std::min<int64_t>(left, limit);
  size_t bytes = 0;
  while (position < end && bytes < full_bytes) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> chunk,
                                store.FindSourceChunk(task.id, position / kPointsPerChunk));
    std::vector<SourcePoint> points;
    if (chunk.has_value()) {
      SLIPSTREAM_RETURN_IF_ERROR(UnpackPoints(*chunk, header.space->dimension(), &points));
    }
    auto place = static_cast<size_t>(position % kPointsPerChunk);
    if (place >= points.size()) {
      return absl::DataLossError(
          absl::StrCat(NameOfSourceTask(task.id), " has fewer observations than it should"));
    }
    for (; place < points.size() && position < end && bytes < full_bytes; ++place, ++position) {
      v1::Observation* const observation = response->add_observations();
      SourcePointToProto(*header.space, header.metric, points[place], observation);
      bytes += observation->ByteSizeLong();
    }
  }
  return position;
}

}  // namespace

void SourceTaskService::RegisterSourceTask(std::unique_ptr<SourceTaskUpload> upload,
                                           v1::RegisterSourceTaskResponse* response, Done done) {
  std::shared_ptr<SourceTaskUpload> shared = std::move(upload);
  BeginOn(computations_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(NewSourceTask task, shared->Finish());
    RequestGuard guard = shared->Guard(task);
    const Done then_fit = [this, done, id = task.id,
                           is_registered = !task.validate_only](absl::Status status) {
      if (status.ok() && is_registered) transfer_->FitSource(id);
      done(std::move(status));
    };
    std::function<absl::Status(const RegisteredSourceTask&, v1::RegisterSourceTaskResponse*)>
        convert = FillRegistered;
    store_.RegisterSourceTask(std::move(task),
                              AnsweringWrite<RegisteredSourceTask>(std::move(guard), response,
                                                                   std::move(convert), then_fit));
    return absl::OkStatus();
  });
}

void SourceTaskService::GetSourceTask(const v1::GetSourceTaskRequest* request,
                                      v1::SourceTask* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string id, ParseSourceTaskName("name", request->name()));
    SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskRecord record, store_.GetSourceTask(id));
    SLIPSTREAM_ASSIGN_OR_RETURN(*response, SourceTaskToProto(record));
    return absl::OkStatus();
  });
}

void SourceTaskService::ListSourceTasks(const v1::ListSourceTasksRequest* request,
                                        v1::ListSourceTasksResponse* response, Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_RETURN_IF_ERROR(CheckCount("page_size", request->page_size(), kMaxPageSize));
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> project,
                                ParseProjectsName("parent", request->parent()));
    const std::string scope = absl::StrCat(kSourceTasksScope, request->parent());
    SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t after, ParsePageToken(scope, request->page_token()));
    const int limit = request->page_size() == 0 ? kDefaultSourceTasksPerPage : request->page_size();
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<SourceTaskRecord> tasks,
                                store_.ListSourceTasks({after, limit + 1, project}));
    const auto add = [&](const SourceTaskRecord& listed) -> absl::StatusOr<const v1::SourceTask*> {
      const absl::StatusOr<SourceTaskRecord> record = store_.GetSourceTask(listed.id);
      if (absl::IsNotFound(record.status())) return nullptr;  // Deleted meanwhile.
      SLIPSTREAM_RETURN_IF_ERROR(record.status());
      v1::SourceTask* task = response->add_source_tasks();
      SLIPSTREAM_ASSIGN_OR_RETURN(*task, SourceTaskToProto(*record));
      return task;
    };
    SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskRecord* const last,
                                (FillPage<SourceTaskRecord, v1::SourceTask>(
                                    tasks, static_cast<size_t>(limit), full_page_bytes_,
                                    response->mutable_source_tasks(), add)));
    if (last != nullptr) {
      response->set_next_page_token(MakePageToken(scope, last->key));
    }
    return absl::OkStatus();
  });
}

void SourceTaskService::ListSourceObservations(const v1::ListSourceObservationsRequest* request,
                                               v1::ListSourceObservationsResponse* response,
                                               Done done) {
  AnswerOn(reads_, done, [=, this]() -> absl::Status {
    SLIPSTREAM_RETURN_IF_ERROR(CheckCount("page_size", request->page_size(), kMaxPageSize));
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::string id,
                                ParseSourceTaskName("source_task", request->source_task()));
    SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskRecord task, store_.GetSourceTask(id));
    // The same observations have the same name in another order, too.
    const std::string scope = absl::StrCat(kObservationsScope, id, " ", task.key);
    SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t first, ParsePageToken(scope, request->page_token()));
    const int limit =
        request->page_size() == 0 ? kDefaultObservationsPerPage : request->page_size();
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const int64_t next,
        AddObservations(store_, task, first, limit, full_page_bytes_, response));
    if (next < task.observation_count) response->set_next_page_token(MakePageToken(scope, next));
    return absl::OkStatus();
  });
}

void SourceTaskService::DeleteSourceTask(const v1::DeleteSourceTaskRequest* request,
                                         google::protobuf::Empty* response, Done done) {
  absl::Status status = CheckRequestId(request->request_id());
  const absl::StatusOr<std::string> id = ParseSourceTaskName("name", request->name());
  if (status.ok()) status = id.status();
  if (!status.ok()) return done(status);
  store_.DeleteSourceTask(
      *id, EmptyAnsweringWrite(GuardOf("DeleteSourceTask", *request), response, std::move(done)));
}

}  // namespace slipstream
