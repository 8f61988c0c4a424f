// How calls are answered. A read runs on an executor; a write converts what was
// written into the answer, and a repeated request gets its first answer again.
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_SERVER_SERVICE_ANSWERING_H_
#define SLIPSTREAM_SERVER_SERVICE_ANSWERING_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "google/protobuf/empty.pb.h"
#include "google/protobuf/message.h"
#include "server/convert/content_hash.h"
#include "server/service/executor.h"
#include "server/service/project_in_name.h"
#include "server/store/store.h"

namespace slipstream {

// Answers a call. Called exactly once for each call, on any thread. Throws nothing, so that what
// fails before it can still be answered, and what has been answered is not answered again.
using Done = std::function<void(absl::Status)>;

// Runs `work` on `executor` and answers with its status; answers at once with
// RESOURCE_EXHAUSTED when too many tasks wait already.
inline void AnswerOn(Executor* executor, const Done& done, std::function<absl::Status()> work) {
  const absl::Status accepted =
      executor->Run([done, work = std::move(work)] { done(OrOutOfMemory(work)); });
  if (!accepted.ok()) done(accepted);
}

// Runs `work` on `executor`, which answers the call or hands it on, unless it fails: then that
// status is the answer. Otherwise as AnswerOn.
inline void BeginOn(Executor* executor, const Done& done, std::function<absl::Status()> work) {
  const absl::Status accepted = executor->Run([done, work = std::move(work)] {
    absl::Status status = OrOutOfMemory(work);
    if (!status.ok()) done(std::move(status));
  });
  if (!accepted.ok()) done(accepted);
}

// The name of what `request` is about, or of the parent of what it makes.
template <typename Request>
const std::string& NameIn(const Request& request) {
  if constexpr (requires { request.parent(); }) {
    return request.parent();
  } else if constexpr (requires { request.name(); }) {
    return request.name();
  } else if constexpr (requires { request.study().name(); }) {
    return request.study().name();
  } else if constexpr (requires { request.trial().name(); }) {
    return request.trial().name();
  } else if constexpr (requires { request.study(); }) {
    return request.study();
  } else {
    return request.trial();
  }
}

// Guards `request` to `method` against repeats; unguarded without a request id.
template <typename Request>
RequestGuard GuardOf(absl::string_view method, const Request& request) {
  if (request.request_id().empty()) return {};
  return {request.request_id(), RequestFingerprint(method, request),
          std::string(ProjectInName(NameIn(request)))};
}

inline absl::Status ParseFirstAnswer(const std::string& answer,
                                     google::protobuf::Message* response) {
  if (response->ParseFromString(answer)) return absl::OkStatus();
  return absl::DataLossError("the first answer to this request cannot be read from the store");
}

// Returns what is remembered for repeats of a write that was answered with `response`. If that
// could not be made, the caller got an error. No message can be read from what is then remembered,
// so that a repeat fails, too, and does not make the write a second time.
inline std::string AnswerToRemember(const absl::Status& made,
                                    const google::protobuf::Message& response) {
  return made.ok() ? DeterministicBytes(response) : "\xff";
}

// A write whose answer `convert` makes from the record written. `response` must
// live until `done` has been called.
template <typename Record, typename Response>
Write<Record> AnsweringWrite(RequestGuard guard, Response* response,
                             std::function<absl::Status(const Record&, Response*)> convert,
                             Done done) {
  auto converted = std::make_shared<absl::Status>();
  Write<Record> write;
  const bool guarded = !guard.request_id.empty();
  write.guard = std::move(guard);
  write.render = [=, convert = std::move(convert)](const Record& record) {
    response->Clear();
    *converted = convert(record, response);
    return guarded ? AnswerToRemember(*converted, *response) : std::string();
  };
  write.done = [=, done = std::move(done)](absl::Status status,
                                           std::optional<std::string> earlier) {
    if (status.ok()) status = earlier ? ParseFirstAnswer(*earlier, response) : *converted;
    done(std::move(status));
  };
  return write;
}

// A write that is answered with nothing but its status.
inline Write<Unit> EmptyAnsweringWrite(RequestGuard guard, google::protobuf::Empty* response,
                                       Done done) {
  return AnsweringWrite<Unit, google::protobuf::Empty>(
      std::move(guard), response,
      [](const Unit&, google::protobuf::Empty*) { return absl::OkStatus(); }, std::move(done));
}

// Answers a request that was answered before, or whose id belongs to another
// request, and returns true. For calls whose checks might fail when repeated.
template <typename Response>
bool AnswerRepeat(Store* store, const RequestGuard& guard, Response* response, const Done& done) {
  if (guard.request_id.empty()) return false;
  bool is_known = true;
  absl::Status status = OrOutOfMemory([&]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<std::string> earlier, store->FindAnswer(guard));
    is_known = earlier.has_value();
    return is_known ? ParseFirstAnswer(*earlier, response) : absl::OkStatus();
  });
  if (is_known) done(std::move(status));
  return is_known;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_ANSWERING_H_
