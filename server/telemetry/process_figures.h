// The system's figures of this process. Thread-safe.
#ifndef SLIPSTREAM_SERVER_TELEMETRY_PROCESS_FIGURES_H_
#define SLIPSTREAM_SERVER_TELEMETRY_PROCESS_FIGURES_H_

#include <cstdint>

namespace slipstream {

// 0 where the system does not report it.
struct ProcessFigures {
  int64_t resident_bytes = 0;
  int64_t open_descriptors = 0;
  int64_t most_descriptors = 0;  // The soft limit.
  double cpu_seconds = 0;
  double start_seconds = 0;  // Since 1970.
};

ProcessFigures ReadProcessFigures();

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_TELEMETRY_PROCESS_FIGURES_H_
