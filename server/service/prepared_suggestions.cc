#include "server/service/prepared_suggestions.h"

#include <algorithm>
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
  const std::lock_guard<std::mutex> lock(mutex_);
  Erase(study_key);
  if (bytes > most_bytes_) return;
  if (!made_for.without_results) made_ += static_cast<int64_t>(suggestions.size());
  studies_[study_key] = {
      std::move(made_for),
      std::make_shared<const std::vector<PreparedSuggestion>>(std::move(suggestions)), bytes,
      ++puts_};
  bytes_ += bytes;
  while (studies_.size() > most_studies_ || bytes_ > most_bytes_) EraseOldest();
}

void PreparedSuggestions::EraseOldest() {
  const auto oldest = std::min_element(
      studies_.begin(), studies_.end(),
      [](const auto& a, const auto& b) { return a.second.number < b.second.number; });
  Erase(oldest->first);
}

void PreparedSuggestions::Erase(int64_t study_key) {
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return;
  const Prepared& prepared = found->second;
  const auto size = static_cast<int64_t>(prepared.suggestions->size());
  if (!prepared.made_for.without_results) wasted_ += std::max<int64_t>(0, size - prepared.used);
  bytes_ -= prepared.bytes;
  studies_.erase(found);
}

void PreparedSuggestions::Forget(int64_t study_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Erase(study_key);
}

void PreparedSuggestions::CountUsed(int64_t study_key, int64_t count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return;
  Prepared& prepared = found->second;
  // Those of a lease that failed are given to the next caller, and counted once.
  const auto unused = static_cast<int64_t>(prepared.suggestions->size()) - prepared.used;
  const int64_t used = std::min(count, unused);
  prepared.used += used;
  if (!prepared.made_for.without_results) used_ += used;
}

bool PreparedSuggestions::HasUnused(int64_t study_key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  return found != studies_.end() &&
         found->second.used < static_cast<int64_t>(found->second.suggestions->size());
}

size_t PreparedSuggestions::bytes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

absl::Span<const PreparedSuggestion> PreparedSuggestions::Take(const Prepared& prepared,
                                                               int64_t leased, int count) {
  const auto size = static_cast<int64_t>(prepared.suggestions->size());
  if (leased < 0 || leased + count > size) return {};
  return absl::MakeConstSpan(*prepared.suggestions)
      .subspan(static_cast<size_t>(leased), static_cast<size_t>(count));
}

std::vector<Suggestion> PreparedSuggestions::Find(int64_t study_key, const HistoryVersion& version,
                                                  int count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return {};
  const PreparedFor& made_for = found->second.made_for;
  const int64_t leased = version.trials - made_for.version.trials;
  const HistoryVersion expected = made_for.version.AfterLeases(leased);
  const bool holds =
      made_for.without_results ? expected.suggested == version.suggested : expected == version;
  std::vector<Suggestion> suggestions;
  if (!holds) return suggestions;
  for (const PreparedSuggestion& each : Take(found->second, leased, count)) {
    suggestions.push_back(each.suggestion);
  }
  return suggestions;
}

// With the same number of trials and of late results, a trial that ends, or that nobody shall try
// any more, is one that was open.
PreparedSuggestions::Next PreparedSuggestions::FindNext(int64_t study_key,
                                                        const TrialCounts& counts, int count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = studies_.find(study_key);
  if (found == studies_.end()) return {};
  const PreparedFor& made_for = found->second.made_for;
  const HistoryVersion& version = made_for.version;
  const int64_t leased = counts.trials - version.trials;
  if (counts.suggested - version.suggested != leased) return {};
  if (!made_for.without_results && counts.late != version.late) return {};
  Next next = {Take(found->second, leased, count), made_for.open, found->second.suggestions};
  if (made_for.without_results) return next;
  for (int64_t i = 1; i <= leased; ++i) next.open.push_back(version.trials + i);
  return next;
}

}  // namespace slipstream
