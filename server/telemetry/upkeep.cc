#include "server/telemetry/upkeep.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "core/base/out_of_memory.h"

namespace slipstream {

void Upkeep::Run() {
  log_.TellOfRepeats();
  LookAtClock();
  const DatabaseFigures figures = store_.Figures().database;
  if (figures.refusal != refusal_) {
    if (figures.refusal.empty()) {
      log_.Write(LogLevel::kInfo, "changes can be made again");
    } else {
      log_.Write(LogLevel::kError, "no change can be made", {{"message", figures.refusal}});
    }
    if (figures.refusal.empty() != refusal_.empty()) set_healthy_(figures.refusal.empty());
    refusal_ = figures.refusal;
  }
  if (!refusal_.empty() && !figures.halted) TryToWrite();
}

void Upkeep::LookAtClock() {
  const absl::Duration by = comparison_.SetBy(clocks_.now(), clocks_.steady_now());
  if (by == absl::ZeroDuration()) return;
  log_.Write(LogLevel::kWarning, "the system's clock was set",
             {{"by_seconds", absl::ToInt64Seconds(by)},
              {"message", "times that are shown may look odd; leases run on as before"}});
}

// A sweep of leases writes down the lease clock every few seconds. It may also end leases, of which
// others are told as of any that ended.
void Upkeep::TryToWrite() {
  if (is_trying_->exchange(true)) return;
  const absl::Status asked = OrOutOfMemory([this] {
    SweepLeases();
    return absl::OkStatus();
  });
  if (!asked.ok()) *is_trying_ = false;
}

void Upkeep::SweepLeases() {
  const auto swept = std::make_shared<LeaseSweep>();
  Write<LeaseSweep> write;
  write.render = [swept](const LeaseSweep& sweep) {
    *swept = sweep;
    return std::string();
  };
  write.done = [swept, note = note_sweep_, is_trying = is_trying_](
                   const absl::Status& status, const std::optional<std::string>&) {
    if (status.ok()) note(*swept);
    *is_trying = false;
  };
  store_.SweepLeases(std::move(write));
}

}  // namespace slipstream
