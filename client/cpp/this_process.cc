#include "client/cpp/this_process.h"

#include <limits.h>
#include <unistd.h>

namespace slipstream::client_internal {

v1::WorkerProcess ThisProcess() {
  v1::WorkerProcess process;
  char host[HOST_NAME_MAX + 1] = {};
  if (gethostname(host, HOST_NAME_MAX) == 0) process.set_host(host);
  process.set_process_id(getpid());
  return process;
}

}  // namespace slipstream::client_internal
