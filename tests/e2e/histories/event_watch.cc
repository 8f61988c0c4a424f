#include "tests/e2e/histories/event_watch.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "absl/time/clock.h"

namespace slipstream::histories {
namespace {

constexpr std::chrono::seconds kMostWait(60);

}  // namespace

EventWatch::EventWatch(CrashingServer* server) : server_(*server) {
  thread_ = std::thread([this] { Run(); });
  std::unique_lock<std::mutex> lock(mutex_);
  news_.wait_for(lock, kMostWait, [this] { return !token_.empty() || !failure_.empty(); });
}

EventWatch::~EventWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    if (context_ != nullptr) context_->TryCancel();
  }
  thread_.join();
}

std::vector<ToldEvent> EventWatch::EventsOf(const std::string& study) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = events_.find(study);
  return found == events_.end() ? std::vector<ToldEvent>() : found->second;
}

int64_t EventWatch::lease_ends() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return count_;
}

bool EventWatch::WaitForMoreThan(int64_t count) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return news_.wait_for(lock, kMostWait, [&] { return count_ > count; });
}

bool EventWatch::WaitForEndOf(const std::string& study, const std::string& trial) const {
  const auto is_end = [&trial](const ToldEvent& told) {
    return told.event.trial() == trial && (told.event.kind() == v1::StudyEvent::TRIAL_STALE ||
                                           told.event.kind() == v1::StudyEvent::TRIAL_ENDED);
  };
  std::unique_lock<std::mutex> lock(mutex_);
  return news_.wait_for(lock, kMostWait, [&] {
    const auto found = events_.find(study);
    return found != events_.end() &&
           std::any_of(found->second.begin(), found->second.end(), is_end);
  });
}

bool EventWatch::WaitForCreationOf(const std::string& study) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return news_.wait_for(lock, kMostWait, [&] { return created_.count(study) > 0; });
}

std::string EventWatch::failure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

void EventWatch::Run() {
  while (ReadStream()) {
  }
}

bool EventWatch::ReadStream() {
  const std::shared_ptr<CrashingServer::Stub> stub = server_.connection();
  grpc::ClientContext context;
  v1::WatchStudiesRequest request;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return false;
    context_ = &context;
    request.set_resume_token(token_);
  }
  const auto reader = stub->WatchStudies(&context, request);
  v1::WatchResponse response;
  while (reader->Read(&response)) Take(response);
  const grpc::Status status = reader->Finish();
  const std::lock_guard<std::mutex> lock(mutex_);
  context_ = nullptr;
  const bool crashed = status.error_code() == grpc::StatusCode::UNAVAILABLE;
  if (!crashed && !stopping_) failure_ = "the watch ended: " + status.error_message();
  news_.notify_all();
  return crashed && !stopping_;
}

void EventWatch::Take(const v1::WatchResponse& response) {
  const int64_t told_us = absl::GetCurrentTimeNanos() / 1000;
  const std::lock_guard<std::mutex> lock(mutex_);
  token_ = response.resume_token();
  for (const v1::StudyEvent& event : response.events()) {
    if (event.kind() == v1::StudyEvent::STUDY_CREATED) created_.insert(event.study());
    if (event.kind() == v1::StudyEvent::TRIAL_STALE) ++count_;
    if (!event.trial().empty()) events_[event.study()].push_back({event, told_us});
  }
  news_.notify_all();
}

}  // namespace slipstream::histories
