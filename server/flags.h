// The server's flags: from the command line, else the environment
// (SLIPSTREAM_LISTEN for --listen), else a flag file, else the default.
#ifndef SLIPSTREAM_SERVER_FLAGS_H_
#define SLIPSTREAM_SERVER_FLAGS_H_

#include <optional>
#include <string>

#include "server/grpc/server.h"
#include "server/service/service_options.h"
#include "server/store/store_options.h"
#include "server/telemetry/call_monitor.h"
#include "server/telemetry/log.h"

namespace slipstream {

struct Flags {
  std::string data;          // Folder of the store, or its file, see DataStoreName.
  bool create = false;       // Make the folder and a new store if there is none.
  std::string address_file;  // Written when ready, unless empty.
  bool create_default_folder = false;  // Sets `create` where the default folder is not there yet.
  double drain_seconds = 10;
  bool until_stdin_ends = false;  // Drain once standard input has ended; leave Ctrl-C to others.
  std::string log_level = "info";
  LogFormat log_format = LogFormat::kText;
  std::string token_file;       // Empty: everybody may do everything.
  std::string quota_file;       // Empty: no project is limited.
  std::string audit_log;        // Empty: none.
  std::string new_token;        // NAME:ROLE:PROJECTS: print one and exit, unless empty.
  std::string metrics_address;  // Empty: no metrics over HTTP.
  CallMonitorOptions calls;
  bool check_config = false;  // Check the flags and what they name, and exit.
  bool check = false;        // Check the store and exit.
  std::string back_up_to;    // Copy the store to this file and exit, unless empty.
  std::string restore_from;  // Put this backup in place and exit, unless empty.
  ServerOptions server;
  ServiceOptions service;
  StoreOptions store;

  // Whether there is something to do instead of serving.
  bool has_task() const {
    return check_config || check || !new_token.empty() || !back_up_to.empty() ||
           !restore_from.empty();
  }
};

// The code to exit with after a mistake in flags or in the files and folders that they name, other
// than the store: a service manager has no reason to start the server again.
inline constexpr int kUsageError = 2;

// The flags, or the code to exit with at once, after --help, --version or an error
// has been printed.
struct ParsedFlags {
  std::optional<Flags> flags;
  int exit_code = 0;
};
ParsedFlags ParseFlags(int argc, char** argv);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_FLAGS_H_
