// Converts source tasks between the wire, the core and the store. Pure functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_SOURCE_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_SOURCE_CONVERSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"
#include "server/store/records.h"
#include "slipstream/v1/source_task.pb.h"

namespace slipstream {

// The checked header of a source task.
struct SourceTaskHeader {
  std::shared_ptr<const SearchSpace> space;
  std::string metric;
  Goal goal = Goal::kMaximize;
};

// INVALID_ARGUMENT, an InvalidField with the path inside the message.
absl::StatusOr<SourceTaskHeader> SourceTaskHeaderFromProto(const v1::SourceTask& task);

// The points of each chunk but the last one, in the stored form.
inline constexpr int64_t kPointsPerChunk = 4096;

// Encodes points for the store without loss, so many per chunk.
std::vector<std::string> PackPoints(absl::Span<const SourcePoint> points);

// Appends the points of a chunk to `points`. DATA_LOSS when PackPoints did not make
// the chunk for a space of `dimension` parameters.
absl::Status UnpackPoints(const std::string& chunk, size_t dimension,
                          std::vector<SourcePoint>* points);

// A checked source task for the store; `points` must be legal in the header's space.
NewSourceTask NewSourceTaskOf(const v1::SourceTask& task, const SourceTaskHeader& header,
                              absl::Span<const SourcePoint> points);

// A stored task for the wire, without its observations. DATA_LOSS when the bytes
// cannot be read.
absl::StatusOr<v1::SourceTask> SourceTaskToProto(const SourceTaskRecord& record);

// The header of a stored task. DATA_LOSS when the bytes cannot be read.
absl::StatusOr<SourceTaskHeader> StoredSourceTaskHeader(const SourceTaskRecord& record);

// Approximate size in memory of a stored task's observations, in bytes.
int64_t ObservationBytes(const SourceTaskRecord& record, const SourceTaskHeader& header);

// A stored task for strategies. DATA_LOSS when the bytes cannot be read.
absl::StatusOr<SourceTaskData> StoredSourceTask(const SourceTaskRecord& record,
                                                const std::vector<std::string>& chunks);

// DATA_LOSS unless the stored observations are those that the task's id was derived from.
absl::Status CheckStoredSourceTask(const SourceTaskRecord& record,
                                   const std::vector<std::string>& chunks);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_SOURCE_CONVERSION_H_
