#include "tests/e2e/kills/retried_calls.h"

namespace slipstream::kills {
namespace {

constexpr size_t kRemembered = 64;
constexpr int kRepeatedBefore = 3;
constexpr size_t kMostFailures = 20;

}  // namespace

void CallCounts::Add(const CallCounts& other) {
  for (const auto& [rpc, count] : other.answered) answered[rpc] += count;
  lost += other.lost;
  repeated += other.repeated;
}

int64_t CallCounts::all() const {
  int64_t all = 0;
  for (const auto& entry : answered) all += entry.second;
  return all;
}

bool RetriedCalls::Settle(Stub& stub) {
  if (lost_ == nullptr) return true;
  if (!lost_(stub)) return false;
  lost_ = nullptr;
  return true;
}

bool RetriedCalls::Make(Stub& stub, Attempt attempt) {
  lost_ = std::move(attempt);
  return Settle(stub);
}

bool RetriedCalls::IsAnswered(const char* rpc, const grpc::Status& status) {
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) {
    ++counts_.lost;
    return false;
  }
  ++counts_.answered[rpc];
  if (!status.ok()) Fail(absl::StrCat(rpc, ": ", status.error_code(), " ", status.error_message()));
  return true;
}

void RetriedCalls::Remember(Repeat repeat) {
  answered_.push_back(std::move(repeat));
  if (answered_.size() > kRemembered) answered_.pop_front();
}

void RetriedCalls::RepeatSome(Stub& stub, std::mt19937& random) {
  if (answered_.empty()) return;
  answered_.back()(stub);
  std::uniform_int_distribution<size_t> any(0, answered_.size() - 1);
  for (int i = 0; i < kRepeatedBefore; ++i) answered_[any(random)](stub);
}

void RetriedCalls::Fail(std::string text) {
  if (failures_.size() < kMostFailures) failures_.push_back(std::move(text));
}

}  // namespace slipstream::kills
