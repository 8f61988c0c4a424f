// Limits the watchers of each project to a part of all, so that a caller of one project
// leaves some to the others.
//
//   absl::StatusOr<ProjectWatchers::Place> place = watchers.Take("vision");
//   if (!place.ok()) return place.status();
//   ...                                       // Keeps it as long as the watch goes on.
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_GRPC_PROJECT_WATCHERS_H_
#define SLIPSTREAM_SERVER_GRPC_PROJECT_WATCHERS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace slipstream {

class ProjectWatchers {
 public:
  // Counts as one watcher until it is destroyed. May outlive the ProjectWatchers.
  using Place = std::shared_ptr<void>;

  // At most `most` of each project.
  explicit ProjectWatchers(size_t most) : most_(most) {}

  // RESOURCE_EXHAUSTED, naming the limit and the project.
  absl::StatusOr<Place> Take(const std::string& project) {
    // Made before it counts: if memory runs out, nothing has been taken.
    const auto taken = std::make_shared<Taken>();
    taken->project = project;
    const std::lock_guard lock(counts_->mutex);
    size_t& count = counts_->of[project];
    if (count >= most_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the limit of ", most_, " watchers of the project ", project,
                       " is reached; end one of them first"));
    }
    ++count;
    taken->counts = counts_;
    return Place(taken);
  }

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, size_t> of;  // Those with a watcher.

    void GiveBack(const std::string& project) {
      const std::lock_guard lock(mutex);
      if (--of[project] == 0) of.erase(project);
    }
  };

  struct Taken {
    ~Taken() {
      if (counts != nullptr) counts->GiveBack(project);
    }

    std::string project;
    std::shared_ptr<Counts> counts;  // Null: it does not count.
  };

  const size_t most_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_GRPC_PROJECT_WATCHERS_H_
