// Ids and fingerprints made from content, by SHA-256. Pure functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_CONTENT_HASH_H_
#define SLIPSTREAM_SERVER_CONVERT_CONTENT_HASH_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace slipstream {

// SHA-256 in 64 lower-case hexadecimal digits.
std::string HexSha256(absl::string_view bytes);

// Serialises a message so that equal messages of one type have equal bytes,
// whatever the order of their maps' entries.
std::string DeterministicBytes(const google::protobuf::Message& message);

// 16 bytes that differ between methods and between requests of different content.
std::string RequestFingerprint(absl::string_view method, const google::protobuf::Message& request);

// 32 hexadecimal digits that identify a header and a multiset of rows: the order of
// the rows does not matter, repeated rows do.
std::string ContentId(absl::string_view header, const std::vector<std::string>& rows);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_CONTENT_HASH_H_
