#include "server/service/prepared_suggestions.h"

#include <algorithm>
#include <utility>

namespace slipstream {

void PreparedSuggestions::Put(int64_t study_key, const HistoryVersion& version,
                              std::vector<Suggestion> suggestions) {
  const std::lock_guard<std::mutex> lock(mutex_);
  made_ += static_cast<int64_t>(suggestions.size());
  Prepared& prepared = studies_[study_key];
  CountWasted(prepared);
  prepared = {version, std::move(suggestions), ++puts_};
  if (studies_.size() <= most_studies_) return;
  const auto oldest = std::min_element(
      studies_.begin(), studies_.end(),
      [](const auto& a, const auto& b) { return a.second.number < b.second.number; });
  CountWasted(oldest->second);
  studies_.erase(oldest);
}

void PreparedSuggestions::CountWasted(const Prepared& prepared) {
  const auto size = static_cast<int64_t>(prepared.suggestions.size());
  wasted_ += std::max<int64_t>(0, size - prepared.used);
}

void PreparedSuggestions::CountUsed(int64_t study_key, int64_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return;
  Prepared& prepared = found->second;
  // Those of a lease that failed are given to the next caller, and counted once.
  const auto unused = static_cast<int64_t>(prepared.suggestions.size()) - prepared.used;
  prepared.used += std::min(count, unused);
  used_ += std::min(count, unused);
}

std::vector<Suggestion> PreparedSuggestions::Find(int64_t study_key, const HistoryVersion& version,
                                                  int count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return {};
  const Prepared& prepared = found->second;
  const int64_t leased = version.trials - prepared.version.trials;
  const auto size = static_cast<int64_t>(prepared.suggestions.size());
  if (leased < 0 || leased + count > size || !(prepared.version.AfterLeases(leased) == version)) {
    return {};
  }
  const auto first = prepared.suggestions.begin() + leased;
  return {first, first + count};
}

}  // namespace slipstream
