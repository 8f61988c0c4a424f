// Precomputed suggestions, to be leased to the next callers.
//
// They hold as long as the study's history is the one that they were made for, or has grown only by
// leases of the earlier ones among them. Those that were made without looking at results hold
// whatever becomes of trials, as long as nobody else adds one. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_PREPARED_SUGGESTIONS_H_
#define SLIPSTREAM_SERVER_SERVICE_PREPARED_SUGGESTIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "absl/types/span.h"
#include "core/study/suggestion.h"
#include "server/store/store.h"

namespace slipstream {

// A study's history by its counts: none of them goes back, so a history that has the same ones is
// the same.
struct HistoryVersion {
  int64_t trials = 0;     // Given out so far.
  int64_t suggested = 0;  // Those among them that Suggest made.
  int64_t ended = 0;
  int64_t open = 0;
  int64_t late = 0;  // Results that came after their leases had ended.

  // After so many new suggestions were leased, and nothing else happened.
  HistoryVersion AfterLeases(int64_t count) const {
    return {trials + count, suggested + count, ended, open + count, late};
  }
  friend bool operator==(const HistoryVersion&, const HistoryVersion&) = default;
};

// What suggestions were made for.
struct PreparedFor {
  HistoryVersion version;
  // The open trials.
  std::vector<int64_t> open = {};
  // Whether they were made without looking at results: then they hold whatever becomes of trials,
  // and of the version only `trials` and `suggested` count.
  bool without_results = false;
};

// A suggestion, and the trial that it becomes when it is leased.
struct PreparedSuggestion {
  Suggestion suggestion;
  NewTrial trial;
};

class PreparedSuggestions {
 public:
  // Keeps the suggestions of at most `most_studies` studies, in about `most_bytes`; evicts those of
  // the least recently used studies. Those that were made without looking at results are evicted
  // first, as they cost next to nothing.
  PreparedSuggestions(size_t most_studies, size_t most_bytes)
      : most_studies_(most_studies), most_bytes_(most_bytes) {}

  // Replaces what the study had. Keeps nothing if the suggestions alone exceed the bytes.
  void Put(int64_t study_key, PreparedFor made_for, std::vector<PreparedSuggestion> suggestions);

  // The next `count` suggestions for a study with that history; none if there are not so many. They
  // stay until the history shows that they were leased, as a lease may fail.
  std::vector<Suggestion> Find(int64_t study_key, const HistoryVersion& version, int count);

  // Whether there is a suggestion for a study with that history.
  bool Has(int64_t study_key, const HistoryVersion& version) {
    return !Find(study_key, version, 1).empty();
  }

  // Like Find, but judged by what a transaction knows: the counts of the study, and which trials
  // are open.
  struct Next {
    // Whether suggestions of the study hold, as far as its counts tell, and some are left; there
    // may be too few.
    bool holds = false;
    absl::Span<const PreparedSuggestion> suggestions = {};
    // They hold if all these trials are open.
    std::vector<int64_t> open = {};
    // Keeps `suggestions` alive.
    std::shared_ptr<const std::vector<PreparedSuggestion>> owner = nullptr;
  };
  Next FindNext(int64_t study_key, const TrialCounts& counts, int count);

  // Whether there are suggestions for the study that nobody has been given; they may not hold.
  bool HasUnused(int64_t study_key);

  // How many suggestions the study had, if all of them were given to callers.
  int64_t UsedUp(int64_t study_key);

  // To be called when they no longer hold.
  void Forget(int64_t study_key);

  // To be called when `count` of the study's were leased.
  void CountUsed(int64_t study_key, int64_t count);

  // How many there have been so far; of these, how many were leased, and how many were replaced or
  // forgotten before. Those that were made without looking at results are not counted.
  int64_t made() const { return made_; }
  int64_t used() const { return used_; }
  int64_t wasted() const { return wasted_; }

  // The approximate size of all.
  size_t bytes();

 private:
  using Suggestions = std::shared_ptr<const std::vector<PreparedSuggestion>>;

  struct Prepared {
    PreparedFor made_for;
    Suggestions suggestions;  // Null once all of them are used.
    int64_t size = 0;
    int64_t used = 0;
    size_t bytes = 0;
    uint64_t last_use = 0;  // Ascending.
  };

  // All with the lock; what is returned is destroyed without it.
  Prepared* FindLeased(int64_t study_key, int64_t trials, int64_t suggested, int64_t* leased);
  static absl::Span<const PreparedSuggestion> Take(const Prepared& prepared, int64_t leased,
                                                   int count);
  Suggestions Erase(int64_t study_key);
  Suggestions EraseOne();

  const size_t most_studies_;
  const size_t most_bytes_;
  std::mutex mutex_;
  std::unordered_map<int64_t, Prepared> studies_;  // By key, which is never given out twice.
  size_t bytes_ = 0;
  uint64_t uses_ = 0;
  std::atomic<int64_t> made_{0};
  std::atomic<int64_t> used_{0};
  std::atomic<int64_t> wasted_{0};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_PREPARED_SUGGESTIONS_H_
