// Lists in one argument. A backslash makes the next character an ordinary one,
// so that "a\,b" contains a comma.
#ifndef SLIPSTREAM_CLIENT_CLI_ESCAPED_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_ESCAPED_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace slipstream::cli {

// The parts of `text` between unescaped `separator`s, still escaped: at least
// one, and at most `limit`, the last of which keeps its separators.
std::vector<std::string> SplitEscaped(absl::string_view text, char separator,
                                      size_t limit = static_cast<size_t>(-1));

// `text` without its escapes. A backslash at the end stands for itself.
std::string Unescape(absl::string_view text);

// The inverse: `text` with a backslash before every character that is special in
// the short form of parameters.
std::string Escape(absl::string_view text);

// `text` as one word of a shell's command line, in quotes if it needs some.
std::string ShellWord(absl::string_view text);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_ESCAPED_TEXT_H_
