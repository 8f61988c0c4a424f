#include "server/convert/source_conversion.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/content_hash.h"
#include "server/convert/observation_conversion.h"
#include "server/convert/space_conversion.h"
#include "server/convert/study_conversion.h"
#include "server/convert/text_limits.h"
#include "server/convert/trial_conversion.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// A packed point has, for each parameter, one byte for the kind of its value and
// eight for the value, followed by one byte for the ending, one that says whether
// there is a number, and eight for the number. A chunk begins with a format byte.
constexpr char kPackFormat = 1;
constexpr size_t kCellBytes = 9;
constexpr size_t kTailBytes = 10;

// Appends eight bytes, little-endian on every machine.
void AppendBits(uint64_t bits, std::string* out) {
  for (int shift = 0; shift < 64; shift += 8) out->push_back(static_cast<char>(bits >> shift));
}

uint64_t ReadBits(const char* bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) {
    bits |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return bits;
}

uint64_t BitsOf(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kInactive:
      return 0;
    case Value::Kind::kDouble:
      return std::bit_cast<uint64_t>(value.number() + 0.0);  // -0 is 0.
    case Value::Kind::kInteger:
      return static_cast<uint64_t>(value.integer());
    case Value::Kind::kLevel:
      return static_cast<uint64_t>(value.level());
    case Value::Kind::kBoolean:
      return value.boolean() ? 1 : 0;
  }
  return 0;
}

absl::StatusOr<Value> ValueOf(int kind, uint64_t bits) {
  switch (static_cast<Value::Kind>(kind)) {
    case Value::Kind::kInactive:
      return Value();
    case Value::Kind::kDouble:
      return Value::Double(std::bit_cast<double>(bits));
    case Value::Kind::kInteger:
      return Value::Integer(static_cast<int64_t>(bits));
    case Value::Kind::kLevel:
      return Value::Level(static_cast<int64_t>(bits));
    case Value::Kind::kBoolean:
      return Value::Boolean(bits != 0);
  }
  return absl::DataLossError("unknown kind of value in stored observations");
}

void AppendPoint(const SourcePoint& point, std::string* out) {
  for (const Value& value : point.configuration.values) {
    out->push_back(static_cast<char>(value.kind()));
    AppendBits(BitsOf(value), out);
  }
  out->push_back(static_cast<char>(point.ending));
  out->push_back(point.value ? 1 : 0);
  AppendBits(std::bit_cast<uint64_t>(point.value.value_or(0.0) + 0.0), out);
}

absl::StatusOr<SourcePoint> ReadPoint(const char* bytes, size_t dimension) {
  SourcePoint point;
  point.configuration.values.reserve(dimension);
  for (size_t i = 0; i < dimension; ++i, bytes += kCellBytes) {
    SLIPSTREAM_ASSIGN_OR_RETURN(Value value, ValueOf(bytes[0], ReadBits(bytes + 1)));
    point.configuration.values.push_back(value);
  }
  if (bytes[0] < 0 || bytes[0] > static_cast<char>(Ending::kStopped)) {
    return absl::DataLossError("unknown ending in stored observations");
  }
  point.ending = static_cast<Ending>(bytes[0]);
  if (bytes[1] != 0) point.value = std::bit_cast<double>(ReadBits(bytes + 2));
  return point;
}

bool Better(const SourcePoint& a, const SourcePoint& b, Goal goal) {
  return goal == Goal::kMaximize ? *a.value > *b.value : *a.value < *b.value;
}

// The best measured point, the first one of equals; null if nothing was measured.
const SourcePoint* BestOf(absl::Span<const SourcePoint> points, Goal goal) {
  const SourcePoint* best = nullptr;
  for (const SourcePoint& point : points) {
    if (point.ending != Ending::kMeasured) continue;
    if (best == nullptr || Better(point, *best, goal)) best = &point;
  }
  return best;
}

absl::Status Unreadable(const SourceTaskRecord& record) {
  return absl::DataLossError(
      absl::StrCat(NameOfSourceTask(record.id), " cannot be read from the store"));
}

absl::Status CheckTexts(const v1::SourceTask& task) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckText("display_name", task.display_name(), kMaxTitleBytes));
  SLIPSTREAM_RETURN_IF_ERROR(CheckText("version", task.version(), kMaxVersionBytes));
  SLIPSTREAM_RETURN_IF_ERROR(CheckText("origin", task.origin(), kMaxOriginBytes));
  return CheckLabels("labels", task.labels());
}

// The part of the content that the id depends on besides the observations.
std::string ContentHeader(const v1::SourceTask& task) {
  v1::SourceTask content;
  *content.mutable_space() = task.space();
  *content.mutable_metrics() = task.metrics();
  return DeterministicBytes(content);
}

std::string StoredDefinition(const v1::SourceTask& task, const SourceTaskHeader& header,
                             absl::Span<const SourcePoint> points) {
  v1::SourceTask stored;
  *stored.mutable_space() = task.space();
  *stored.mutable_metrics() = task.metrics();
  stored.set_display_name(task.display_name());
  stored.set_version(task.version());
  stored.set_origin(task.origin());
  *stored.mutable_labels() = task.labels();
  if (const SourcePoint* best = BestOf(points, header.goal)) {
    SourcePointToProto(*header.space, header.metric, *best, stored.mutable_best());
  }
  return DeterministicBytes(stored);
}

}  // namespace

