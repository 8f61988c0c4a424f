// Whether a text is in UTF-8, as messages to the server have to be.
#ifndef SLIPSTREAM_CLIENT_CLI_UTF8_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_UTF8_TEXT_H_

#include "absl/strings/string_view.h"

namespace slipstream::cli {

// Overlong forms, surrogates and code points above U+10FFFF are not well-formed.
bool IsUtf8(absl::string_view text);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_UTF8_TEXT_H_
