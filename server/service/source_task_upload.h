// A source task while it is being uploaded. Converts each message at once into the
// core's compact form, so that a large upload is never held as messages. One upload
// belongs to one call; not thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_SOURCE_TASK_UPLOAD_H_
#define SLIPSTREAM_SERVER_SERVICE_SOURCE_TASK_UPLOAD_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/study/study_view.h"
#include "server/convert/source_conversion.h"
#include "server/store/store.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {

class SourceTaskUpload {
 public:
  static constexpr size_t kMaxObservations = 100000;

  // Takes the next message. INVALID_ARGUMENT, an InvalidField, when the first
  // message has no header or a later one has, when the header or an observation is
  // illegal (its index counts over the whole call), or when there are too many
  // observations. The upload cannot be used after an error.
  absl::Status Add(const v1::RegisterSourceTaskRequest& message);

  // To be called once all messages have been added. INVALID_ARGUMENT when there was
  // no header or no observation.
  absl::StatusOr<NewSourceTask> Finish();

  // Memory that the observations so far take, about.
  int64_t held_bytes() const;
  // Guards a registration of the task that Finish returned; nothing guards a mere validation.
  RequestGuard Guard(const NewSourceTask& task) const;

 private:
  absl::Status TakeHeader(const v1::RegisterSourceTaskRequest::Header& header);

  bool has_header_ = false;
  v1::RegisterSourceTaskRequest::Header header_;
  std::string project_;
  SourceTaskHeader checked_;
  std::vector<SourcePoint> points_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_SOURCE_TASK_UPLOAD_H_
