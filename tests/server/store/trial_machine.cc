#include "tests/server/store/trial_machine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slipstream {

constexpr auto kTaken = absl::StatusCode::kOk;
constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;

std::string TrialMachine::Trial::Text() const {
  std::string text = absl::StrCat("state ", static_cast<int>(state), ", worker '", worker, "', ",
                                  configuration, ", first ", first, ", next ", next);
  if (objective.has_value()) absl::StrAppend(&text, ", objective ", *objective);
  for (const auto& [step, value] : reports) absl::StrAppend(&text, ", ", step, ": ", value);
  return text;
}

int64_t TrialMachine::Add(Trial trial) {
  trials_.push_back(std::move(trial));
  const auto number = static_cast<int64_t>(trials_.size());
  if (trials_.back().first == 0) trials_.back().first = number;
  return number;
}

void TrialMachine::Renew(Trial& trial) {
  trial.lease_left_ms.reset();
  if (policy_.duration_ms > 0) trial.lease_left_ms = policy_.duration_ms;
}

absl::StatusCode TrialMachine::SetPolicy(LeasePolicy policy) {
  policy_ = policy;
  return kTaken;
}

absl::StatusCode TrialMachine::SetState(StudyState state) {
  if (state_ == StudyState::kCompleted && state != state_) return kRefused;
  state_ = state;
  return kTaken;
}

absl::StatusCode TrialMachine::Queue(const std::string& configuration) {
  if (static_cast<int64_t>(trials_.size()) >= max_trials_) {
    return absl::StatusCode::kResourceExhausted;
  }
  if (state_ == StudyState::kCompleted) return kRefused;
  Trial trial;
  trial.configuration = configuration;
  Add(std::move(trial));
  return kTaken;
}

std::vector<int64_t> TrialMachine::Suggest(const std::string& worker, size_t count) {
  const bool is_active = state_ == StudyState::kActive;
  std::vector<int64_t> given;
  for (const TrialState wanted : {TrialState::kActive, TrialState::kRequested}) {
    if (wanted == TrialState::kRequested && !is_active) break;
    for (int64_t number = 1; Exists(number) && given.size() < count; ++number) {
      Trial& trial = At(number);
      if (trial.state != wanted || trial.worker != (wanted == TrialState::kActive ? worker : "")) {
        continue;
      }
      if (std::count(given.begin(), given.end(), number) > 0) continue;
      given.push_back(number);
    }
  }
  while (is_active && given.size() < count &&
         static_cast<int64_t>(trials_.size()) < max_trials_) {
    Trial fresh;
    fresh.configuration = absl::StrCat("fresh ", trials_.size() + 1);
    given.push_back(Add(std::move(fresh)));
  }
  for (const int64_t number : given) {
    At(number).state = TrialState::kActive;
    At(number).worker = worker;
    Renew(At(number));
  }
  std::sort(given.begin(), given.end());
  return given;
}

absl::StatusCode TrialMachine::Observe(int64_t number, TrialState state, double objective) {
  if (!Exists(number)) return absl::StatusCode::kNotFound;
  Trial& trial = At(number);
  const std::optional<double> value =
      state == TrialState::kSucceeded ? std::optional<double>(objective) : std::nullopt;
  switch (trial.state) {
    case TrialState::kRequested:
    case TrialState::kWithdrawn:
      return kRefused;
    case TrialState::kActive:
    case TrialState::kStale:
      break;
    default:
      return trial.state == state && trial.objective == value ? kTaken : kRefused;
  }
  const bool late = trial.state == TrialState::kStale;
  trial.state = state;
  trial.objective = value;
  trial.has_end = true;
  trial.lease_left_ms.reset();
  if (!late) return kTaken;
  ++late_;
  if (state == TrialState::kFailed) return kTaken;
  int64_t last = number;
  while (At(last).next != 0) last = At(last).next;
  if (At(last).state == TrialState::kRequested) {
    At(last).state = TrialState::kWithdrawn;
    At(last).has_end = true;
  }
  return kTaken;
}

void TrialMachine::Heartbeat(const std::string& worker) {
  for (Trial& trial : trials_) {
    if (trial.state == TrialState::kActive && trial.worker == worker) Renew(trial);
  }
}

