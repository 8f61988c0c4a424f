#include "tests/e2e/kills/event_reader.h"

#include <chrono>

namespace slipstream::kills {
namespace {

constexpr std::chrono::seconds kMostWait(60);

}  // namespace

void EventReader::Join(Stub* stub) {
  Leave();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    leaving_ = false;
    context_ = std::make_unique<grpc::ClientContext>();
  }
  thread_ = std::thread([this, stub] { Read(stub); });
  // What happens before the first token of all would not be told.
  std::unique_lock<std::mutex> lock(mutex_);
  news_.wait_for(lock, kMostWait, [this] { return !token_.empty() || context_ == nullptr; });
}

void EventReader::Leave() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    leaving_ = true;
    if (context_ != nullptr) context_->TryCancel();
  }
  thread_.join();
}

bool EventReader::WaitFor(const std::string& study, EventTally::Kind kind, int64_t times) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return news_.wait_for(lock, kMostWait, [&] { return tally_.CountOf(study, kind) >= times; });
}

EventTally EventReader::tally() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return tally_;
}

int64_t EventReader::events() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return events_;
}

void EventReader::Forget(const std::string& study) {
  const std::lock_guard<std::mutex> lock(mutex_);
  tally_.Forget(study);
}

std::string EventReader::failure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

void EventReader::Read(Stub* stub) {
  grpc::ClientContext* context = nullptr;
  v1::WatchStudiesRequest request;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    context = context_.get();
    request.set_resume_token(token_);
  }
  const auto reader = stub->WatchStudies(context, request);
  v1::WatchResponse response;
  while (reader->Read(&response)) Take(response);
  const grpc::Status status = reader->Finish();
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool gone = status.error_code() == grpc::StatusCode::UNAVAILABLE;
  if (!gone && !leaving_) failure_ = "the watch ended: " + status.error_message();
  context_.reset();
  news_.notify_all();
}

void EventReader::Take(const v1::WatchResponse& response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  token_ = response.resume_token();
  for (const v1::StudyEvent& event : response.events()) {
    tally_.Add(event.study(), event.trial(), event.kind());
    ++events_;
  }
  news_.notify_all();
}

}  // namespace slipstream::kills
