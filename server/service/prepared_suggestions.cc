#include "server/service/prepared_suggestions.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace slipstream {
namespace {

size_t BytesOf(const std::vector<PreparedSuggestion>& suggestions) {
  size_t bytes = 0;
  for (const auto& [suggestion, trial] : suggestions) {
    const Provenance& provenance = suggestion.provenance;
    bytes += sizeof(PreparedSuggestion) + trial.configuration.size() + trial.provenance.size() +
             suggestion.configuration.values.size() * sizeof(Value) +
             provenance.sources.size() * sizeof(SourceWeight) +
             provenance.facts.size() * sizeof(Fact);
    for (const Note& note : provenance.notes) {
      bytes += sizeof(note) + note.values.size() * sizeof(double);
    }
  }
  return bytes;
}

}  // namespace

void PreparedSuggestions::Put(int64_t study_key, PreparedFor made_for,
                              std::vector<PreparedSuggestion> suggestions) {
  const size_t bytes = BytesOf(suggestions);
  const auto size = static_cast<int64_t>(suggestions.size());
  auto kept = std::make_shared<const std::vector<PreparedSuggestion>>(std::move(suggestions));
  std::vector<Suggestions> erased;
  const std::lock_guard<std::mutex> lock(mutex_);
  erased.push_back(Erase(study_key));
  if (bytes > most_bytes_) return;
  while (studies_.size() >= most_studies_ || bytes_ + bytes > most_bytes_) {
    erased.push_back(EraseOne());
  }
  if (!made_for.without_results) made_ += size;
  studies_[study_key] = {std::move(made_for), std::move(kept), size, 0, bytes, ++uses_};
  bytes_ += bytes;
}

PreparedSuggestions::Suggestions PreparedSuggestions::EraseOne() {
  const auto place = [](const Prepared& prepared) {
    return std::tuple(!prepared.made_for.without_results, prepared.last_use);
  };
  const auto first = std::min_element(
      studies_.begin(), studies_.end(),
      [&](const auto& a, const auto& b) { return place(a.second) < place(b.second); });
  return Erase(first->first);
}

PreparedSuggestions::Suggestions PreparedSuggestions::Erase(int64_t study_key) {
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return nullptr;
  Prepared& prepared = found->second;
  if (!prepared.made_for.without_results) wasted_ += prepared.size - prepared.used;
  bytes_ -= prepared.bytes;
  Suggestions suggestions = std::move(prepared.suggestions);
  studies_.erase(found);
  return suggestions;
}

void PreparedSuggestions::Forget(int64_t study_key) {
  Suggestions erased;
  const std::lock_guard<std::mutex> lock(mutex_);
  erased = Erase(study_key);
}

void PreparedSuggestions::CountUsed(int64_t study_key, int64_t count) {
  Suggestions erased;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return;
  Prepared& prepared = found->second;
  const int64_t used = std::min(count, prepared.size - prepared.used);
  prepared.used += used;
  if (!prepared.made_for.without_results) used_ += used;
  if (prepared.used < prepared.size) return;
  erased = std::move(prepared.suggestions);
  bytes_ -= std::exchange(prepared.bytes, 0);
}

bool PreparedSuggestions::HasUnused(int64_t study_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  return found != studies_.end() && found->second.used < found->second.size;
}

int64_t PreparedSuggestions::UsedUp(int64_t study_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  if (found == studies_.end() || found->second.used < found->second.size) return 0;
  return found->second.size;
}

size_t PreparedSuggestions::bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

// Null unless all trials since then are leased suggestions, of which there are `leased`.
PreparedSuggestions::Prepared* PreparedSuggestions::FindLeased(int64_t study_key, int64_t trials,
                                                               int64_t suggested,
                                                               int64_t* leased) {
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return nullptr;
  const HistoryVersion& version = found->second.made_for.version;
  *leased = trials - version.trials;
  if (*leased < 0 || suggested - version.suggested != *leased) return nullptr;
  found->second.last_use = ++uses_;
  return &found->second;
}

absl::Span<const PreparedSuggestion> PreparedSuggestions::Take(const Prepared& prepared,
                                                               int64_t leased, int count) {
  if (prepared.suggestions == nullptr || leased + count > prepared.size) return {};
  return absl::MakeConstSpan(*prepared.suggestions)
      .subspan(static_cast<size_t>(leased), static_cast<size_t>(count));
}

std::vector<Suggestion> PreparedSuggestions::Find(int64_t study_key, const HistoryVersion& version,
                                                  int count) {
  std::vector<Suggestion> suggestions;
  int64_t leased = 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Prepared* prepared = FindLeased(study_key, version.trials, version.suggested, &leased);
  if (prepared == nullptr) return suggestions;
  const PreparedFor& made_for = prepared->made_for;
  if (!made_for.without_results && !(made_for.version.AfterLeases(leased) == version)) {
    return suggestions;
  }
  for (const PreparedSuggestion& each : Take(*prepared, leased, count)) {
    suggestions.push_back(each.suggestion);
  }
  return suggestions;
}

// With the same number of trials and of late results, a trial that ends, or that nobody shall try
// any more, is one that was open.
PreparedSuggestions::Next PreparedSuggestions::FindNext(int64_t study_key,
                                                        const TrialCounts& counts, int count) {
  Next next;
  int64_t leased = 0;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Prepared* prepared = FindLeased(study_key, counts.trials, counts.suggested, &leased);
  if (prepared == nullptr) return next;
  const PreparedFor& made_for = prepared->made_for;
  if (!made_for.without_results && counts.late != made_for.version.late) return next;
  next.holds = made_for.without_results || leased < prepared->size;
  next.suggestions = Take(*prepared, leased, count);
  if (next.suggestions.empty()) return next;
  next.owner = prepared->suggestions;
  if (made_for.without_results) return next;
  next.open = made_for.open;
  for (int64_t i = 1; i <= leased; ++i) next.open.push_back(made_for.version.trials + i);
  return next;
}

}  // namespace slipstream
