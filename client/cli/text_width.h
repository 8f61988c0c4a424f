// How wide terminals show texts in UTF-8.
#ifndef SLIPSTREAM_CLIENT_CLI_TEXT_WIDTH_H_
#define SLIPSTREAM_CLIENT_CLI_TEXT_WIDTH_H_

#include <cstddef>

#include "absl/strings/string_view.h"

namespace slipstream::cli {

// The columns that the text takes: most characters take one, those of Chinese, Japanese and Korean
// and emoji two, and marks that combine with the character before them none.
size_t TextWidth(absl::string_view text);

// The longest beginning of the text that takes at most `width` columns.
absl::string_view BeginningOf(absl::string_view text, size_t width);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TEXT_WIDTH_H_
