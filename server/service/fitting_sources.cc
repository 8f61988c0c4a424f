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

// The source tasks found so far, by their keys, which grow with time.
class Found {
 public:
  explicit Found(size_t most) : most_(most) {}

  // `study`: of which it is a state; empty if of none.
  void Add(const SourceTaskRecord& record, const std::string& study) {
    if (!study.empty()) {
      const auto [state, is_first] =
          states_.try_emplace(study, State{record.key, record.observation_count});
      if (!is_first) {
        if (record.observation_count < state->second.observations) return;
        ids_.erase(state->second.key);
        state->second = {record.key, record.observation_count};
      }
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
  struct State {
    int64_t key = 0;
    int64_t observations = 0;
  };

  size_t most_;
  std::map<int64_t, std::string> ids_;
  std::map<std::string, State> states_;
};

absl::StatusOr<bool> Fits(const SourceTaskRecord& record, const StudyDefinition& definition) {
  if (record.measured_count == 0) return false;
  SLIPSTREAM_ASSIGN_OR_RETURN(const SourceTaskHeader header, StoredSourceTaskHeader(record));
  return header.metric == definition.metric &&
         SpaceMapping::Create(*header.space, *definition.space).ok();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FittingSources(Store& store, const std::string& project,
                                                        const StudyDefinition& definition,
                                                        size_t most) {
  Found found(most);
  for (int64_t after = 0;;) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const std::vector<SourceTaskRecord> records,
        ListInProject(project, after, kRecordsPerRead,
                      [&](int64_t key, int limit) { return store.ListSourceTasks(key, limit); }));
    for (const SourceTaskRecord& record : records) {
      after = record.key;
      SLIPSTREAM_ASSIGN_OR_RETURN(const bool fits, Fits(record, definition));
      if (!fits) continue;
      SLIPSTREAM_ASSIGN_OR_RETURN(const v1::SourceTask task, SourceTaskToProto(record));
      const absl::StatusOr<std::string> study = ParseStudyName("origin", task.origin());
      found.Add(record, study.ok() ? *study : "");
    }
    if (records.size() < static_cast<size_t>(kRecordsPerRead)) return std::move(found).Ids();
  }
}

}  // namespace slipstream
