#include "client/cpp/lanes.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "slipstream/request_id.h"

namespace slipstream::client_internal {

std::string ChooseWorker(const std::string& worker) {
  if (!worker.empty()) return worker;
  char host[HOST_NAME_MAX + 1] = {};
  (void)gethostname(host, HOST_NAME_MAX);
  const std::string unique = MakeRequestId();
  return absl::StrCat(std::string(host).substr(0, 64), "-", getpid(), "-",
                      unique.substr(unique.size() - 8));
}

size_t Lanes::Take(int trials) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto free = std::find(open_.begin(), open_.end(), 0);
  const auto lane = static_cast<size_t>(free - open_.begin());
  if (free == open_.end()) open_.push_back(0);
  open_[lane] = trials;
  return lane;
}

std::string Lanes::WorkerOf(size_t lane) const {
  return lane == 0 ? worker_ : absl::StrCat(worker_, ".", lane + 1);
}

void Lanes::GiveBack(size_t lane, int trials) {
  const std::lock_guard<std::mutex> lock(mutex_);
  open_[lane] -= trials;
}

}  // namespace slipstream::client_internal
