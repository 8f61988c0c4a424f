// Tells the service manager that started the server, such as systemd, what the server does: the
// notify protocol, datagrams to the socket that $NOTIFY_SOCKET names.
//
//   TellServiceManager("READY=1\nSTATUS=serving on 127.0.0.1:7411");
#ifndef SLIPSTREAM_SERVER_SERVICE_MANAGER_H_
#define SLIPSTREAM_SERVER_SERVICE_MANAGER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace slipstream {

// Lines of NAME=VALUE, as `man sd_notify` has them. Does nothing if no service manager has asked.
// UNAVAILABLE, with the reason, if it cannot be told.
absl::Status TellServiceManager(absl::string_view lines);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_MANAGER_H_
