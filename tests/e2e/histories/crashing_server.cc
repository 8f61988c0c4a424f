#include "tests/e2e/histories/crashing_server.h"

namespace slipstream::histories {

CrashingServer::CrashingServer() { Start(); }

std::shared_ptr<CrashingServer::Stub> CrashingServer::connection() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stub_;
}

void CrashingServer::Crash() {
  const std::lock_guard<std::mutex> lock(mutex_);
  process_->Kill();
  ++crashes_;
  Start();
}

int CrashingServer::crashes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return crashes_;
}

void CrashingServer::Start() {
  process_.emplace(data_.path());
  stub_ = v1::OptimizationService::NewStub(process_->channel());
}

}  // namespace slipstream::histories
