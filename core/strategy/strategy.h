// A strategy makes suggestions. It is pure: the same view, seed and count give
// the same suggestions on any machine with the same instruction set, after any
// restart. A deadline's step down the ladder is the one exception, and is
// recorded in the provenance.
//
//   const Preset* preset = FindPreset("quasi_random");
//   std::unique_ptr<Strategy> strategy = MakeStrategy(*preset);
//   SLIPSTREAM_ASSIGN_OR_RETURN(std::vector<Suggestion> next,
//                               strategy->Suggest(view, 1, seed, absl::InfiniteFuture()));
#ifndef SLIPSTREAM_CORE_STRATEGY_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_STRATEGY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

// Thread-safe: Suggest is const and keeps nothing between calls but caches
// that may be thrown away.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // At most `count` (1 or more) suggestions; fewer, but at least one, only
  // where a candidate list runs out. The i-th of a call is what a call after
  // the first i - 1 were leased would give, as far as it does not read results.
  // FAILED_PRECONDITION when the candidate list is used up.
  // INVALID_ARGUMENT when count is below 1 or the view has no space.
  // The provenance's preset, seed and last_trial_seen are filled in here.
  absl::StatusOr<std::vector<Suggestion>> Suggest(const StudyView& view, int count, uint64_t seed,
                                                  absl::Time deadline) const;

  // Works out ahead what Suggest would make of the view's space and sources alone,
  // as far as it keeps that: suggestions are the same without. The view's trials
  // are not read. UNAVAILABLE while a source is being fitted; FAILED_PRECONDITION
  // where sources are of no use or a factorisation fails; INVALID_ARGUMENT when
  // the view has no space.
  absl::Status Prepare(const StudyView& view) const;

  // Whether Suggest needs the view's trials on `space`, not just their counts.
  bool ReadsHistory(const SearchSpace& space) const;
  // Whether it needs the trials' notes, if it reads history.
  bool ReadsNotes() const { return DoReadsNotes(); }

 protected:
  explicit Strategy(std::string name) : name_(std::move(name)) {}
  const std::string& name() const { return name_; }

 private:
  // Called with a valid view and count; facts, sources and rung are to be set.
  virtual absl::StatusOr<std::vector<Suggestion>> DoSuggest(const StudyView& view, int count,
                                                            uint64_t seed,
                                                            absl::Time deadline) const = 0;
  // Called with a view that has a space.
  virtual absl::Status DoPrepare(const StudyView&) const { return absl::OkStatus(); }
  // Without candidates; with candidates history is always read.
  virtual bool DoReadsHistory() const = 0;
  virtual bool DoReadsNotes() const { return false; }

  std::string name_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_STRATEGY_H_
