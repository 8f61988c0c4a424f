// The trials of studies in the core's form, for strategies that read them.
// Trials that have ended never change, so a cached history reads from the store
// only the trials that are new or were open. STALE trials are in neither list; a trial
// whose result comes late joins those that have ended.
#ifndef SLIPSTREAM_SERVER_SERVICE_HISTORY_H_
#define SLIPSTREAM_SERVER_SERVICE_HISTORY_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/memo.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"
#include "server/service/catalog.h"
#include "server/store/store.h"

namespace slipstream {

// One study's trials, both lists sorted by number. Not thread-safe: each study is
// used by one thread at a time.
class StudyHistory {
 public:
  // Brings the history up to date with the store; one snapshot as a rule. After an
  // error a part of it may be up to date; a later call completes it. STALE trials
  // are read again only if `late_count`, the study's, has changed.
  absl::Status Refresh(Store& store, const CatalogStudy& study, int64_t late_count);

  const std::vector<EndedTrial>& ended() const { return ended_; }
  const std::vector<OpenTrial>& open() const { return open_; }
  // Approximate size in bytes.
  size_t MemoryBytes(size_t dimension) const;

 private:
  struct Range;

  std::vector<Range> RangesToRead(bool with_stale) const;
  absl::Status ReadRange(Store& store, const CatalogStudy& study, Range range);
  absl::Status TakePage(Store& store, const CatalogStudy& study,
                        const std::vector<TrialRecord>& page);
  // `notes` are the trial's.
  absl::Status Add(const SearchSpace& space, const TrialRecord& record, Notes notes);
  // Gives a trial that repeats the configuration of trial number `first`, which was read before,
  // what is known of where that one came from.
  void Inherit(int64_t first, OpenTrial& trial) const;
  // Moves a trial that is no longer open to where it belongs.
  void Settle(const TrialRecord& record);

  int64_t last_number_ = 0;  // The highest trial number read so far.
  int64_t late_count_ = 0;   // The study's, when stale_ was last read.
  std::vector<EndedTrial> ended_;
  std::vector<OpenTrial> open_;
  std::vector<OpenTrial> stale_;  // By number.
};

// A cache of histories. Thread-safe, as long as each study is used by one thread
// at a time.
class HistoryCache {
 public:
  // `store` must outlive the cache.
  HistoryCache(Store* store, size_t max_bytes) : store_(store), histories_(max_bytes) {}

  // The history, up to date with the store. `late_count` is that of the study's record.
  // NOT_FOUND, DATA_LOSS, the store's errors, or RESOURCE_EXHAUSTED, an OverloadError, without
  // memory for it.
  absl::StatusOr<std::shared_ptr<const StudyHistory>> Get(const CatalogStudy& study,
                                                          int64_t late_count);

  // The approximate size of what is cached.
  size_t bytes() const { return histories_.cost(); }

 private:
  Store* const store_;
  Memo<int64_t, StudyHistory> histories_;  // By study key; keys are never reused. Bounded in bytes.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_HISTORY_H_
