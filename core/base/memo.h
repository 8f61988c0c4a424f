// Values that were computed before, found again by key: the cache of this code for whole values.
//
//   Memo<std::string, const Model> models(/*capacity=*/16);
//   SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
//                               models.Get(name, [&] { return FitModel(name); }));
//
// The sum of the entries' costs is bounded: their number where each costs 1, or bytes. The least
// recently used entry is evicted first. Values are shared, so an evicted one lives on with its
// users. Keys that std::hash takes are found by their hash; others are compared by ==, one after
// the other, which suits a few entries.
//
// Thread-safe; no lock is held while a value is made, but while ChangeAll changes values.
#ifndef SLIPSTREAM_CORE_BASE_MEMO_H_
#define SLIPSTREAM_CORE_BASE_MEMO_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/status.h"

namespace slipstream {

template <typename Key, typename Value>
class Memo {
 public:
  // For values that grow while they are in use and can give some of that back. Entries that have
  // not been used while all others were, many times over, are evicted first; then values shrink;
  // then entries are evicted, but for the last.
  struct Growth {
    std::function<size_t(const Key&, const Value&)> cost;  // Measured again at each use.
    std::function<void(const Value&)> shrink;
    uint64_t uses_until_unused = 8;  // Uses of the memo for each entry that it holds.
  };

  explicit Memo(size_t capacity) : capacity_(capacity) {}
  Memo(size_t capacity, Growth growth) : capacity_(capacity), growth_(std::move(growth)) {}

  // Null if it is not there.
  std::shared_ptr<Value> Find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto entry = Locate(key);
    if (entry == entries_.end()) {
      ++uses_;  // An entry that is never asked for becomes unused also while others find nothing.
      return nullptr;
    }
    std::shared_ptr<Value> value = entry->value;
    Use(entry);
    return value;
  }

  // The value that is there, or the one that `make()`, of type
  // absl::StatusOr<std::shared_ptr<Value>>, returns. Two threads that make a value at once both get
  // the one that was there first. Errors of `make` are returned and not kept.
  template <typename Make>
  absl::StatusOr<std::shared_ptr<Value>> Get(const Key& key, const Make& make) {
    if (std::shared_ptr<Value> found = Find(key)) return found;
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<Value> made, make());
    const std::lock_guard lock(mutex_);
    if (const auto entry = Locate(key); entry != entries_.end()) return entry->value;
    Add(key, made, 1);
    return made;
  }

  // Replaces what was there. A value that costs more than the capacity is not kept, unless it can
  // shrink. With Growth its own measure of the cost holds.
  void Put(const Key& key, std::shared_ptr<Value> value, size_t cost = 1) {
    const std::lock_guard lock(mutex_);
    EraseEntry(Locate(key));
    Add(key, std::move(value), cost);
  }

  // With Growth: the same, but evicts nothing that is in use; whether the value was kept.
  bool PutIfThereIsRoom(const Key& key, std::shared_ptr<Value> value) {
    const std::lock_guard lock(mutex_);
    EraseEntry(Locate(key));
    Insert({key, std::move(value), 0, ++uses_});
    Measure(entries_.front());
    MakeRoom();
    if (!IsFull()) return true;
    EraseEntry(entries_.begin());
    return false;
  }

  void Erase(const Key& key) {
    const std::lock_guard lock(mutex_);
    EraseEntry(Locate(key));
  }

  // Calls `change(Value&)` on each value, with the lock; evicts those for which it returns false.
  // It must not use the memo, nor anybody else a value meanwhile. Costs are not measured again.
  template <typename Change>
  void ChangeAll(const Change& change) {
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto next = std::next(entry);
      if (!change(*entry->value)) EraseEntry(entry);
      entry = next;
    }
  }

  // The sum over the entries.
  size_t cost() const {
    const std::lock_guard lock(mutex_);
    return cost_;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<Value> value;
    size_t cost;
    uint64_t used_at;  // The count of uses_ at the latest use.
  };
  using Entries = std::list<Entry>;
  using Place = typename Entries::iterator;
  static constexpr bool kIsHashed = std::is_default_constructible_v<std::hash<Key>>;
  struct NoIndex {};
  using Index = std::conditional_t<kIsHashed, std::unordered_map<Key, Place>, NoIndex>;

  // All below are called with the lock.
  Place Locate(const Key& key) {
    if constexpr (kIsHashed) {
      const auto found = index_.find(key);
      return found == index_.end() ? entries_.end() : found->second;
    } else {
      return std::find_if(entries_.begin(), entries_.end(),
                          [&](const Entry& entry) { return entry.key == key; });
    }
  }

  void Use(Place entry) {
    entries_.splice(entries_.begin(), entries_, entry);
    entry->used_at = ++uses_;
    if (!growth_.cost) return;
    Measure(*entry);
    Evict();
  }

  // Changes nothing if memory runs out; Abseil's maps do not survive that while they grow.
  void Insert(Entry entry) {
    Entries added;
    added.push_front(std::move(entry));
    if constexpr (kIsHashed) index_[added.front().key] = added.begin();
    entries_.splice(entries_.begin(), added);
  }

  void Add(const Key& key, std::shared_ptr<Value> value, size_t cost) {
    if (!growth_.cost && cost > capacity_) return;
    Insert({key, std::move(value), cost, 0});
    cost_ += cost;
    Use(entries_.begin());
    Evict();
  }

  void Measure(Entry& entry) {
    cost_ -= entry.cost;
    entry.cost = growth_.cost(entry.key, *entry.value);
    cost_ += entry.cost;
  }

  void Evict() {
    if (growth_.cost) MakeRoom();
    while (IsFull()) EraseEntry(std::prev(entries_.end()));
  }

  // Evicts what is unused, then has values shrink, as long as there is need.
  void MakeRoom() {
    while (IsFull() && IsOldestUnused()) EraseEntry(std::prev(entries_.end()));
    for (auto entry = entries_.rbegin(); cost_ > capacity_ && entry != entries_.rend(); ++entry) {
      growth_.shrink(*entry->value);
      Measure(*entry);
    }
  }

  bool IsFull() const { return cost_ > capacity_ && entries_.size() > 1; }

  bool IsOldestUnused() const {
    return uses_ - entries_.back().used_at > growth_.uses_until_unused * entries_.size();
  }

  void EraseEntry(Place entry) {
    if (entry == entries_.end()) return;
    cost_ -= entry->cost;
    if constexpr (kIsHashed) index_.erase(entry->key);
    entries_.erase(entry);
  }

  const size_t capacity_;
  const Growth growth_ = {};
  mutable std::mutex mutex_;
  Entries entries_;  // The most recently used first.
  Index index_;
  size_t cost_ = 0;
  uint64_t uses_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_MEMO_H_
