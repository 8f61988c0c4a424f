#include "client/cpp/lanes.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cpp/shared_objects.h"
#include "slipstream/request_id.h"

namespace slipstream::client_internal {
namespace {

// Whether the id ends with '#' and a number.
bool IsNumbered(absl::string_view worker) {
  const size_t mark = worker.rfind('#');
  if (mark == absl::string_view::npos || mark + 1 == worker.size()) return false;
  const absl::string_view number = worker.substr(mark + 1);
  return number.find_first_not_of("0123456789") == absl::string_view::npos;
}

}  // namespace

std::string ChooseWorker(const std::string& worker) {
  if (!worker.empty()) return worker;
  char host[HOST_NAME_MAX + 1] = {};
  (void)gethostname(host, HOST_NAME_MAX);
  const std::string unique = MakeRequestId();
  return absl::StrCat(std::string(host).substr(0, 64), "-", getpid(), "-",
                      unique.substr(unique.size() - 8));
}

std::string LaneName(const std::string& worker, size_t lane) {
  if (lane == 0 && !IsNumbered(worker)) return worker;
  return absl::StrCat(worker, "#", lane + 1);
}

std::optional<size_t> LaneNamed(const std::string& worker, absl::string_view name) {
  absl::string_view number = name;
  const bool has_number = absl::ConsumePrefix(&number, worker + "#");
  size_t lane = 0;
  if (has_number) {
    int32_t counted = 0;
    if (!absl::SimpleAtoi(number, &counted) || counted < 1) return std::nullopt;
    lane = static_cast<size_t>(counted) - 1;
  }
  return LaneName(worker, lane) == name ? std::make_optional(lane) : std::nullopt;
}

std::shared_ptr<Lanes> LanesOf(const std::string& worker, const std::string& address,
                               const std::string& study) {
  const auto make = [&worker] {
    return std::make_shared<Lanes>(ChooseWorker(worker), /*may_have_left=*/!worker.empty());
  };
  if (worker.empty()) return make();
  static auto& lanes = *new SharedObjects<Lanes>();
  return lanes.Get(absl::StrCat(getpid(), " ", address, " ", study, " ", worker), make);
}

bool Lanes::recalled() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recalled_;
}

void Lanes::Recall(const std::vector<std::string>& holders) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(recalled_, true)) return;
  for (const std::string& holder : holders) {
    const std::optional<size_t> lane = LaneNamed(worker_, holder);
    if (lane.has_value()) ++lanes_[*lane].left;
  }
}

size_t Lanes::Take(int trials) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto free = lanes_.end();
  size_t unused = 0;
  for (auto each = lanes_.begin(); each != lanes_.end(); ++each) {
    if (each->first == unused) ++unused;
    if (each->second.open > 0) continue;
    const bool is_better =
        free == lanes_.end() || (free->second.left == 0 && each->second.left > 0);
    if (is_better) free = each;
  }
  const size_t lane = free == lanes_.end() ? unused : free->first;
  lanes_[lane].open = trials;
  return lane;
}

void Lanes::Resumed(size_t lane, int trials) {
  const std::lock_guard<std::mutex> lock(mutex_);
  int& left = lanes_[lane].left;
  left = std::max(0, left - trials);
}

void Lanes::ResumedAll(size_t lane) {
  const std::lock_guard<std::mutex> lock(mutex_);
  lanes_[lane].left = 0;
}

void Lanes::GiveBack(size_t lane, int trials) {
  const std::lock_guard<std::mutex> lock(mutex_);
  lanes_[lane].open -= trials;
}

}  // namespace slipstream::client_internal
