// A time before which no lease runs out, so that looking for leases that have run out
// costs nothing while there are none, however many trials are out.
//
// Leases that are granted are noted after their commit. A scan of all leases raises
// the bound: it is then the earliest end that the scan found or that was noted since
// the scan before it began. A commit that a scan does not see is noted after that
// scan's snapshot, so it counts whether the note comes before the scan or after it.
// Thread-safe; scans are made by one thread at a time.
#ifndef SLIPSTREAM_SERVER_STORE_SQLITE_LEASE_HORIZON_H_
#define SLIPSTREAM_SERVER_STORE_SQLITE_LEASE_HORIZON_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace slipstream::sqlite {

class LeaseHorizon {
 public:
  // In the milliseconds of the lease clock; the greatest number if there is no lease.
  int64_t bound() const {
    const std::lock_guard lock(mutex_);
    return bound_;
  }

  // After the commit of a transaction whose leases end at this time or later.
  void Note(int64_t end) {
    const std::lock_guard lock(mutex_);
    bound_ = std::min(bound_, end);
    noted_ = std::min(noted_, end);
  }

  // Within the scan's snapshot.
  void BeginScan() {
    const std::lock_guard lock(mutex_);
    noted_before_ = std::exchange(noted_, kNever);
  }
  // `earliest` is absent if there is no lease.
  void EndScan(std::optional<int64_t> earliest) {
    const std::lock_guard lock(mutex_);
    bound_ = std::min({earliest.value_or(kNever), noted_before_, noted_});
  }

 private:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  mutable std::mutex mutex_;
  int64_t bound_ = std::numeric_limits<int64_t>::min();  // Nothing is known before the first scan.
  int64_t noted_ = kNever;                               // Since the last scan began, ...
  int64_t noted_before_ = kNever;                        // ... and since the one before it.
};

}  // namespace slipstream::sqlite

#endif  // SLIPSTREAM_SERVER_STORE_SQLITE_LEASE_HORIZON_H_
