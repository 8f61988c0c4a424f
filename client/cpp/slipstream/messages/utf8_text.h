// Whether a text is in UTF-8, as messages to the server have to be. Overlong forms, surrogates and
// code points above U+10FFFF are not well-formed.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_UTF8_TEXT_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_UTF8_TEXT_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace slipstream::client {

// The length in bytes of the well-formed character at the start of a text that is not empty; 0 if
// there is none.
size_t FirstCharacterBytes(absl::string_view text);

// Whether all of `text` is well-formed.
bool IsUtf8(absl::string_view text);

}  // namespace slipstream::client

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_UTF8_TEXT_H_
