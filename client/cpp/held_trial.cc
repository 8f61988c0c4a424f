#include "client/cpp/held_trial.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "client/cpp/call_error.h"
#include "client/cpp/existing_study.h"
#include "client/cpp/outcome_command.h"
#include "client/cpp/outcome_message.h"
#include "client/cpp/overloaded.h"

namespace slipstream::client_internal {
namespace {

using std::chrono::nanoseconds;

// Where leases never end, or the server cannot be reached, it is asked again after this time.
constexpr std::chrono::seconds kUnlessKnown(30);

nanoseconds PauseOf(nanoseconds lease) { return lease.count() > 0 ? lease / 3 : kUnlessKnown; }

// The study's lease, or what this trial was leased for if that has become shorter.
nanoseconds FirstLease(nanoseconds lease, const client::TrialRecord& record) {
  if (!record.lease_ends || !record.started) return lease;
  const nanoseconds granted = *record.lease_ends - *record.started;
  return lease.count() > 0 ? std::min(lease, granted) : granted;
}

absl::Status CheckFinite(const client::TrialRecord& record, const char* call, double value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "trial ", record.number, ": ", call, "() got ", value,
      ", and the model takes finite numbers only; if the configuration is to blame, call "
      "Infeasible(reason), otherwise Fail(reason)"));
}

// Whether the server may answer the same call without anybody's doing.
bool Passes(const absl::Status& refusal) {
  return absl::IsUnavailable(refusal) || absl::IsDeadlineExceeded(refusal) ||
         absl::IsAborted(refusal) || absl::IsCancelled(refusal);
}

// The error with more text.
absl::Status Continued(const absl::Status& error, const std::string& text) {
  absl::Status longer(error.code(), absl::StrCat(error.message(), text));
  error.ForEachPayload([&longer](absl::string_view url, const absl::Cord& payload) {
    longer.SetPayload(url, payload);
  });
  return longer;
}

// Names the trial that is held, and no other that has its name after it is gone.
template <typename Request>
void Name(const client::TrialRecord& record, Request* request) {
  request->set_trial(record.name);
  if (record.created) *request->mutable_create_time() = TimestampOf(*record.created);
}

}  // namespace

std::shared_ptr<HeldTrial> HeldTrial::Hold(Holder holder, client::TrialRecord record) {
  const nanoseconds first = PauseOf(FirstLease(holder.lease, record));
  const std::shared_ptr<HeldTrial> held(new HeldTrial(std::move(holder), std::move(record)));
  const std::weak_ptr<HeldTrial> weak = held;
  held->renewal_ = held->holder_.renewals->Add(first, [weak]() -> Renewals::Pause {
    const std::shared_ptr<HeldTrial> trial = weak.lock();
    if (trial == nullptr) return std::nullopt;
    try {
      return trial->Renew();
    } catch (...) {  // Of ClientOptions::on_retry.
      return PauseOf(trial->holder_.lease);
    }
  });
  // Not when it is destroyed, as that may be by a renewal which is under way just then.
  return std::shared_ptr<HeldTrial>(held.get(), [held](HeldTrial* trial) { trial->LetGo(); });
}

HeldTrial::HeldTrial(Holder holder, client::TrialRecord record)
    : holder_(std::move(holder)), record_(std::move(record)) {}

void HeldTrial::LetGo() {
  if (!home_.IsThisOne()) return;
  if (!ended_ && !refusal_.ok() && !lost_) {
    // The server still takes it for its worker's, which therefore gets no other under this id.
    holder_.renewals->Remove(renewal_);
  } else if (!ended_) {
    (void)Release();  // If it does not reach the server, the lease runs out.
    End();
  }
  // Last, as it waits for a renewal under way, which may keep this trial, but must not wait itself.
  holder_.renewals = nullptr;
}

bool HeldTrial::ended() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return ended_;
}

std::optional<double> HeldTrial::measured() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return measured_;
}

std::optional<std::string> HeldTrial::stop_reason() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return advice_;
}

