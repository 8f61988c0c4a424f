#include "server/service/fitting_sources.h"

#include <cstdint>
#include <map>
#include <utility>

#include "core/base/status.h"
#include "core/space/space_mapping.h"
#include "server/convert/resource_name.h"
#include "server/convert/source_conversion.h"
#include "server/service/page.h"

namespace slipstream {
namespace {

// The latest source tasks found so far, by their keys, which grow with time.
class Latest {
 public:
  explicit Latest(size_t most) : most_(most) {}

  // `study` is the study that the source task was made of; empty if it was made of none.
  void Add(const SourceTaskRecord& record, const std::string& study) {
    if (!study.empty()) {
      const auto [state, is_first] = states_.try_emplace(study, record.key);
      if (!is_first) ids_.erase(std::exchange(state->second, record.key));
    }
    ids_.emplace(record.key, record.id);
    if (ids_.size() > most_) ids_.erase(ids_.begin());
  }

  std::vector<std::string> Ids() && {
    std::vector<std::string> ids;
    for (auto& [key, id] : ids_) ids.push_back(std::move(id));
    return ids;
  }

 private:
  size_t most_;
  std::map<int64_t, std::string> ids_;
  std::map<std::string, int64_t> states_;  // The key of each study's latest state.
};

bool Fits(const SourceTaskHeader& source, const StudyDefinition& study) {
  return source.metric == study.metric && source.goal == study.goal &&
         SpaceMapping::Create(*source.space, *study.space).ok();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FittingSources(Store& store, const std::string& project,
                                                        const StudyDefinition& definition,
                                                        size_t most) {
  Latest latest(most);
  for (int64_t after = 0;;) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const std::vector<SourceTaskRecord> records,
        ListInProject(project, after, kRecordsPerRead,
                      [&](int64_t key, int limit) { return store.ListSourceTasks(key, limit); }));
    for (const SourceTaskRecord& record : records) {
      after = record.key;
      if (record.measured_count == 0) continue;
      SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskHeader header, StoredSourceTaskHeader(record));
      if (!Fits(header, definition)) continue;
      SLIPSTREAM_ASSIGN_OR_RETURN(const v1::SourceTask task, SourceTaskToProto(record));
      const absl::StatusOr<std::string> study = ParseStudyName("origin", task.origin());
      latest.Add(record, study.ok() ? *study : "");
    }
    if (records.size() < static_cast<size_t>(kRecordsPerRead)) return std::move(latest).Ids();
  }
}

}  // namespace slipstream
