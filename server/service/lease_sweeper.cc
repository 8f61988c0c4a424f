#include "server/service/lease_sweeper.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

void AddNames(const std::vector<std::string>& more, std::vector<std::string>* names) {
  for (const std::string& name : more) {
    if (names->size() < LeaseSweep::kNamedTrials) names->push_back(name);
  }
}

void AddSweep(const LeaseSweep& sweep, LeaseSweep* sum) {
  sum->stale += sweep.stale;
  sum->queued_again += sweep.queued_again;
  AddNames(sweep.trials, &sum->trials);
  sum->dropped += sweep.dropped;
  AddNames(sweep.dropped_trials, &sum->dropped_trials);
  if (sum->uncounted_ms == 0) sum->uncounted_ms = sweep.uncounted_ms;
}

}  // namespace

LeaseSweeper::LeaseSweeper(Store* store, absl::Duration period, OnSweep on_sweep,
                           OnFailure on_failure)
    : store_(*store), on_sweep_(std::move(on_sweep)), on_failure_(std::move(on_failure)) {
  if (period == absl::InfiniteDuration()) return;
  rounds_.emplace(period, [this] { Sweep().IgnoreError(); });  // It has been counted.
}

absl::Status LeaseSweeper::Sweep() {
  LeaseSweep swept;
  absl::Status status = OrOutOfMemory([&] { return SweepAll(&swept); });
  const bool has_news = swept.stale > 0 || swept.uncounted_ms != 0;
  if (has_news && on_sweep_) on_sweep_(swept);
  if (status.ok()) return status;
  ++failures_;
  if (on_failure_) on_failure_(status);
  return status;
}

absl::Status LeaseSweeper::SweepAll(LeaseSweep* swept) {
  while (true) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const bool needed, store_.LeasesNeedSweep());
    if (!needed) return absl::OkStatus();
    SLIPSTREAM_ASSIGN_OR_RETURN(const LeaseSweep sweep, SweepOnce());
    AddSweep(sweep, swept);
    if (!sweep.more) return absl::OkStatus();
  }
}

absl::StatusOr<LeaseSweep> LeaseSweeper::SweepOnce() {
  const auto swept = std::make_shared<LeaseSweep>();
  const auto answered = std::make_shared<std::promise<absl::Status>>();
  Write<LeaseSweep> write;
  write.render = [swept](const LeaseSweep& sweep) {
    *swept = sweep;
    return std::string();
  };
  write.done = [answered](absl::Status status, std::optional<std::string>) {
    answered->set_value(std::move(status));
  };
  store_.SweepLeases(std::move(write));
  SLIPSTREAM_RETURN_IF_ERROR(answered->get_future().get());
  return *swept;
}

}  // namespace slipstream
