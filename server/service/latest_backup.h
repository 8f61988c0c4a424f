// When the newest backup of a store was made: by a call, or by others who put files into the folder
// of backups.
//
//   LatestBackup latest("/var/backups", [](const std::string& file) { ... });
//   latest.Note(absl::Now());        // A call has made one.
//   latest.time();
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_LATEST_BACKUP_H_
#define SLIPSTREAM_SERVER_SERVICE_LATEST_BACKUP_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "server/service/rounds.h"

namespace slipstream {

class LatestBackup {
 public:
  // Looks now, and then on a thread of its own, for files in `folder` whose names end in ".db".
  // Those for which `is_store` is true do not count: a store may be in the same folder.
  LatestBackup(std::string folder, std::function<bool(const std::string& file)> is_store,
               absl::Duration between_looks = absl::Minutes(1));

  // A backup was made then.
  void Note(absl::Time made) { latest_ = absl::ToUnixSeconds(made); }

  // In whole seconds; absent if there has been none. A backup counts after its file has been moved
  // elsewhere, too.
  std::optional<absl::Time> time() const;

 private:
  // Of a file from the future, nobody knows when it was made: it counts as made now, or not at all.
  void Look(bool counts_those_from_the_future);

  const std::string folder_;
  const std::function<bool(const std::string&)> is_store_;
  std::atomic<int64_t> latest_{0};  // In seconds since 1970; 0: none.
  Rounds looks_;                    // Last: its thread uses the rest.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_LATEST_BACKUP_H_
