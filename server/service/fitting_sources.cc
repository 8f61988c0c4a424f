#include "server/service/fitting_sources.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "core/space/space_mapping.h"
#include "server/convert/resource_name.h"
#include "server/convert/source_conversion.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

constexpr int kRecordsPerRead = 200;

// The latest source tasks found so far, by their keys, which grow with time.
class Latest {
 public:
  Latest(size_t most, int64_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  // `study` is the study that the source task was made of; empty if it was made of none.
  void Add(const SourceTaskRecord& record, int64_t bytes, const std::string& study) {
    if (!study.empty()) {
      const auto [state, is_first] = states_.try_emplace(study, record.key);
      if (!is_first) tasks_.erase(std::exchange(state->second, record.key));
    }
    tasks_.emplace(record.key, std::pair(record.id, bytes));
    if (tasks_.size() > most_) tasks_.erase(tasks_.begin());
  }

  std::vector<std::string> Ids() && {
    std::vector<std::string> ids;
    int64_t bytes = 0;
    for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
      bytes += task->second.second;
      if (bytes > most_bytes_) break;
      ids.push_back(std::move(task->second.first));
    }
    std::reverse(ids.begin(), ids.end());
    return ids;
  }

 private:
  const size_t most_;
  const int64_t most_bytes_;
  std::map<int64_t, std::pair<std::string, int64_t>> tasks_;  // Ids and sizes.
  std::map<std::string, int64_t> states_;  // The key of each study's latest state.
};

bool Fits(const SourceTaskHeader& source, const StudyDefinition& study) {
  return source.metric == study.metric && source.goal == study.goal &&
         SpaceMapping::Create(*source.space, *study.space).ok();
}

// When the studies of a project were created.
class CreateTimes {
 public:
  CreateTimes(Store* store, std::string project) : store_(*store), project_(std::move(project)) {}

  // In milliseconds; none if the project has no such study. Those of other projects are not looked
  // at, as the caller may not be allowed to know of them.
  absl::StatusOr<std::optional<int64_t>> Of(const std::string& study) {
    if (ProjectOfId(study) != project_) return std::optional<int64_t>();
    const auto known = times_.find(study);
    if (known != times_.end()) return known->second;
    const absl::StatusOr<StudyRecord> record = store_.GetStudy(study);
    if (!record.ok() && !absl::IsNotFound(record.status())) return record.status();
    std::optional<int64_t> time;
    if (record.ok()) time = record->create_ms;
    times_.emplace(study, time);
    return time;
  }
  // From now on the study counts as created before all else.
  void SetEarliest(const std::string& study) {
    times_[study] = std::numeric_limits<int64_t>::min();
  }

 private:
  Store& store_;
  const std::string project_;
  std::map<std::string, std::optional<int64_t>> times_;
};

// A text that two source tasks share if one is a later state of the other; empty if it is a state
// of no study. To be asked in the order of their keys.
absl::StatusOr<std::string> StudyOf(const SourceTaskRecord& record, const std::string& origin,
                                    CreateTimes& times) {
  const absl::StatusOr<std::string> study = ParseStudyName("origin", origin);
  if (!study.ok()) return std::string();
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<int64_t> created, times.Of(*study));
  const bool is_of_earlier_one = created.has_value() && record.create_ms < *created;
  // Source tasks that were registered after this one belong to the present study too, even if the
  // clock was set back and gave them earlier times.
  if (created.has_value() && !is_of_earlier_one) times.SetEarliest(*study);
  return absl::StrCat(*study, is_of_earlier_one ? " deleted" : "");
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FittingSources(Store& store, const std::string& project,
                                                        const StudyDefinition& definition,
                                                        size_t most, int64_t most_bytes) {
  Latest latest(most, most_bytes);
  CreateTimes times(&store, project);
  for (int64_t after = 0;;) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::vector<SourceTaskRecord> records,
                                store.ListSourceTasks({after, kRecordsPerRead, project}));
    for (const SourceTaskRecord& listed : records) {
      after = listed.key;
      if (listed.measured_count == 0) continue;
      const absl::StatusOr<SourceTaskRecord> record = store.GetSourceTask(listed.id);
      if (absl::IsNotFound(record.status())) continue;  // Deleted meanwhile.
      SLIPSTREAM_RETURN_IF_ERROR(record.status());
      SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskHeader header, StoredSourceTaskHeader(*record));
      if (!Fits(header, definition)) continue;
      SLIPSTREAM_ASSIGN_OR_RETURN(const v1::SourceTask task, SourceTaskToProto(*record));
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::string study, StudyOf(listed, task.origin(), times));
      latest.Add(listed, ObservationBytes(listed, header), study);
    }
    if (records.size() < static_cast<size_t>(kRecordsPerRead)) return std::move(latest).Ids();
  }
}

}  // namespace slipstream
