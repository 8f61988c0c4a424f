// Who holds which trial of a study that many workers share, by the answers that they got.
// A trial that one of them holds must not be given to another.
//
// Thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_KILLS_LEASE_REGISTRY_H_
#define SLIPSTREAM_TESTS_E2E_KILLS_LEASE_REGISTRY_H_

#include <cstdint>
#include <map>
#include <mutex>

namespace slipstream::kills {

class LeaseRegistry {
 public:
  // The worker got the trial. Whether nobody else holds it.
  bool Take(int64_t number, int worker) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return holders_.try_emplace(number, worker).first->second == worker;
  }
  // To be called before the worker asks the server to take the trial back.
  void GiveBack(int64_t number) {
    const std::lock_guard<std::mutex> lock(mutex_);
    holders_.erase(number);
  }

 private:
  std::mutex mutex_;
  std::map<int64_t, int> holders_;
};

}  // namespace slipstream::kills

#endif  // SLIPSTREAM_TESTS_E2E_KILLS_LEASE_REGISTRY_H_
