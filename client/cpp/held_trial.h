// A trial that this process holds: what is known of it, its renewals and its outcome.
#ifndef SLIPSTREAM_CLIENT_CPP_HELD_TRIAL_H_
#define SLIPSTREAM_CLIENT_CPP_HELD_TRIAL_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cpp/annotations.h"
#include "client/cpp/home_process.h"
#include "client/cpp/meant_study.h"
#include "client/cpp/renewals.h"
#include "slipstream/messages/client.h"
#include "slipstream/optimization.h"
#include "slipstream/records.h"

namespace slipstream::client_internal {

// What the trials of one suggestion share.
struct Holder {
  std::shared_ptr<Client> client;
  std::shared_ptr<Renewals> renewals;
  std::shared_ptr<Annotations> annotations;
  MeantStudy study;
  std::string metric;
  std::string worker;
  std::chrono::nanoseconds lease{0};  // 0: never ends.
  std::function<void()> give_back;    // Called once when the trial has its outcome.
};

// Thread-safe. client::Trial says what the functions do.
class HeldTrial {
 public:
  // Begins to renew the lease, when a third of it has passed. Whoever lets go of the trial last
  // waits until it is given back, unless it has an outcome, or the server would not record one:
  // then the trial is kept until its lease runs out, as the outcome can be recorded by hand. In a
  // process that was forked nothing happens, as the trial is the other one's.
  static std::shared_ptr<HeldTrial> Hold(Holder holder, client::TrialRecord record);
  HeldTrial(const HeldTrial&) = delete;
  HeldTrial& operator=(const HeldTrial&) = delete;

  const client::TrialRecord& record() const { return record_; }
  const std::string& worker() const { return holder_.worker; }
  bool lost() const { return lost_; }
  bool ended() const;
  std::optional<double> measured() const;
  std::optional<std::string> stop_reason() const;

  absl::Status Report(int64_t step, double value);
  absl::StatusOr<bool> ShouldStop();
  absl::Status Annotate(const client::Annotation& annotation);
  absl::StatusOr<std::map<std::string, std::string>> Labels();
  absl::StatusOr<std::string> Note();
  absl::Status Complete(double value);
  absl::Status Fail(const std::string& reason);
  absl::Status Infeasible(const std::string& reason);
  absl::Status Stop(const std::optional<std::string>& reason, std::optional<double> value);
  absl::Status Release();

  // Tells the server what an objective has returned, unless the objective has ended the trial
  // itself. If it has tried to, but the server would not record it, that is returned again. If it
  // has tried to with a value that is not finite, another value does not count: it is infeasible.
  absl::Status Finish(const client::Outcome& returned);
  // Fails the trial after an exception, unless the objective has ended it or tried to.
  void FinishAfterException(const std::string& reason);

 private:
  HeldTrial(Holder holder, client::TrialRecord record);

  void LetGo();
  Renewals::Pause Renew();
  // INVALID_ARGUMENT unless the outcome's value is finite, which is noted.
  absl::Status CheckOutcome(const char* call, double value);
  absl::StatusOr<v1::Trial> Read();
  absl::Status Observe(const client::Outcome& outcome);
  // The error of a refused outcome, with what records the outcome later.
  absl::Status WithCommand(const absl::Status& refusal, const client::Outcome& outcome) const;
  // Then the trial is lost. Another one may have its name, which must not be given back instead.
  void NoteWhetherItIsGone(const absl::Status& status);
  void NoteLastReport(int64_t step, double value);
  void End();

  const HomeProcess home_;
  Holder holder_;
  const client::TrialRecord record_;
  int64_t renewal_ = 0;
  std::atomic<bool> lost_{false};
  mutable std::mutex mutex_;  // Guards what follows.
  bool ended_ = false;
  std::optional<double> measured_;
  std::string not_finite_;  // "Complete() got nan"; empty unless an outcome was like that.
  absl::Status refusal_;    // Of an outcome; OK unless the server would not record one.
  std::optional<std::string> advice_;                      // The reason to stop.
  std::optional<std::pair<int64_t, double>> last_report_;  // The highest step and its value.
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_HELD_TRIAL_H_
