#include "slipstream/optimization.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/cpp/call_error.h"
#include "client/cpp/held_trial.h"
#include "slipstream/messages/client.h"
#include "slipstream/study.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::client {
namespace {

constexpr int kMostWorkers = 1000;

absl::Status CheckOptions(const OptimizeOptions& options) {
  if (options.workers < 1 || options.workers > kMostWorkers) {
    return absl::InvalidArgumentError(
        absl::StrCat("workers is ", options.workers, ", must be from 1 to ", kMostWorkers));
  }
  if (options.trials.value_or(0) >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("trials is ", *options.trials, ", must be 0 or more"));
}

}  // namespace
}  // namespace slipstream::client

namespace slipstream::client_internal {

// The loop that evaluates suggestions, on one thread or several.
class OptimizationLoop {
  using Clock = std::chrono::steady_clock;
  using Objective = client::Objective;
  using OptimizeOptions = client::OptimizeOptions;
  using Study = client::Study;
  using Trial = client::Trial;

 public:
  OptimizationLoop(Study& study, const Objective& objective, const OptimizeOptions& options)
      : study_(study), objective_(objective), options_(options), left_(options.trials) {}

  absl::Status Run() {
    std::vector<std::thread> others = StartOthers();
    Work();
    for (std::thread& other : others) other.join();
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    return status_;
  }

 private:
  // The workers beside the calling thread, as many of them as the system gives threads for.
  std::vector<std::thread> StartOthers() {
    std::vector<std::thread> others;
    others.reserve(static_cast<size_t>(options_.workers));
    try {
      for (int i = 1; i < options_.workers; ++i) others.emplace_back([this] { Work(); });
    } catch (const std::system_error&) {
      // The calling thread works in any case, so fewer only take longer.
    }
    return others;
  }

  // Whether one more trial may be started.
  bool Take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (IsOverLocked() || left_ == 0) return false;
    if (left_.has_value()) --*left_;
    return true;
  }

  // Whether no trial may be started any more, not even one that was suggested meanwhile.
  bool IsOver() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return IsOverLocked();
  }

  bool IsOverLocked() const {
    const bool late = options_.timeout.has_value() && Clock::now() - start_ >= *options_.timeout;
    return closed_ || late || options_.stop.stop_requested();
  }

  void Close(const absl::Status& status, std::exception_ptr thrown = nullptr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    status_.Update(status);
    if (thrown_ == nullptr) thrown_ = std::move(thrown);
  }

  void Work() {
    while (Take()) {
      absl::StatusOr<Trial> trial = study_.SuggestIf([this] { return !IsOver(); });
      if (absl::IsOutOfRange(trial.status())) return Close(absl::OkStatus());
      if (WasEndedMeanwhile(trial.status())) return Close(absl::OkStatus());
      if (absl::IsCancelled(trial.status()) && IsOver()) return;
      if (!trial.ok()) return Close(trial.status());
      if (IsOver()) return;  // It is given back.
      has_begun_ = true;
      Evaluate(*trial);
    }
  }

  // Whether the study refuses to suggest any more because it was paused or completed since this
  // loop began.
  bool WasEndedMeanwhile(const absl::Status& refusal) {
    if (!absl::IsFailedPrecondition(refusal) || !has_begun_) return false;
    const absl::StatusOr<v1::Study> study = study_.messages()->GetStudy(study_.name());
    return study.ok() && study->state() != v1::Study::ACTIVE;
  }

  void Evaluate(Trial& trial) {
    const std::shared_ptr<HeldTrial> held = trial.held_;  // The objective may move the trial.
    try {
      const absl::Status told = held->Finish(objective_(trial));
      if (!told.ok() && !IsOtherOutcome(told)) Close(told);
      ShowProgress(trial);
    } catch (const std::exception& error) {
      held->FinishAfterException(error.what());
      Close(absl::OkStatus(), std::current_exception());
    } catch (...) {
      held->FinishAfterException("an exception without a message");
      Close(absl::OkStatus(), std::current_exception());
    }
  }

  void ShowProgress(const Trial& trial) {
    if (!options_.progress || trial.held_ == nullptr) return;
    const std::lock_guard<std::mutex> lock(progress_mutex_);
    options_.progress(trial);
  }

  Study& study_;
  const Objective& objective_;
  const OptimizeOptions& options_;
  const Clock::time_point start_ = Clock::now();
  std::atomic<bool> has_begun_ = false;
  std::mutex progress_mutex_;
  std::mutex mutex_;  // Guards what follows.
  std::optional<int64_t> left_;
  bool closed_ = false;
  absl::Status status_;
  std::exception_ptr thrown_;
};

}  // namespace slipstream::client_internal

namespace slipstream::client {

absl::StatusOr<std::optional<TrialRecord>> Study::Optimize(const Objective& objective,
                                                           const OptimizeOptions& options) {
  if (absl::Status status = CheckOptions(options); !status.ok()) return status;
  client_internal::OptimizationLoop loop(*this, objective, options);
  if (absl::Status status = loop.Run(); !status.ok()) return status;
  return Best();
}

}  // namespace slipstream::client
