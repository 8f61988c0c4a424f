// What was computed for some hyperparameters, found again by them: what a
// transfer's Fit, Shares and Remarks have in common is computed once.
//
// Keeps the first kMost. Thread-safe; no lock is held while computing.
#ifndef SLIPSTREAM_CORE_PRIOR_BLOCKS_BY_HYPERPARAMETERS_H_
#define SLIPSTREAM_CORE_PRIOR_BLOCKS_BY_HYPERPARAMETERS_H_

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/status.h"
#include "core/gp/likelihood.h"

namespace slipstream {

template <typename Value>
class ByHyperparameters {
 public:
  static constexpr size_t kMost = 32;

  // What `make()`, which gives a StatusOr<Value>, gave for these hyperparameters.
  template <typename Make>
  absl::StatusOr<std::shared_ptr<const Value>> Get(const Hyperparameters& hyperparameters,
                                                   const Make& make) const {
    const Vector key = hyperparameters.Packed();
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [known, value] : entries_) {
        if (known.size() == key.size() && known == key) return value;
      }
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(Value made, make());
    auto value = std::make_shared<const Value>(std::move(made));
    const std::lock_guard lock(mutex_);
    if (entries_.size() < kMost) entries_.emplace_back(key, value);
    return value;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Vector, std::shared_ptr<const Value>>> entries_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_BLOCKS_BY_HYPERPARAMETERS_H_
