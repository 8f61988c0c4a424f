// The trials of studies in the core's form, for strategies that read them.
// Trials that have ended never change, so a history that was read once only
// asks the store for what is new and what was open.
#ifndef SLIPSTREAM_SERVER_SERVICE_HISTORY_H_
#define SLIPSTREAM_SERVER_SERVICE_HISTORY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/memo.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"
#include "server/service/catalog.h"
#include "server/store/store.h"

namespace slipstream {

// One study's trials, both lists by number. Not thread-safe: one study is
// worked on by one thread at a time.
class StudyHistory {
 public:
  // Brings the history up to what the store holds. On an error it is as before
  // or part of the way; a later call completes it.
  absl::Status Refresh(Store& store, const CatalogStudy& study);

  const std::vector<EndedTrial>& ended() const { return ended_; }
  const std::vector<OpenTrial>& open() const { return open_; }
  // Approximate size in bytes.
  size_t MemoryBytes(size_t dimension) const;

 private:
  absl::Status RefreshOpen(Store& store, const CatalogStudy& study);
  absl::Status ReadNew(Store& store, const CatalogStudy& study);
  // `notes` are the trial's.
  absl::Status Take(const SearchSpace& space, const TrialRecord& record, Notes notes);

  int64_t last_number_ = 0;
  std::vector<EndedTrial> ended_;
  std::vector<OpenTrial> open_;
};

// Histories of the studies in use. Thread-safe, given one thread a study.
class HistoryCache {
 public:
  // `store` must outlive the cache.
  HistoryCache(Store* store, size_t max_bytes) : store_(store), histories_(max_bytes) {}

  // The history as the store holds it now.
  absl::StatusOr<std::shared_ptr<const StudyHistory>> Get(const CatalogStudy& study);

 private:
  Store* const store_;
  Memo<int64_t, StudyHistory> histories_;  // By study key, never given out twice; in bytes.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_HISTORY_H_
