// What a request id means: an idempotent repeat gets the first answer. Status
// codes are those of store.h.
#ifndef SLIPSTREAM_SERVER_STORE_ANSWER_RULES_H_
#define SLIPSTREAM_SERVER_STORE_ANSWER_RULES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/rows.h"
#include "server/store/store.h"

namespace slipstream::rules {

// The answer remembered under the guard's id, absent if there is none or the
// request is not guarded. INVALID_ARGUMENT (an InvalidField "request_id") if it
// was given to a request with other content.
absl::StatusOr<std::optional<std::string>> FindAnswer(Rows& rows, const RequestGuard& guard);

// A project may have answers of so many bytes whatever its quota is, ...
inline constexpr int64_t kLeastAnswerBytes = 16 << 20;
// ... and of so many times the bytes that it may store: more than its own trials need.
inline constexpr int64_t kAnswerBytesPerByte = 4;

// RESOURCE_EXHAUSTED if the answers that are remembered for the guard's project take all that its
// quota of bytes allows, which is counted apart from what the project stores. To be asked before
// anything is written, so the latest answer may exceed it. Null quotas allow everything, as does a
// request that is not guarded.
absl::Status CheckRoomForAnswer(RowTransaction& rows, Quotas* quotas, const RequestGuard& guard);

// Does nothing if the request is not guarded.
absl::Status RememberAnswer(RowTransaction& rows, const RequestGuard& guard, std::string answer);

}  // namespace slipstream::rules

#endif  // SLIPSTREAM_SERVER_STORE_ANSWER_RULES_H_
