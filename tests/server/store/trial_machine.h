// A reference for the life of trials: one study's trials as a plain list, and what
// each verb does to them, written down as simply as possible. The store's rules are
// held against it.
//
// It counts time for leases as the time for which the store was open. It cannot
// tell to the millisecond when the store sees a lease run out, as a crash may lose
// some seconds of the store's lease clock; so the store says which leases it has
// ended, and the machine checks that none of them was too early and none is overdue.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_TRIAL_MACHINE_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_TRIAL_MACHINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/records.h"

namespace slipstream {

class TrialMachine {
 public:
  struct Trial {
    TrialState state = TrialState::kRequested;
    std::string worker;
    std::string configuration;
    std::optional<double> objective;
    std::optional<int64_t> lease_left_ms;  // Counts only while the store is open.
    int64_t first = 0;                     // In its chain, perhaps itself.
    int64_t next = 0;                      // In its chain; 0: none.
    int64_t place = 0;                     // In its chain, from 0.
    std::map<int64_t, double> reports;
    // Whether the store tells a time of its end: of its outcome, its withdrawal or its lease.
    bool has_end = false;

    std::string Text() const;
  };

  TrialMachine(LeasePolicy policy, int64_t max_trials) : policy_(policy), max_trials_(max_trials) {}

  // ---- What callers do; codes as the store's ----

  absl::StatusCode SetPolicy(LeasePolicy policy);
  absl::StatusCode SetState(StudyState state);
  absl::StatusCode Queue(const std::string& configuration);
  // The trials that the worker gets, ascending; no further ones when the study is not ACTIVE or
  // full.
  std::vector<int64_t> Suggest(const std::string& worker, size_t count);
  absl::StatusCode Observe(int64_t number, TrialState state, double objective);
  void Heartbeat(const std::string& worker);
  absl::StatusCode Release(const std::string& worker, const std::vector<int64_t>& numbers);
  absl::StatusCode Report(int64_t number, int64_t step, double value);

  // ---- What happens ----

  // The store was open for `ms`.
  void Pass(int64_t ms);
  // The store has ended these leases, in this order, and no other. Returns what is wrong with that,
  // or nothing. Leases are overdue once `slack_ms` has passed since their end.
  std::string EndLeases(const std::vector<int64_t>& numbers, int64_t slack_ms);

  // ---- How things stand ----

  const std::vector<Trial>& trials() const { return trials_; }  // Number 1 first.
  StudyState state() const { return state_; }
  const LeasePolicy& policy() const { return policy_; }
  int64_t succeeded() const;
  int64_t late() const { return late_; }
  // Trials that were withdrawn only because they were given back after the study was completed.
  int64_t given_back_completed() const { return given_back_completed_; }

 private:
  Trial& At(int64_t number) { return trials_.at(static_cast<size_t>(number - 1)); }
  bool Exists(int64_t number) const {
    return number >= 1 && number <= static_cast<int64_t>(trials_.size());
  }
  int64_t Add(Trial trial);
  void Renew(Trial& trial);
  bool ChainHasResult(int64_t first);
  void EndLease(int64_t number);

  LeasePolicy policy_;
  const int64_t max_trials_;
  StudyState state_ = StudyState::kActive;
  std::vector<Trial> trials_;
  int64_t late_ = 0;
  int64_t given_back_completed_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_TRIAL_MACHINE_H_
