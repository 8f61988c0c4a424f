// Names by content: SHA-256, and the fingerprint of a request.
#ifndef SLIPSTREAM_SERVER_CONVERT_CONTENT_HASH_H_
#define SLIPSTREAM_SERVER_CONVERT_CONTENT_HASH_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace slipstream {

// SHA-256 in 64 lower-case hexadecimal digits.
std::string HexSha256(absl::string_view bytes);

// Bytes that are the same for equal messages of one type, whatever the order
// of their maps' entries.
std::string DeterministicBytes(const google::protobuf::Message& message);

// 16 bytes that tell requests to `method` apart by their content.
std::string RequestFingerprint(absl::string_view method, const google::protobuf::Message& request);

// 32 hexadecimal digits naming a header and a bag of rows: the order of the
// rows does not matter, their number does.
std::string ContentId(absl::string_view header, const std::vector<std::string>& rows);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_CONTENT_HASH_H_
