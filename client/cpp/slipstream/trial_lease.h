// A worker's hold on one trial: renewed in the background, given back if it goes
// out of scope without an outcome.
//
//   auto trials = client->Suggest("studies/digits", "gpu-3");
//   slipstream::TrialLease lease(client.get(), trials->front(), "accuracy");
//   for (int epoch = 1; epoch <= 100 && !lease.lost(); ++epoch) {
//     lease.Report(epoch, TrainOneEpoch());
//     auto advice = lease.ShouldStop();
//     if (advice.ok() && advice->stop()) return lease.Stop(advice->reason());
//   }
//   absl::Status told = lease.Succeed(Accuracy());
//
// If the worker dies instead, its lease runs out and the trial goes to another one.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_TRIAL_LEASE_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_TRIAL_LEASE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "slipstream/client.h"

namespace slipstream {

// Thread-safe.
class TrialLease {
 public:
  // `trial` was suggested to its worker and is ACTIVE. `metric` is the study's.
  // `client` must outlive the lease. Starts a thread, which renews the lease when a
  // third of it has passed.
  TrialLease(Client* client, v1::Trial trial, std::string metric);
  // Gives the trial back unless it has an outcome.
  ~TrialLease();
  TrialLease(const TrialLease&) = delete;
  TrialLease& operator=(const TrialLease&) = delete;

  const v1::Trial& trial() const { return trial_; }
  // Whether the server has said that this worker does not hold the trial any more. The
  // outcome is taken nevertheless, but another worker may be at the same work.
  bool lost() const { return lost_; }

  // Reports a measurement on the way.
  absl::Status Report(int64_t step, double value);
  // Whether to stop early, and why, by the study's rule and the reports so far.
  absl::StatusOr<v1::ShouldStopResponse> ShouldStop();

  // Each ends the lease. After an error the trial has no outcome yet; try again.
  absl::Status Succeed(double value);
  absl::Status Fail(const std::string& reason);
  absl::Status Infeasible(const std::string& reason);
  // With the value of the last report.
  absl::Status Stop(const std::string& reason);

 private:
  void RenewUntilEnded();
  // The time to wait before the next renewal.
  absl::Duration Renew();
  absl::Status End(const absl::StatusOr<v1::Trial>& observed);

  Client& client_;
  const v1::Trial trial_;
  const std::string study_;
  const std::string metric_;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;                                     // The trial has its outcome.
  bool abandoned_ = false;                                 // The lease goes out of scope.
  std::optional<std::pair<int64_t, double>> last_report_;  // The highest step and its value.
  std::thread renewals_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_TRIAL_LEASE_H_
