// The latest few things that were worked out, found again by what they depend on.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_LATEST_FEW_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_LATEST_FEW_H_

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/prior/blocks/source_model.h"

namespace slipstream {

// Thread-safe; to be filled with what was computed without its lock. Keys are
// compared by ==.
template <typename Key, typename Value>
class LatestFew {
 public:
  explicit LatestFew(size_t most) : most_(most) {}

  // Null if it is not there.
  std::shared_ptr<Value> Find(const Key& key) {
    const std::lock_guard lock(mutex_);
    return FindWithLock(key);
  }

  // `value`, or what another thread has put there meanwhile. What was longest
  // not asked for goes.
  std::shared_ptr<Value> Insert(Key key, std::shared_ptr<Value> value) {
    const std::lock_guard lock(mutex_);
    if (std::shared_ptr<Value> there = FindWithLock(key)) return there;
    entries_.emplace_front(std::move(key), std::move(value));
    if (entries_.size() > most_) entries_.pop_back();
    return entries_.front().second;
  }

 private:
  std::shared_ptr<Value> FindWithLock(const Key& key) {
    const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& other) { return other.first == key; });
    if (entry == entries_.end()) return nullptr;
    std::rotate(entries_.begin(), entry, entry + 1);
    return entries_.front().second;
  }

  const size_t most_;
  std::mutex mutex_;
  std::deque<std::pair<Key, std::shared_ptr<Value>>> entries_;  // Latest first.
};

// Which sources these are, in order: as objects, since they do not change. Does
// not keep them, but keeps later ones from being taken for them.
class SourceIdentities {
 public:
  explicit SourceIdentities(const SourceModels& sources) {
    for (const auto& source : sources) sources_.emplace_back(source, source.get());
  }

  bool operator==(const SourceIdentities& other) const {
    return std::equal(sources_.begin(), sources_.end(), other.sources_.begin(),
                      other.sources_.end(), IsSame);
  }

 private:
  // No later object has the owner of one that is gone.
  using Identity = std::pair<std::weak_ptr<const SourceModel>, const SourceModel*>;

  static bool IsSame(const Identity& a, const Identity& b) {
    return a.second == b.second && !a.first.owner_before(b.first) && !b.first.owner_before(a.first);
  }

  std::vector<Identity> sources_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_LATEST_FEW_H_
