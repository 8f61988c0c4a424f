// A cache bounded in bytes that forgets what was used longest ago. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_LRU_CACHE_H_
#define SLIPSTREAM_SERVER_SERVICE_LRU_CACHE_H_

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace slipstream {

// Values are shared: what the cache forgets lives on with its users.
template <typename Key, typename Mapped>
class LruCache {
 public:
  explicit LruCache(size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null if it is not there.
  std::shared_ptr<Mapped> Find(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->value;
  }

  // Replaces what was there. An entry larger than the cache is not kept.
  void Insert(const Key& key, std::shared_ptr<Mapped> value, size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    EraseLocked(key);
    if (bytes > max_bytes_) return;
    entries_.push_front(Entry{key, std::move(value), bytes});
    index_[key] = entries_.begin();
    bytes_ += bytes;
    while (bytes_ > max_bytes_) EraseLocked(Key(entries_.back().key));
  }

  void Erase(const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    EraseLocked(key);
  }

  // Sum of what Insert was told.
  size_t Bytes() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    Key key;
    std::shared_ptr<Mapped> value;
    size_t bytes;
  };

  void EraseLocked(const Key& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return;
    bytes_ -= found->second->bytes;
    entries_.erase(found->second);
    index_.erase(found);
  }

  const size_t max_bytes_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // Most recently used first.
  absl::flat_hash_map<Key, typename std::list<Entry>::iterator> index_;
  size_t bytes_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LRU_CACHE_H_
