#include "server/service/latest_backup.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/time/clock.h"

namespace slipstream {

LatestBackup::LatestBackup(std::string folder, std::function<bool(const std::string&)> is_store,
                           absl::Duration between_looks)
    : folder_(std::move(folder)),
      is_store_(std::move(is_store)),
      looks_(between_looks, [this] { Look(/*counts_those_from_the_future=*/false); }) {
  Look(/*counts_those_from_the_future=*/true);
}

std::optional<absl::Time> LatestBackup::time() const {
  const int64_t latest = latest_;
  if (latest == 0) return std::nullopt;
  return absl::FromUnixSeconds(latest);
}

void LatestBackup::Look(bool counts_those_from_the_future) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_, error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat found = {};
    const std::string file = entry->path().string();
    if (!absl::EndsWith(file, ".db") || is_store_(file)) continue;
    if (stat(file.c_str(), &found) != 0) continue;
    if (found.st_mtim.tv_sec > now && !counts_those_from_the_future) continue;
    const int64_t made = std::min<int64_t>(found.st_mtim.tv_sec, now);
    int64_t latest = latest_;  // A call may note another one meanwhile.
    while (latest < made && !latest_.compare_exchange_weak(latest, made)) {
    }
  }
}

}  // namespace slipstream
