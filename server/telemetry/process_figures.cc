#include "server/telemetry/process_figures.h"

#include <sys/resource.h>

#include <filesystem>
#include <iterator>
#include <system_error>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/service/status_service.h"

namespace slipstream {
namespace {

int64_t CountDescriptors() {
  std::error_code failed;
  const std::filesystem::directory_iterator entries("/proc/self/fd", failed);
  if (failed) return 0;
  return std::distance(begin(entries), end(entries));
}

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Initialised before main.
const double start_seconds = absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch());

}  // namespace

ProcessFigures ReadProcessFigures() {
  ProcessFigures figures;
  figures.resident_bytes = ResidentBytes();
  figures.open_descriptors = CountDescriptors();
  rlimit descriptors = {};
  if (getrlimit(RLIMIT_NOFILE, &descriptors) == 0) {
    figures.most_descriptors = static_cast<int64_t>(descriptors.rlim_cur);
  }
  rusage used = {};
  if (getrusage(RUSAGE_SELF, &used) == 0) {
    figures.cpu_seconds = SecondsOf(used.ru_utime) + SecondsOf(used.ru_stime);
  }
  figures.start_seconds = start_seconds;
  return figures;
}

}  // namespace slipstream
