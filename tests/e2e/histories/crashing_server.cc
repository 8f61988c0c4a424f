#include "tests/e2e/histories/crashing_server.h"

#include "absl/time/clock.h"

namespace slipstream::histories {

CrashingServer::CrashingServer() { Start(); }

std::shared_ptr<CrashingServer::Stub> CrashingServer::connection() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stub_;
}

void CrashingServer::Crash() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Outage outage;
  outage.begin_us = absl::GetCurrentTimeNanos() / 1000;
  process_->Kill();
  Start();
  outage.end_us = absl::GetCurrentTimeNanos() / 1000;
  outages_.push_back(outage);
}

Outages CrashingServer::outages() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return outages_;
}

void CrashingServer::Start() {
  process_.emplace(data_.path());
  stub_ = v1::OptimizationService::NewStub(process_->channel());
}

}  // namespace slipstream::histories
