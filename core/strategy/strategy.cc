#include "core/strategy/strategy.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status.h"

namespace slipstream {

absl::StatusOr<bool> SuggestionRun::Advance(int count, const Deadline& deadline,
                                            const std::function<bool()>& ends_turn) {
  while (made_.size() < static_cast<size_t>(count)) {
    const size_t before = made_.size();
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool has_more, MakeNext(deadline, made_));
    if (deadline.is_stopped()) return deadline.Check("stopped");
    for (size_t i = before; i < made_.size(); ++i) {
      Provenance& provenance = made_[i].provenance;
      provenance.preset = origin_.preset;
      provenance.seed = origin_.seed;
      provenance.last_trial_seen = origin_.last_trial;
    }
    if (!has_more) return true;
    if (ends_turn()) break;
  }
  return made_.size() >= static_cast<size_t>(count);
}

// The suggestions of a strategy that makes them all at once.
class Strategy::WholeRun final : public SuggestionRun {
 public:
  WholeRun(const Strategy& strategy, const StudyView& view, int count, uint64_t seed)
      : strategy_(strategy), view_(view), count_(count), seed_(seed) {}

 private:
  absl::StatusOr<bool> MakeNext(const Deadline& deadline, std::vector<Suggestion>& made) override {
    if (std::exchange(is_made_, true)) return false;
    SLIPSTREAM_ASSIGN_OR_RETURN(made, strategy_.DoSuggest(view_, count_, seed_, deadline));
    return made.size() == static_cast<size_t>(count_);
  }

  const Strategy& strategy_;
  const StudyView view_;
  const int count_;
  const uint64_t seed_;
  bool is_made_ = false;
};

absl::StatusOr<std::unique_ptr<SuggestionRun>> Strategy::DoStart(const StudyView& view, int count,
                                                                 uint64_t seed) const {
  return std::make_unique<WholeRun>(*this, view, count, seed);
}

absl::StatusOr<std::unique_ptr<SuggestionRun>> Strategy::Start(const StudyView& view, int count,
                                                               uint64_t seed) const {
  if (view.space == nullptr) return InvalidField("space", "missing", "given");
  if (count < 1) return InvalidField("count", absl::StrCat(count), "1 or more");
  SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<SuggestionRun> run, DoStart(view, count, seed));
  run->made_.reserve(static_cast<size_t>(count));
  run->origin_ = {name_, seed, view.last_trial};
  return run;
}

absl::StatusOr<std::vector<Suggestion>> Strategy::Suggest(const StudyView& view, int count,
                                                          uint64_t seed, Deadline deadline) const {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::unique_ptr<SuggestionRun> run, Start(view, count, seed));
  SLIPSTREAM_RETURN_IF_ERROR(run->Advance(count, deadline, [] { return false; }).status());
  return std::move(run->made_);
}

absl::Status Strategy::Prepare(const StudyView& view, const Deadline& deadline) const {
  if (view.space == nullptr) return InvalidField("space", "missing", "given");
  return DoPrepare(view, deadline);
}

bool Strategy::ReadsHistory(const SearchSpace& space) const {
  return space.has_candidates() || DoReadsHistory();
}

}  // namespace slipstream
