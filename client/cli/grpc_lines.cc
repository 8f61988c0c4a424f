#include "client/cli/grpc_lines.h"

#include <grpc/support/log.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace slipstream::cli {
namespace {

// Called by gRPC's threads, several at a time; stdio writes each line whole.
void TakeLine(gpr_log_func_args* line) {
  const absl::string_view file(line->file);
  if (absl::StrContains(file, "/tsi/") || absl::StrContains(file, "/security/")) return;
  const absl::string_view name = file.substr(file.rfind('/') + 1);
  std::fprintf(stderr, "slipstream: gRPC: %s (%.*s:%d)\n", line->message,
               static_cast<int>(name.size()), name.data(), line->line);
}

}  // namespace

void TakeGrpcLines() {
  if (std::getenv("GRPC_VERBOSITY") != nullptr || std::getenv("GRPC_TRACE") != nullptr) return;
  gpr_set_log_function(TakeLine);
}

}  // namespace slipstream::cli
