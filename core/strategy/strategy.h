// A strategy makes suggestions. It is pure: the same view, seed and count give
// the same suggestions on any machine with the same instruction set, after any
// restart. A deadline's step down the ladder is the one exception, and is
// recorded in the provenance.
//
//   const Preset* preset = FindPreset("quasi_random");
//   std::unique_ptr<Strategy> strategy = MakeStrategy(*preset);
//   SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Suggestion> next,
//                               strategy->Suggest(view, 1, seed, Deadline::Infinite()));
#ifndef SLIPSTREAM_CORE_STRATEGY_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_STRATEGY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

// Suggestions that are made in turns, so that others may have theirs in between: what comes out is
// the same however many turns there are. Not thread-safe, but a turn may be on any thread.
class SuggestionRun {
 public:
  virtual ~SuggestionRun() = default;

  // Makes suggestions until there are `count` altogether, and at least one; after each it may end
  // the turn. Whether there is nothing left to do: all are there, or the candidates ran out.
  // CANCELLED when the deadline's stop was requested. Other errors as Strategy::Suggest.
  absl::StatusOr<bool> Advance(int count, const Deadline& deadline,
                               const std::function<bool()>& ends_turn);

  // What was made so far, in order.
  const std::vector<Suggestion>& made() const { return made_; }

 protected:
  // Makes one suggestion more, or several, at the end of `made`, whose elements must not move if
  // the run keeps pointers to them. False if there are none left.
  virtual absl::StatusOr<bool> MakeNext(const Deadline& deadline,
                                        std::vector<Suggestion>& made) = 0;

 private:
  friend class Strategy;
  // What all of their provenances say.
  struct Origin {
    std::string preset;
    uint64_t seed = 0;
    int64_t last_trial = 0;
  };

  std::vector<Suggestion> made_;
  Origin origin_;
};

// Thread-safe: Suggest is const and keeps nothing between calls but caches
// that may be thrown away.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // At most `count` (1 or more) suggestions; fewer, but at least one, only
  // where a candidate list runs out. The i-th of a call is what a call after
  // the first i - 1 were leased would give, as far as it does not read results.
  // FAILED_PRECONDITION when the candidate list is used up. CANCELLED when the deadline's stop was
  // requested; when its time is over, the last rung of the ladder makes the missing ones.
  // INVALID_ARGUMENT when count is below 1 or the view has no space.
  // The provenance's preset, seed and last_trial_seen are filled in here.
  absl::StatusOr<std::vector<Suggestion>> Suggest(const StudyView& view, int count, uint64_t seed,
                                                  Deadline deadline) const;

  // The same in turns, of at most `count` suggestions. The view, all that it points to and the
  // strategy must outlive the run and not change meanwhile. INVALID_ARGUMENT as Suggest.
  absl::StatusOr<std::unique_ptr<SuggestionRun>> Start(const StudyView& view, int count,
                                                       uint64_t seed) const;

  // Precomputes what Suggest would compute from the view's space and sources alone,
  // and caches it: suggestions are the same without. The view's trials
  // are not read. UNAVAILABLE while a source is being fitted; NOT_FOUND where sources
  // cannot be used; FAILED_PRECONDITION where a factorisation fails; INVALID_ARGUMENT
  // when the view has no space.
  // DEADLINE_EXCEEDED or CANCELLED when the deadline passed.
  absl::Status Prepare(const StudyView& view,
                       const Deadline& deadline = Deadline::Infinite()) const;

  // Whether Suggest needs the view's trials on `space`, not just their counts.
  bool ReadsHistory(const SearchSpace& space) const;
  // Whether it needs the trials' notes, if it reads history.
  bool ReadsNotes() const { return DoReadsNotes(); }

 protected:
  explicit Strategy(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

 private:
  class WholeRun;

  // Called with a valid view and count; facts, sources and rung are to be set.
  virtual absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count,
                                                            uint64_t seed,
                                                            Deadline deadline) const = 0;
  // Called with a view that has a space.
  virtual absl::Status DoPrepare(const StudyView&, const Deadline&) const {
    return absl::OkStatus();
  }
  // Called with a valid view and count. All suggestions at once, unless a strategy takes long.
  virtual absl::StatusOr<std::unique_ptr<SuggestionRun>> DoStart(const StudyView& view, int count,
                                                                 uint64_t seed) const;
  // Without candidates; with candidates history is always read.
  virtual bool DoReadsHistory() const = 0;
  virtual bool DoReadsNotes() const { return false; }

  std::string name_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_STRATEGY_H_
