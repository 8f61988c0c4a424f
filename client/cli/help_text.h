// How the tool writes the help of its commands.
#ifndef SLIPSTREAM_CLIENT_CLI_HELP_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_HELP_TEXT_H_

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>

namespace slipstream::cli {

// Breaks descriptions at spaces, so that lines have at most `width` characters; where that is
// endless, as in a pipe to a pager, at most 80. The help of each command says which options all
// commands take.
std::shared_ptr<CLI::Formatter> HelpText(size_t width);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_HELP_TEXT_H_