Renewals::Pause HeldTrial::Renew() {
  v1::HeartbeatRequest request;
  holder_.study.NameIn(&request);
  request.set_worker(holder_.worker);
  request.add_trials(record_.name);
  const absl::StatusOr<v1::HeartbeatResponse> response = holder_.client->Heartbeat(request);
  if (absl::IsNotFound(response.status())) lost_ = true;  // Its study is gone.
  if (!response.ok()) return lost_ ? Renewals::Pause() : PauseOf(holder_.lease);
  for (const v1::HeartbeatResponse::HeldTrial& held : response->trials()) {
    if (!held.held()) lost_ = true;
  }
  if (lost_) return std::nullopt;
  const google::protobuf::Duration& lease = response->lease_duration();
  return PauseOf(std::chrono::seconds(lease.seconds()) + nanoseconds(lease.nanos()));
}

absl::Status HeldTrial::Report(int64_t step, double value) {
  if (absl::Status status = CheckFinite(record_, "Report", value); !status.ok()) return status;
  v1::ReportRequest request;
  Name(record_, &request);
  v1::StepMeasurement* report = request.add_reports();
  report->set_step(step);
  (*report->mutable_measurement()->mutable_metrics())[holder_.metric] = value;
  const absl::StatusOr<v1::ReportResponse> response = holder_.client->Report(request);
  NoteWhetherItIsGone(response.status());
  // One that the server has no room for, or did not hear of, was measured all the same.
  if (!absl::IsInvalidArgument(response.status())) NoteLastReport(step, value);
  if (!response.ok()) return response.status();
  if (response->state() != v1::Trial::ACTIVE) lost_ = true;
  return absl::OkStatus();
}

void HeldTrial::NoteLastReport(int64_t step, double value) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!last_report_.has_value() || step >= last_report_->first) last_report_ = {step, value};
}

absl::StatusOr<bool> HeldTrial::ShouldStop() {
  v1::ShouldStopRequest request;
  Name(record_, &request);
  const absl::StatusOr<v1::ShouldStopResponse> response = holder_.client->ShouldStop(request);
  NoteWhetherItIsGone(response.status());
  if (!response.ok()) return response.status();
  const std::lock_guard<std::mutex> lock(mutex_);
  advice_ = response->stop() ? std::make_optional(response->reason()) : std::nullopt;
  return response->stop();
}

absl::Status HeldTrial::Annotate(const client::Annotation& annotation) {
  const absl::Status written =
      holder_.annotations->Write(record_.name, record_.created, annotation).status();
  NoteWhetherItIsGone(written);
  return written;
}

// The trial as it is now: a suggestion has neither labels nor a note.
absl::StatusOr<v1::Trial> HeldTrial::Read() {
  absl::StatusOr<v1::Trial> trial = holder_.annotations->Read(record_.name, record_.created);
  NoteWhetherItIsGone(trial.status());
  return trial;
}

absl::StatusOr<std::map<std::string, std::string>> HeldTrial::Labels() {
  const absl::StatusOr<v1::Trial> trial = Read();
  if (!trial.ok()) return trial.status();
  return std::map<std::string, std::string>(trial->labels().begin(), trial->labels().end());
}

absl::StatusOr<std::string> HeldTrial::Note() {
  const absl::StatusOr<v1::Trial> trial = Read();
  if (!trial.ok()) return trial.status();
  return trial->note();
}

absl::Status HeldTrial::Observe(const client::Outcome& outcome) {
  absl::StatusOr<v1::Outcome> message = MessageOf(outcome, holder_.metric);
  if (!message.ok()) return message.status();
  v1::ObserveRequest request;
  Name(record_, &request);
  *request.mutable_outcome() = *std::move(message);
  const absl::Status observed = holder_.client->Observe(std::move(request)).status();
  NoteWhetherItIsGone(observed);
  if (observed.ok() || IsOtherOutcome(observed)) {
    End();
    return observed;
  }
  const absl::Status refusal = WithCommand(observed, outcome);
  const std::lock_guard<std::mutex> lock(mutex_);
  refusal_ = refusal;
  return refusal;
}

