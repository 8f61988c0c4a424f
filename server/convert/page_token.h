// Page tokens: opaque to callers and bound to the listing that they came from. Pure
// functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_PAGE_TOKEN_H_
#define SLIPSTREAM_SERVER_CONVERT_PAGE_TOKEN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream {

// A token that continues after the row with key `after`. `scope` names what is
// listed and how ("studies", "trials of s in states 3"); a token is valid only in
// the scope that it was made for.
std::string MakePageToken(absl::string_view scope, int64_t after);

// 0 for an empty token. INVALID_ARGUMENT, an InvalidField on "page_token", when
// the token is not one of MakePageToken(scope, ...).
absl::StatusOr<int64_t> ParsePageToken(absl::string_view scope, absl::string_view token);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_PAGE_TOKEN_H_
