// What the server takes as the reason of an outcome.
//
// Thread-safe: a free function without state.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_REASON_TEXT_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_REASON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace slipstream {

// The reason with "?" for bytes that are not UTF-8, which the text of an exception or the end of a
// log may have. Of one that is longer than 1,024 bytes its beginning and its end, with " ... "
// between them.
std::string ReasonText(absl::string_view reason);

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_REASON_TEXT_H_