absl::Status HeldTrial::WithCommand(const absl::Status& refusal,
                                    const client::Outcome& outcome) const {
  const std::string& address = holder_.client->options().address;
  if (!absl::IsNotFound(refusal)) {
    const char* const when = Passes(refusal) ? "the server answers again" : "that is mended";
    return Continued(refusal, absl::StrCat("; once ", when, ", this records the outcome: ",
                                           CommandOf(outcome, record_, address)));
  }
  const std::string command = AddingCommandOf(outcome, record_, address);
  if (command.empty()) return refusal;
  return Continued(refusal,
                   absl::StrCat("; if its study is there, for example after a backup was restored, "
                                "this keeps the result: ", command));
}

void HeldTrial::NoteWhetherItIsGone(const absl::Status& status) {
  if (absl::IsNotFound(status)) lost_ = true;
}

void HeldTrial::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended_) return;
    ended_ = true;
  }
  holder_.renewals->Remove(renewal_);
  holder_.give_back();
}

absl::Status HeldTrial::CheckOutcome(const char* call, double value) {
  const absl::Status status = CheckFinite(record_, call, value);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!status.ok()) not_finite_ = absl::StrCat(call, "() got ", value);
  return status;
}

absl::Status HeldTrial::Complete(double value) {
  if (absl::Status status = CheckOutcome("Complete", value); !status.ok()) return status;
  if (absl::Status status = Observe(value); !status.ok()) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  measured_ = value;
  return absl::OkStatus();
}

absl::Status HeldTrial::Fail(const std::string& reason) {
  return Observe(client::Failed{reason});
}

absl::Status HeldTrial::Infeasible(const std::string& reason) {
  return Observe(client::Infeasible{reason});
}

absl::Status HeldTrial::Stop(const std::optional<std::string>& reason,
                             std::optional<double> value) {
  client::Stopped stopped = {.value = value};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped.reason = reason.value_or(advice_.value_or(""));
    if (!value.has_value() && last_report_.has_value()) stopped.value = last_report_->second;
  }
  if (value.has_value()) {
    if (absl::Status status = CheckOutcome("Stop", *value); !status.ok()) return status;
  }
  return Observe(stopped);
}

absl::Status HeldTrial::Release() {
  if (lost_) {  // There is nothing to give back.
    End();
    return absl::OkStatus();
  }
  v1::ReleaseTrialsRequest request;
  holder_.study.NameIn(&request);
  request.set_worker(holder_.worker);
  request.add_trials(record_.name);
  const absl::Status released = holder_.client->ReleaseTrials(std::move(request)).status();
  if (released.ok()) End();
  return released;
}

absl::Status HeldTrial::Finish(const client::Outcome& returned) {
  std::string not_finite;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended_) return absl::OkStatus();
    if (!refusal_.ok()) return refusal_;
    not_finite = not_finite_;
  }
  return std::visit(
      Overloaded{[this, &not_finite](double value) {
                   if (!not_finite.empty()) return Infeasible(not_finite);
                   if (!std::isfinite(value)) {
                     return Infeasible(absl::StrCat("the objective is ", value));
                   }
                   return stop_reason().has_value() ? Stop(std::nullopt, value) : Complete(value);
                 },
                 [this](const client::Failed& failed) { return Fail(failed.reason); },
                 [this](const client::Infeasible& told) { return Infeasible(told.reason); },
                 [this](const client::Stopped& stopped) {
                   const double value = stopped.value.value_or(0);
                   if (std::isfinite(value)) return Stop(stopped.reason, stopped.value);
                   return Infeasible(absl::StrCat("the objective is ", value));
                 }},
      returned);
}

void HeldTrial::FinishAfterException(const std::string& reason) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended_ || !refusal_.ok()) return;
  }
  (void)Fail(reason);
}

}  // namespace slipstream::client_internal
