#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "client/cpp/caller.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

using client_internal::Caller;

using Reader = std::unique_ptr<grpc::ClientReader<v1::WatchResponse>>;

// Where a watch stands.
struct Progress {
  std::string* token;
  bool heard = false;   // A message has come since the last attempt began.
  bool enough = false;  // The visitor does not want more.
  std::stop_token stop = {};
  std::function<bool()> begun = nullptr;  // Null once it was called.
};

// Reads until the stream breaks or ends, the visitor has enough or a stop is asked for.
grpc::Status ReadEvents(Reader reader, grpc::ClientContext* context,
                        const Client::Visitor<v1::StudyEvent>& visit, Progress* progress) {
  const std::stop_callback cancel(progress->stop, [context] { context->TryCancel(); });
  v1::WatchResponse response;
  while (reader->Read(&response)) {
    progress->heard = true;
    int visited = 0;
    while (!progress->enough && visited < response.events_size()) {
      const v1::StudyEvent& event = response.events(visited++);
      progress->enough = !visit(event);
      // Older servers tell only where their messages end.
      if (!event.resume_token().empty()) *progress->token = event.resume_token();
    }
    // After the events: what follows for others. A study's last event is its end.
    const bool has_tokens = visited > 0 && !response.events(visited - 1).resume_token().empty();
    if (visited == response.events_size() && !has_tokens) {
      *progress->token = response.resume_token();
    }
    if (!progress->enough && progress->begun != nullptr) {
      progress->enough = !std::exchange(progress->begun, nullptr)();
    }
    if (!progress->enough) continue;
    context->TryCancel();
    break;
  }
  const grpc::Status status = reader->Finish();
  return progress->enough || progress->stop.stop_requested() ? grpc::Status::OK : status;
}

// Whether a broken stream is to be taken up again without counting as a failure.
bool GoesOn(const absl::Status& status, const Progress& progress) {
  return progress.heard && (absl::IsUnavailable(status) || absl::IsAborted(status) ||
                            absl::IsDeadlineExceeded(status) || absl::IsCancelled(status));
}

template <typename Request>
absl::Status Watch(Caller& caller, const Deadlines& deadlines, const std::string& what,
                   Request request,
                   Reader (Caller::Stub::*method)(grpc::ClientContext*, const Request&),
                   const Client::Visitor<v1::StudyEvent>& visit, std::string* token,
                   const std::stop_token& stop, std::function<bool()> begun = nullptr) {
  Progress progress{.token = token, .stop = stop, .begun = std::move(begun)};
  while (true) {
    progress.heard = false;
    const absl::Status status =
        caller.Call(what, deadlines, [&](Caller::Stub& stub, grpc::ClientContext* context) {
          request.set_resume_token(*token);
          return ReadEvents((stub.*method)(context, request), context, visit, &progress);
        });
    if (stop.stop_requested()) return absl::CancelledError("the watch was stopped");
    if (!GoesOn(status, progress)) return status;
  }
}

}  // namespace

absl::Status Client::WatchStudy(const std::string& study, const Visitor<v1::StudyEvent>& visit,
                                std::string* resume_token, std::stop_token stop,
                                std::function<bool()> begun) {
  v1::WatchStudyRequest request;
  request.set_study(study);
  std::string own_token;
  return Watch(*caller_, options_.call, "watch " + study, std::move(request),
               &Caller::Stub::WatchStudy, visit,
               resume_token != nullptr ? resume_token : &own_token, stop, std::move(begun));
}

absl::Status Client::WatchStudies(const Visitor<v1::StudyEvent>& visit, std::string* resume_token,
                                  const std::string& parent, std::stop_token stop) {
  v1::WatchStudiesRequest request;
  request.set_parent(parent);
  std::string own_token;
  return Watch(*caller_, options_.call, "watch the studies", std::move(request),
               &Caller::Stub::WatchStudies, visit,
               resume_token != nullptr ? resume_token : &own_token, stop);
}

}  // namespace slipstream
