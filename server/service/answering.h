// How the service's writes answer: a fresh one converts what was written, a
// repeat gives the first answer again.
#ifndef SLIPSTREAM_SERVER_SERVICE_ANSWERING_H_
#define SLIPSTREAM_SERVER_SERVICE_ANSWERING_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "server/convert/content_hash.h"
#include "server/store/store.h"

namespace slipstream {

// The guard of `request` to `method`; unguarded without a request id.
template <typename Request>
RequestGuard GuardOf(absl::string_view method, const Request& request) {
  if (request.request_id().empty()) return {};
  return {request.request_id(), RequestFingerprint(method, request)};
}

// `convert` fills `response` from what was written; `response` lives until
// `done` was called.
template <typename Record, typename Response>
Write<Record> AnsweringWrite(RequestGuard guard, Response* response,
                             std::function<absl::Status(const Record&, Response*)> convert,
                             std::function<void(absl::Status)> done) {
  auto converted = std::make_shared<absl::Status>();
  Write<Record> write;
  const bool guarded = !guard.request_id.empty();
  write.guard = std::move(guard);
  write.render = [=, convert = std::move(convert)](const Record& record) {
    response->Clear();
    *converted = convert(record, response);
    return guarded && converted->ok() ? DeterministicBytes(*response) : std::string();
  };
  write.done = [=, done = std::move(done)](absl::Status status,
                                           std::optional<std::string> earlier) {
    if (status.ok() && !earlier) status = *converted;
    if (status.ok() && earlier && !response->ParseFromString(*earlier)) {
      status = absl::DataLossError("the first answer cannot be read from the store");
    }
    done(std::move(status));
  };
  return write;
}

// Whether the request was answered before, or its id belongs to another one:
// then `done` was called with the first answer in `response`, or an error. For
// calls whose checks may come out otherwise the second time.
template <typename Response>
bool AnswerRepeat(Store* store, const RequestGuard& guard, Response* response,
                  const std::function<void(absl::Status)>& done) {
  if (guard.request_id.empty()) return false;
  absl::StatusOr<std::optional<std::string>> earlier = store->FindAnswer(guard);
  if (earlier.ok() && !earlier->has_value()) return false;
  if (!earlier.ok()) {
    done(earlier.status());
  } else {
    done(response->ParseFromString(**earlier)
             ? absl::OkStatus()
             : absl::DataLossError("the first answer cannot be read from the store"));
  }
  return true;
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_ANSWERING_H_
