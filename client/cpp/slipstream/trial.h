// A trial of a study that this process holds: renewed in the background, and given back if it
// goes out of scope without an outcome.
//
//   auto trial = study->Suggest();
//   for (int epoch = 1; epoch <= 100 && !trial->lost(); ++epoch) {
//     auto told = trial->Report(epoch, TrainOneEpoch(*trial->Number("lr")));
//     auto stop = trial->ShouldStop();
//     if (stop.ok() && *stop) return trial->Stop();
//   }
//   return trial->Complete(Accuracy());
//
// If the process dies instead, the lease runs out and the trial goes to another worker.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_TRIAL_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_TRIAL_H_

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/new_study.h"

namespace slipstream::client_internal {
class Background;
class HeldTrial;
class OptimizationLoop;
}  // namespace slipstream::client_internal

namespace slipstream::client {

// What is written on a trial, for people and programs that look at it later:
//
//   trial.Annotate({.labels = {{"gpu", "a100"}, {"attempt", std::nullopt}}, .note = "looks odd"});
//
// The same again changes nothing.
struct Annotation {
  // These come beside the labels that the trial has. One of the same key is replaced, and one
  // without a value is removed.
  std::map<std::string, std::optional<std::string>> labels = {};
  // Replaces the note; an empty one removes it. Without it the note stays as it is.
  std::optional<std::string> note = {};
};

// Made by Study::Suggest. Can be moved, not copied; a trial that was moved from may only be
// destroyed or assigned to. Thread-safe otherwise. Calls return the errors of the messages' Client.
class Trial {
 public:
  Trial(std::shared_ptr<client_internal::HeldTrial> held,
        std::shared_ptr<client_internal::Background> background);
  // Gives the trial back unless it has an outcome, which takes as long as a call may take. A trial
  // whose outcome the server would not record is kept until its lease runs out.
  ~Trial();
  Trial(Trial&& other) noexcept;
  Trial& operator=(Trial&& other) noexcept;

  // "studies/{study}/trials/{number}".
  const std::string& name() const;
  int64_t number() const;
  // The id under which this process holds the trial.
  const std::string& worker() const;
  // The index in the study's list of candidates, if it has one.
  std::optional<int64_t> candidate() const;

  // The values of all active parameters.
  const Configuration& params() const;
  // Whether the parameter has a value, as an active one does.
  bool Has(const std::string& parameter) const;
  // One value. NOT_FOUND if the parameter has none, INVALID_ARGUMENT if it is of another kind.
  // A whole number is also a number.
  absl::StatusOr<double> Number(const std::string& parameter) const;
  absl::StatusOr<int64_t> Integer(const std::string& parameter) const;
  absl::StatusOr<std::string> Choice(const std::string& parameter) const;
  absl::StatusOr<bool> Boolean(const std::string& parameter) const;

  // Reports an intermediate measurement, and renews the lease. All trials of a study count the same
  // steps: epochs, trees, seconds of training. A value that is not finite is INVALID_ARGUMENT.
  absl::Status Report(int64_t step, double value);
  // Whether to stop early, by the study's rule and the reports so far.
  absl::StatusOr<bool> ShouldStop();
  // Why ShouldStop advised to stop; nothing if it did not.
  std::optional<std::string> stop_reason() const;

  // Writes labels and a note on the trial, before or after its outcome. Threads take turns. The
  // server takes all labels of a trial at once, so they are read, changed and written back: of two
  // processes that change labels of the same trial within the same milliseconds, the later one may
  // undo what the other has written.
  absl::Status Annotate(const Annotation& annotation);
  // The labels and the note as they are now. A configuration that was queued again, because a
  // lease ran out, keeps those of the trial before.
  absl::StatusOr<std::map<std::string, std::string>> Labels();
  absl::StatusOr<std::string> Note();

  // Each ends the trial. After an error it has no outcome yet; try again, or have a person do what
  // the error's message says: it has the command that records the outcome later. A value that is
  // not finite is refused with INVALID_ARGUMENT. A reason may be any text, such as the end of a
  // log: one that is longer than 1,024 bytes is sent as its beginning and its end.
  absl::Status Complete(double value);
  // The worker failed. That may be chance; what fails repeatedly is avoided.
  absl::Status Fail(const std::string& reason = "");
  // The configuration has no value, so that similar ones are avoided.
  absl::Status Infeasible(const std::string& reason = "");
  // The training was stopped early. Without a reason it is that of ShouldStop, without a value
  // that of the last report.
  absl::Status Stop(std::optional<std::string> reason = {}, std::optional<double> value = {});
  // Gives the trial back at once: another worker gets it.
  absl::Status Release();

  // The same, without waiting. The trial may go out of scope meanwhile: after a call that reports
  // an outcome it is given back only if the call has sent nothing. At most
  // ClientOptions::background calls wait; a further one is RESOURCE_EXHAUSTED at once.
  std::future<absl::Status> ReportAsync(int64_t step, double value);
  std::future<absl::StatusOr<bool>> ShouldStopAsync();
  std::future<absl::Status> AnnotateAsync(Annotation annotation);
  std::future<absl::Status> CompleteAsync(double value);
  std::future<absl::Status> FailAsync(std::string reason = "");
  std::future<absl::Status> InfeasibleAsync(std::string reason = "");
  std::future<absl::Status> StopAsync(std::optional<std::string> reason = {},
                                      std::optional<double> value = {});

  // Whether the server has said that this worker no longer holds the trial. The outcome is still
  // accepted, but another worker may be doing the same work.
  bool lost() const;
  // Whether the trial has its outcome, or was given back.
  bool ended() const;
  // The value that it was completed with; nothing until then, and after another outcome.
  std::optional<double> measured() const;

 private:
  friend class client_internal::OptimizationLoop;

  std::shared_ptr<client_internal::HeldTrial> held_;
  std::shared_ptr<client_internal::Background> background_;
};

}  // namespace slipstream::client

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_TRIAL_H_
