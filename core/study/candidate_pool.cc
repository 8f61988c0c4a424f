#include "core/study/candidate_pool.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

template <typename Trial>
void MarkTried(const SearchSpace& space, absl::Span<const Trial> trials,
               std::vector<bool>& is_tried) {
  for (const Trial& trial : trials) {
    const std::optional<int64_t> candidate =
        trial.candidate.has_value() ? trial.candidate : space.CandidateIndex(trial.configuration);
    if (!candidate.has_value() || *candidate < 0) continue;
    const size_t index = static_cast<size_t>(*candidate);
    if (index < is_tried.size()) is_tried[index] = true;
  }
}

}  // namespace

CandidatePool::CandidatePool(const SearchSpace& space, std::vector<int64_t> left)
    : space_(&space), nearest_(space), left_(std::move(left)) {}

absl::StatusOr<CandidatePool> CandidatePool::Create(const StudyView& view) {
  const SearchSpace& space = *view.space;
  std::vector<bool> is_tried(space.candidates().size(), false);
  if (!space.allow_repeats()) {
    MarkTried(space, view.ended, is_tried);
    MarkTried(space, view.open, is_tried);
  }
  std::vector<int64_t> left;
  for (size_t i = 0; i < is_tried.size(); ++i) {
    if (!is_tried[i]) left.push_back(static_cast<int64_t>(i));
  }
  if (left.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("all ", is_tried.size(),
                     " candidates of the space have been tried, and the list does not allow "
                     "repeats"));
  }
  return CandidatePool(space, std::move(left));
}

void CandidatePool::LeaveOut(const ConfigurationIndex& configurations) {
  if (configurations.empty()) return;
  std::vector<int64_t> others;
  for (int64_t candidate : left_) {
    const Configuration& there = space_->candidates()[static_cast<size_t>(candidate)];
    if (!configurations.contains(&there)) others.push_back(candidate);
  }
  if (!others.empty()) left_ = std::move(others);
}

int64_t CandidatePool::TakeAt(std::vector<int64_t>::iterator place) {
  const int64_t candidate = *place;
  if (!space_->allow_repeats()) left_.erase(place);
  return candidate;
}

int64_t CandidatePool::TakeUniform(double uniform) {
  const auto place = static_cast<size_t>(uniform * static_cast<double>(left_.size()));
  return TakeAt(left_.begin() + static_cast<ptrdiff_t>(std::min(place, left_.size() - 1)));
}

bool CandidatePool::Take(int64_t candidate) {
  const auto place = std::lower_bound(left_.begin(), left_.end(), candidate);
  if (place == left_.end() || *place != candidate) return false;
  TakeAt(place);
  return true;
}

int64_t CandidatePool::TakeNearest(const Configuration& configuration) {
  const size_t place = nearest_.PlaceAmong(left_, configuration);
  return TakeAt(left_.begin() + static_cast<ptrdiff_t>(place));
}

}  // namespace slipstream
