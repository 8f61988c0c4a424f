// UTF-8 functions for names and messages.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_BASE_UTF8_H_
#define SLIPSTREAM_CORE_BASE_UTF8_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace slipstream {

// Length in bytes (1 to 4) of the well-formed character at the start of `text`;
// 0 if there is none. Overlong forms, surrogates and code points above U+10FFFF
// are not well-formed.
size_t FirstCharacterBytes(absl::string_view text);

// Whether all of `text` is well-formed.
bool IsUtf8(absl::string_view text);

// Whether `text`, which must be well-formed, has a control character (U+0000
// to U+001F, U+007F to U+009F).
bool HasControlCharacter(absl::string_view text);

// `text` made fit for a message: control characters and malformed bytes become
// "?", and a text longer than `max_bytes` is truncated between two characters.
std::string PrintableText(absl::string_view text, size_t max_bytes);

// `text` between double quotes.
std::string Quoted(absl::string_view text);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_BASE_UTF8_H_
