// Renews the leases of trials, all on one thread in the background.
#ifndef SLIPSTREAM_CLIENT_CPP_RENEWALS_H_
#define SLIPSTREAM_CLIENT_CPP_RENEWALS_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "client/cpp/home_process.h"

namespace slipstream::client_internal {

// Thread-safe. Leases are renewed once the thread has been started.
class Renewals {
 public:
  using Pause = std::optional<std::chrono::nanoseconds>;
  // Renews a lease and returns the time to its next renewal, nothing if there is to be none.
  using Renew = std::function<Pause()>;

  Renewals();
  // Waits for a renewal that is under way.
  ~Renewals();
  Renewals(const Renewals&) = delete;
  Renewals& operator=(const Renewals&) = delete;

  // Starts the thread, unless it runs. RESOURCE_EXHAUSTED if the system has none.
  absl::Status Start();
  // Renews after `pause`, and then after each pause that `renew` returns. Returns an id.
  int64_t Add(std::chrono::nanoseconds pause, Renew renew);
  // Stops renewing; a renewal that is under way is finished.
  void Remove(int64_t id);

 private:
  struct Shared;

  static void Serve(const std::shared_ptr<Shared>& shared);

  const HomeProcess home_;
  // Shared with the thread, which may outlive this.
  std::shared_ptr<Shared> shared_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_RENEWALS_H_
