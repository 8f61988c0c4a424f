#include "server/service/source_task_upload.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/resource_name.h"
#include "server/convert/text_limits.h"
#include "server/service/answering.h"

namespace slipstream {

absl::Status SourceTaskUpload::Add(const v1::RegisterSourceTaskRequest& message) {
  if (message.has_header()) {
    SLIPSTREAM_RETURN_IF_ERROR(TakeHeader(message.header()));
  } else if (!has_header_) {
    return InvalidField("header", "absent", "present in the first message");
  }
  const size_t total = points_.size() + static_cast<size_t>(message.observations_size());
  if (total > kMaxObservations) {
    return InvalidField("observations", absl::StrCat("more than ", kMaxObservations),
                        absl::StrCat("at most ", kMaxObservations, " in one call"));
  }
  for (const v1::Observation& observation : message.observations()) {
    absl::StatusOr<SourcePoint> point =
        SourcePointFromProto(*checked_.space, checked_.metric, observation);
    if (!point.ok()) {
      return WithFieldPrefix(point.status(), absl::StrCat("observations[", points_.size(), "]."));
    }
    points_.push_back(*std::move(point));
  }
  return absl::OkStatus();
}

int64_t SourceTaskUpload::held_bytes() const {
  if (points_.empty()) return 0;
  const size_t values = points_.front().configuration.values.size();
  return static_cast<int64_t>(points_.size() * (sizeof(SourcePoint) + values * sizeof(Value)));
}

absl::Status SourceTaskUpload::TakeHeader(const v1::RegisterSourceTaskRequest::Header& header) {
  if (std::exchange(has_header_, true)) {
    return InvalidField("header", "present", "absent after the first message");
  }
  SLIPSTREAM_RETURN_IF_ERROR(CheckRequestId(header.request_id()));
  SLIPSTREAM_ASSIGN_OR_RETURN(project_, ParseProjectName("header.parent", header.parent()));
  header_ = header;
  absl::StatusOr<SourceTaskHeader> checked = SourceTaskHeaderFromProto(header.source_task());
  if (!checked.ok()) return WithFieldPrefix(checked.status(), "header.source_task.");
  checked_ = *std::move(checked);
  return absl::OkStatus();
}

absl::StatusOr<NewSourceTask> SourceTaskUpload::Finish() {
  if (!has_header_) return InvalidField("header", "absent", "present in the first message");
  if (points_.empty()) return InvalidField("observations", "none", "at least one");
  NewSourceTask task = NewSourceTaskOf(header_.source_task(), checked_, points_);
  task.id = StoredId(project_, task.id);
  task.validate_only = header_.validate_only();
  return task;
}

RequestGuard SourceTaskUpload::Guard(const NewSourceTask& task) const {
  if (task.validate_only) return {};
  return GuardOf("RegisterSourceTask " + task.id, header_);
}

}  // namespace slipstream
