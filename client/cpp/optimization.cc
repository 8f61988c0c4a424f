#include "slipstream/optimization.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
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

absl::Status CheckOptions(const Objective& objective, const OptimizeOptions& options) {
  if (objective == nullptr) return absl::InvalidArgumentError("the objective is empty");
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

  void Close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }

  // Ends the optimisation for an error, and tells of the first one if others still train.
  void CloseFor(const absl::Status& error, std::exception_ptr thrown = nullptr) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      closed_ = true;
      const bool is_first = status_.ok();
      status_.Update(error);
      if (thrown_ == nullptr) thrown_ = std::move(thrown);
      if (!is_first || training_ == 0) return;
    }
    if (options_.on_error) options_.on_error(error);
  }

  // The same for the exception that is being handled. Returns its text.
  std::string CloseForException() {
    std::string text = "an exception without a message";
    try {
      throw;
    } catch (const std::exception& error) {
      text = error.what();
    } catch (...) {
    }
    CloseFor(absl::UnknownError(text), std::current_exception());
    return text;
  }

  void Work() {
    try {
      EvaluateSuggestions();
    } catch (...) {  // Of a function of the options.
      CloseForException();
    }
  }

  void EvaluateSuggestions() {
    while (Take()) {
      absl::StatusOr<Trial> trial = Suggest();
      if (absl::IsFailedPrecondition(trial.status())) {
        const auto state = StateOfStudy();
        if (state.ok() && *state != v1::Study::ACTIVE && has_begun_) return Close();
        // If it is active now, it was paused only for a moment.
        if (state.ok() && *state == v1::Study::ACTIVE) trial = Suggest();
      }
      if (absl::IsOutOfRange(trial.status())) return Close();
      if (absl::IsCancelled(trial.status()) && IsOver()) return;
      if (!trial.ok()) return CloseFor(trial.status());
      if (IsOver()) return;  // It is given back.
      has_begun_ = true;
      Evaluate(*trial);
    }
  }

  absl::StatusOr<Trial> Suggest() {
    return study_.SuggestIf([this] { return !IsOver(); });
  }

  absl::StatusOr<v1::Study::State> StateOfStudy() {
    const absl::StatusOr<v1::Study> study = study_.messages()->GetStudy(study_.name());
    if (!study.ok()) return study.status();
    return study->state();
  }

  void Evaluate(Trial& trial) {
    const std::shared_ptr<HeldTrial> held = trial.held_;  // The objective may move the trial.
    try {
      const absl::Status told = held->Finish(Train(trial));
      if (!told.ok() && !IsOtherOutcome(told)) CloseFor(told);
      ShowProgress(trial);
    } catch (...) {
      held->FinishAfterException(CloseForException());
    }
  }

  // What the objective returns.
  client::Outcome Train(Trial& trial) {
    const Training training(this);
    return objective_(trial);
  }

  // Counts a call of the objective while it lasts.
  class Training {
   public:
    explicit Training(OptimizationLoop* loop) : loop_(*loop) { Add(1); }
    ~Training() { Add(-1); }

   private:
    void Add(int count) {
      const std::lock_guard<std::mutex> lock(loop_.mutex_);
      loop_.training_ += count;
    }

    OptimizationLoop& loop_;
  };

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
  int training_ = 0;  // Calls of the objective that are under way.
  absl::Status status_;
  std::exception_ptr thrown_;
};

}  // namespace slipstream::client_internal

namespace slipstream::client {

absl::StatusOr<std::optional<TrialRecord>> Study::Optimize(const Objective& objective,
                                                           const OptimizeOptions& options) {
  if (absl::Status status = CheckOptions(objective, options); !status.ok()) return status;
  client_internal::OptimizationLoop loop(*this, objective, options);
  if (absl::Status status = loop.Run(); !status.ok()) return status;
  return Best();
}

}  // namespace slipstream::client
