#include "slipstream/trial_lease.h"

#include <utility>

namespace slipstream {
namespace {

// Where leases never end, or the server cannot be reached, it is asked again after this time.
constexpr absl::Duration kUnlessKnown = absl::Seconds(30);

std::string StudyOf(const std::string& trial) { return trial.substr(0, trial.find("/trials/")); }

absl::Duration DurationOf(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

}  // namespace

TrialLease::TrialLease(Client* client, v1::Trial trial, std::string metric)
    : client_(*client),
      trial_(std::move(trial)),
      study_(StudyOf(trial_.name())),
      metric_(std::move(metric)),
      renewals_([this] { RenewUntilEnded(); }) {}

TrialLease::~TrialLease() {
  bool give_back = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    give_back = !ended_;
    abandoned_ = true;
  }
  end_.notify_all();
  renewals_.join();
  if (!give_back || lost_) return;
  v1::ReleaseTrialsRequest request;
  request.set_study(study_);
  request.set_worker(trial_.worker());
  request.add_trials(trial_.name());
  // If nobody hears it, the lease runs out.
  (void)client_.ReleaseTrials(std::move(request));
}

void TrialLease::RenewUntilEnded() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ended_ && !abandoned_ && !lost_) {
    lock.unlock();
    const absl::Duration pause = Renew();
    lock.lock();
    end_.wait_for(lock, absl::ToChronoNanoseconds(pause), [this] { return ended_ || abandoned_; });
  }
}

absl::Duration TrialLease::Renew() {
  v1::HeartbeatRequest request;
  request.set_study(study_);
  request.set_worker(trial_.worker());
  request.add_trials(trial_.name());
  const absl::StatusOr<v1::HeartbeatResponse> response = client_.Heartbeat(request);
  if (!response.ok()) {
    if (absl::IsNotFound(response.status())) lost_ = true;
    return kUnlessKnown;
  }
  for (const v1::HeartbeatResponse::HeldTrial& held : response->trials()) {
    if (!held.held()) lost_ = true;
  }
  if (!response->has_lease_duration()) return kUnlessKnown;
  return DurationOf(response->lease_duration()) / 3;
}

absl::Status TrialLease::Report(int64_t step, double value) {
  const absl::StatusOr<v1::ReportResponse> response =
      client_.Report(trial_.name(), step, metric_, value);
  if (!response.ok()) return response.status();
  if (response->state() != v1::Trial::ACTIVE) lost_ = true;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!last_report_.has_value() || step >= last_report_->first) last_report_ = {step, value};
  return absl::OkStatus();
}

absl::StatusOr<v1::ShouldStopResponse> TrialLease::ShouldStop() {
  return client_.ShouldStop(trial_.name());
}

absl::Status TrialLease::End(const absl::StatusOr<v1::Trial>& observed) {
  if (!observed.ok()) return observed.status();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  end_.notify_all();
  return absl::OkStatus();
}

absl::Status TrialLease::Succeed(double value) {
  return End(client_.Observe(trial_.name(), metric_, value));
}

absl::Status TrialLease::Fail(const std::string& reason) {
  return End(client_.ReportFailure(trial_.name(), reason));
}

absl::Status TrialLease::Infeasible(const std::string& reason) {
  return End(client_.ReportInfeasible(trial_.name(), reason));
}

absl::Status TrialLease::Stop(const std::string& reason) {
  v1::ObserveRequest request;
  request.set_trial(trial_.name());
  v1::EarlyStop* stop = request.mutable_outcome()->mutable_early_stop();
  stop->set_reason(reason);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (last_report_.has_value()) {
      (*stop->mutable_measurement()->mutable_metrics())[metric_] = last_report_->second;
    }
  }
  return End(client_.Observe(std::move(request)));
}

}  // namespace slipstream
