#include "server/telemetry/upkeep.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"

namespace slipstream {

void Upkeep::Run() {
  log_.TellOfRepeats();
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

// A sweep of leases writes down the lease clock every few seconds.
void Upkeep::TryToWrite() {
  if (is_trying_->exchange(true)) return;
  Write<LeaseSweep> write;
  write.done = [is_trying = is_trying_](const absl::Status&, const std::optional<std::string>&) {
    *is_trying = false;
  };
  store_.SweepLeases(std::move(write));
}

}  // namespace slipstream
