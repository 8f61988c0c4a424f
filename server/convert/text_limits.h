// Bounds on free text in requests. Pure functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_TEXT_LIMITS_H_
#define SLIPSTREAM_SERVER_CONVERT_TEXT_LIMITS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/map.h"

namespace slipstream {

inline constexpr size_t kMaxTitleBytes = 256;
inline constexpr size_t kMaxVersionBytes = 128;
inline constexpr size_t kMaxReasonBytes = 1024;
inline constexpr size_t kMaxOriginBytes = 1024;
inline constexpr size_t kMaxNameBytes = 128;
inline constexpr size_t kMaxRequestIdBytes = 128;
inline constexpr size_t kMaxNoteBytes = 1024;
inline constexpr size_t kMaxHostBytes = 256;
inline constexpr size_t kMaxLabels = 64;
inline constexpr size_t kMaxLabelKeyBytes = 63;
inline constexpr size_t kMaxLabelValueBytes = 256;
// The most entries that a page of any list may have.
inline constexpr int kMaxPageSize = 1000;

// Each check returns an InvalidField on `field` when the text breaks the bound.

// At most `max_bytes`; may be empty.
absl::Status CheckText(absl::string_view field, absl::string_view text, size_t max_bytes);
// 1 to kMaxNameBytes bytes without control characters: names of metrics and workers.
absl::Status CheckName(absl::string_view field, absl::string_view text);
// Empty, or 1 to kMaxRequestIdBytes printable ASCII characters.
absl::Status CheckRequestId(absl::string_view text);
// At most kMaxLabels, keys of 1 to kMaxLabelKeyBytes bytes, values of at most kMaxLabelValueBytes.
absl::Status CheckLabels(absl::string_view field,
                         const google::protobuf::Map<std::string, std::string>& labels);

// A page size or count, 0 to `max`; 0 stands for the default.
absl::Status CheckCount(absl::string_view field, int value, int max);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_TEXT_LIMITS_H_
