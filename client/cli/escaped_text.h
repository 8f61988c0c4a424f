// Lists in one argument: a backslash takes from the next character any special
// meaning, so that "a\,b" holds a comma.
#ifndef SLIPSTREAM_CLIENT_CLI_ESCAPED_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_ESCAPED_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace slipstream::cli {

// Parts of `text` between unescaped `separator`s, still escaped. Always at
// least one; at most `limit` parts, the last of which keeps its separators.
std::vector<std::string> SplitEscaped(absl::string_view text, char separator,
                                      size_t limit = static_cast<size_t>(-1));

// `text` without its escapes. A backslash at the end stands for itself.
std::string Unescape(absl::string_view text);

// The other way round: `text` with a backslash before every character that the
// short form of parameters gives a meaning.
std::string Escape(absl::string_view text);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_ESCAPED_TEXT_H_
