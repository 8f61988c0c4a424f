#include "tests/e2e/kills/event_tally.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace slipstream::kills {

void EventTally::Add(const std::string& study, const std::string& trial, Kind kind, int64_t times) {
  counts_[study][{trial, kind}] += times;
}

void EventTally::Add(const EventTally& other) {
  for (const auto& [study, counts] : other.counts_) {
    for (const auto& [key, count] : counts) counts_[study][key] += count;
  }
}

int64_t EventTally::CountAt(const std::string& study, const Key& key) const {
  const auto counts = counts_.find(study);
  if (counts == counts_.end()) return 0;
  const auto count = counts->second.find(key);
  return count == counts->second.end() ? 0 : count->second;
}

int64_t EventTally::CountOf(const std::string& study, Kind kind) const {
  return CountAt(study, {"", kind});
}

std::vector<std::string> EventTally::Differences(const std::string& study,
                                                 const EventTally& told) const {
  std::set<Key> keys;
  for (const EventTally* tally : {this, &told}) {
    const auto counts = tally->counts_.find(study);
    if (counts == tally->counts_.end()) continue;
    for (const auto& entry : counts->second) keys.insert(entry.first);
  }
  std::vector<std::string> differences;
  for (const Key& key : keys) {
    if (key.second == v1::StudyEvent::INCUMBENT_IMPROVED) continue;
    const int64_t expected = CountAt(study, key);
    const int64_t seen = told.CountAt(study, key);
    const bool enough = key.second == v1::StudyEvent::TRIAL_REPORTED && seen >= expected;
    if (seen == expected || enough) continue;
    differences.push_back(absl::StrCat(study, " ", key.first, ": ",
                                       v1::StudyEvent::Kind_Name(key.second), " was told ", seen,
                                       " times instead of ", expected));
  }
  return differences;
}

}  // namespace slipstream::kills