bool TrialMachine::ChainHasResult(int64_t first) {
  for (int64_t number = first; number != 0; number = At(number).next) {
    const TrialState state = At(number).state;
    if (state == TrialState::kSucceeded || state == TrialState::kInfeasible ||
        state == TrialState::kStopped) {
      return true;
    }
  }
  return false;
}

absl::StatusCode TrialMachine::Release(const std::string& worker,
                                       const std::vector<int64_t>& numbers) {
  std::vector<int64_t> meant = numbers;
  for (int64_t number = 1; numbers.empty() && Exists(number); ++number) {
    const Trial& trial = At(number);
    if (trial.state == TrialState::kActive && trial.worker == worker) meant.push_back(number);
  }
  for (const int64_t number : meant) {
    if (!Exists(number)) return absl::StatusCode::kNotFound;
  }
  for (const int64_t number : meant) {
    const Trial& trial = At(number);
    if (trial.state != TrialState::kActive || (!worker.empty() && trial.worker != worker)) {
      return kRefused;
    }
  }
  for (const int64_t number : meant) {
    Trial& trial = At(number);
    trial.lease_left_ms.reset();
    const bool is_needless = ChainHasResult(trial.first);
    if (is_needless || state_ == StudyState::kCompleted) {
      trial.state = TrialState::kWithdrawn;
      trial.has_end = true;
      if (!is_needless) ++given_back_completed_;
      continue;
    }
    trial.state = TrialState::kRequested;
    trial.worker.clear();
    trial.reports.clear();
  }
  return kTaken;
}

absl::StatusCode TrialMachine::Report(int64_t number, int64_t step, double value) {
  if (!Exists(number)) return absl::StatusCode::kNotFound;
  Trial& trial = At(number);
  if (trial.state != TrialState::kActive && trial.state != TrialState::kStale) return kRefused;
  trial.reports[step] = value;
  if (trial.state == TrialState::kActive) Renew(trial);
  return kTaken;
}

void TrialMachine::Pass(int64_t ms) {
  for (Trial& trial : trials_) {
    if (trial.lease_left_ms.has_value()) *trial.lease_left_ms -= ms;
  }
}

void TrialMachine::EndLease(int64_t number) {
  At(number).state = TrialState::kStale;
  At(number).has_end = true;
  At(number).lease_left_ms.reset();
  const Trial trial = At(number);
  const bool full = static_cast<int64_t>(trials_.size()) >= max_trials_;
  if (state_ == StudyState::kCompleted || full || trial.place >= policy_.max_requeues ||
      ChainHasResult(trial.first)) {
    return;
  }
  Trial repeat;
  repeat.configuration = trial.configuration;
  repeat.first = trial.first;
  repeat.place = trial.place + 1;
  At(number).next = Add(std::move(repeat));
}

std::string TrialMachine::EndLeases(const std::vector<int64_t>& numbers, int64_t slack_ms) {
  for (const int64_t number : numbers) {
    if (!Exists(number)) return absl::StrCat("there is no trial ", number);
    const Trial& trial = At(number);
    if (trial.state != TrialState::kActive) return absl::StrCat("nobody holds trial ", number);
    if (!trial.lease_left_ms.has_value()) return absl::StrCat("lease ", number, " never ends");
    if (*trial.lease_left_ms > 0) {
      return absl::StrCat("lease ", number, " has ", *trial.lease_left_ms, " ms left");
    }
    EndLease(number);
  }
  for (int64_t number = 1; Exists(number); ++number) {
    const Trial& trial = At(number);
    const bool overdue = trial.state == TrialState::kActive && trial.lease_left_ms.has_value() &&
                         *trial.lease_left_ms <= -slack_ms;
    if (overdue) return absl::StrCat("lease ", number, " is overdue: ", *trial.lease_left_ms);
  }
  return {};
}

int64_t TrialMachine::succeeded() const {
  return std::count_if(trials_.begin(), trials_.end(),
                       [](const Trial& trial) { return trial.state == TrialState::kSucceeded; });
}

}  // namespace slipstream
