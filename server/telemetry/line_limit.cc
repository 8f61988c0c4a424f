#include "server/telemetry/line_limit.h"

#include <utility>

namespace slipstream {
namespace {

constexpr char kFurtherKeys[] = "other events";

}  // namespace

bool LineLimit::Admit(const std::string& key, absl::Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool is_known = windows_.contains(key);
  const std::string& counted = is_known || windows_.size() < options_.keys ? key : kFurtherKeys;
  Window& window = windows_.try_emplace(counted, Window{now}).first->second;
  if (now - window.begin >= options_.window || now < window.begin) {
    if (window.lines > options_.lines) {
      over_.push_back({counted, window.lines - options_.lines, options_.window});
    }
    window = {now};
  }
  return ++window.lines <= options_.lines;
}

std::vector<LineLimit::Repeats> LineLimit::TakeRepeats(absl::Time now) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Repeats> repeats = std::exchange(over_, {});
  std::erase_if(windows_, [&](const auto& entry) {
    const Window& window = entry.second;
    if (now - window.begin < options_.window && now >= window.begin) return false;
    if (window.lines > options_.lines) {
      repeats.push_back({entry.first, window.lines - options_.lines, options_.window});
    }
    return true;
  });
  return repeats;
}

}  // namespace slipstream
