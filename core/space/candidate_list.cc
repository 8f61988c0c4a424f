#include "core/space/candidate_list.h"

#include <utility>

namespace slipstream {

CandidateList::CandidateList(std::vector<Configuration> rows, bool allow_repeats)
    : rows_(std::move(rows)), allow_repeats_(allow_repeats) {
  index_.reserve(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) index_.emplace(&rows_[i], static_cast<int64_t>(i));
}

std::optional<int64_t> CandidateList::IndexOf(const Configuration& configuration) const {
  const auto row = index_.find(&configuration);
  if (row == index_.end()) return std::nullopt;
  return row->second;
}

std::optional<size_t> CandidateList::FirstRepeat() const {
  if (index_.size() == rows_.size()) return std::nullopt;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (*IndexOf(rows_[i]) != static_cast<int64_t>(i)) return i;
  }
  return std::nullopt;
}

size_t CandidateList::MemoryBytes() const {
  size_t bytes = rows_.capacity() * sizeof(Configuration) +
                 index_.bucket_count() * sizeof(void*) +
                 index_.size() * (sizeof(ConfigurationIndex::value_type) + 4 * sizeof(void*));
  for (const Configuration& row : rows_) bytes += row.values.capacity() * sizeof(Value);
  return bytes;
}

}  // namespace slipstream
