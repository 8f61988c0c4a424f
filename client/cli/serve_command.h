// `slipstream serve`: the server's program, which is installed beside this one. Without a --data
// folder of one's own, the first start makes the default one with a new store.
#ifndef SLIPSTREAM_CLIENT_CLI_SERVE_COMMAND_H_
#define SLIPSTREAM_CLIENT_CLI_SERVE_COMMAND_H_

#include <CLI/CLI.hpp>
#include <string>

namespace slipstream::cli {

// Lists the command in the help; IsServe recognises it before arguments are parsed, because all
// that follow are the server's.
void AddServeCommand(CLI::App* app);
bool IsServe(int argc, const char* const* argv);

// Becomes the server with the arguments after "serve". Returns only if that fails: why.
std::string BecomeServer(const char* const* argv);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SERVE_COMMAND_H_