absl::StatusOr<SourceTaskHeader> SourceTaskHeaderFromProto(const v1::SourceTask& task) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckTexts(task));
  if (task.space().has_candidates()) {
    return InvalidField("space.candidates", "a candidate list",
                        "absent: a source task's observations are its configurations");
  }
  SourceTaskHeader header;
  SLIPSTREAM_ASSIGN_OR_RETURN(MetricAndGoal metric, MetricFromProto(task.metrics()));
  header.metric = std::move(metric.metric);
  header.goal = metric.goal;
  absl::StatusOr<SearchSpace> space = SpaceFromProto(task.space());
  if (!space.ok()) return WithFieldPrefix(space.status(), "space.");
  header.space = std::make_shared<const SearchSpace>(*std::move(space));
  return header;
}

std::vector<std::string> PackPoints(absl::Span<const SourcePoint> points) {
  std::vector<std::string> chunks;
  constexpr auto kStep = static_cast<size_t>(kPointsPerChunk);
  for (size_t first = 0; first < points.size(); first += kStep) {
    std::string chunk(1, kPackFormat);
    for (const SourcePoint& point : points.subspan(first, kStep)) {
      AppendPoint(point, &chunk);
    }
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

absl::Status UnpackPoints(const std::string& chunk, size_t dimension,
                          std::vector<SourcePoint>* points) {
  const size_t point_bytes = dimension * kCellBytes + kTailBytes;
  if (chunk.empty() || chunk[0] != kPackFormat || (chunk.size() - 1) % point_bytes != 0) {
    return absl::DataLossError("stored observations have an unknown form");
  }
  for (size_t at = 1; at < chunk.size(); at += point_bytes) {
    SLIPSTREAM_ASSIGN_OR_RETURN(SourcePoint point, ReadPoint(chunk.data() + at, dimension));
    points->push_back(std::move(point));
  }
  return absl::OkStatus();
}

NewSourceTask NewSourceTaskOf(const v1::SourceTask& task, const SourceTaskHeader& header,
                              absl::Span<const SourcePoint> points) {
  std::vector<std::string> rows;
  rows.reserve(points.size());
  NewSourceTask result;
  for (const SourcePoint& point : points) {
    rows.emplace_back();
    AppendPoint(point, &rows.back());
    if (point.ending == Ending::kMeasured) ++result.measured_count;
  }
  result.id = ContentId(ContentHeader(task), rows);
  result.definition = StoredDefinition(task, header, points);
  result.chunks = PackPoints(points);
  result.observation_count = static_cast<int64_t>(points.size());
  return result;
}

absl::StatusOr<v1::SourceTask> SourceTaskToProto(const SourceTaskRecord& record) {
  v1::SourceTask task;
  if (!task.ParseFromString(record.definition)) return Unreadable(record);
  task.set_name(NameOfSourceTask(record.id));
  *task.mutable_create_time() = TimestampOf(record.create_ms);
  task.set_observation_count(record.observation_count);
  task.set_measured_count(record.measured_count);
  task.set_study_count(record.study_count);
  return task;
}

absl::StatusOr<SourceTaskHeader> StoredSourceTaskHeader(const SourceTaskRecord& record) {
  v1::SourceTask task;
  if (!task.ParseFromString(record.definition)) return Unreadable(record);
  absl::StatusOr<SourceTaskHeader> header = SourceTaskHeaderFromProto(task);
  if (!header.ok()) return Unreadable(record);
  return header;
}

int64_t ObservationBytes(const SourceTaskRecord& record, const SourceTaskHeader& header) {
  const size_t of_each = sizeof(SourcePoint) + header.space->dimension() * sizeof(Value);
  return record.observation_count * static_cast<int64_t>(of_each);
}

absl::StatusOr<SourceTaskData> StoredSourceTask(const SourceTaskRecord& record,
                                                const std::vector<std::string>& chunks) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskHeader header, StoredSourceTaskHeader(record));
  SourceTaskData data{NameOfSourceTask(record.id), header.space, header.goal, {}};
  data.points.reserve(static_cast<size_t>(record.observation_count));
  for (const std::string& chunk : chunks) {
    SLIPSTREAM_RETURN_IF_ERROR(UnpackPoints(chunk, data.space->dimension(), &data.points));
  }
  return data;
}

absl::Status CheckStoredSourceTask(const SourceTaskRecord& record,
                                   const std::vector<std::string>& chunks) {
  SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskData data, StoredSourceTask(record, chunks));
  v1::SourceTask task;
  if (!task.ParseFromString(record.definition)) return Unreadable(record);
  SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskHeader header, SourceTaskHeaderFromProto(task));
  const NewSourceTask derived = NewSourceTaskOf(task, header, data.points);
  if (derived.id == IdInProject(record.id) &&
      derived.observation_count == record.observation_count &&
      derived.measured_count == record.measured_count) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(NameOfSourceTask(record.id),
                                          " has other observations than when it was registered"));
}

}  // namespace slipstream
