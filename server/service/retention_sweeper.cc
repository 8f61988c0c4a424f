#include "server/service/retention_sweeper.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/out_of_memory.h"
#include "core/base/status.h"

namespace slipstream {
namespace {

// How long a clock has to run evenly: this part of the time after which studies are deleted, ...
constexpr int kPartUntilTrusted = 10;
// ... and no longer than this.
constexpr std::chrono::hours kMostUntilTrusted(1);

}  // namespace

RetentionSweeper::RetentionSweeper(Store* store, RetentionOptions options,
                                   std::function<void(const std::string&)> forget)
    : store_(*store), options_(std::move(options)), forget_(std::move(forget)) {
  if (options_.delete_completed_after == absl::InfiniteDuration()) return;
  if (options_.period == absl::InfiniteDuration()) return;
  rounds_.emplace(options_.period, [this] { Turn().IgnoreError(); });  // It has been counted.
}

absl::Status RetentionSweeper::Turn() {
  if (options_.delete_completed_after == absl::InfiniteDuration()) return absl::OkStatus();
  const std::lock_guard<std::mutex> lock(turn_mutex_);
  if (!TrustsTheClock()) return absl::OkStatus();
  absl::Status status = LookAtNextStudies();
  if (!status.ok()) ++failures_;
  return status;
}

absl::Status RetentionSweeper::LookAtNextStudies() {
  const absl::StatusOr<std::vector<StudyRecord>> studies = OrOutOfMemory(
      [this] { return store_.ListStudies({after_key_, options_.studies_per_turn}); });
  if (!studies.ok() && options_.on_failure) options_.on_failure("", studies.status());
  SLIPSTREAM_RETURN_IF_ERROR(studies.status());
  absl::Status first_failure;
  for (const StudyRecord& study : *studies) {
    const absl::Status status = DeleteIfDue(study);
    if (!status.ok() && options_.on_failure) options_.on_failure(study.id, status);
    first_failure.Update(status);
    after_key_ = study.key;
  }
  if (static_cast<int>(studies->size()) < options_.studies_per_turn) after_key_ = 0;
  return first_failure;
}

bool RetentionSweeper::TrustsTheClock() {
  const std::chrono::steady_clock::time_point steady = options_.steady_now();
  const absl::Duration set_by = clocks_.SetBy(absl::FromUnixMillis(options_.now_ms()), steady);
  if (!trusted_since_.has_value() || set_by != absl::ZeroDuration()) {
    const absl::Duration part = options_.delete_completed_after / kPartUntilTrusted;
    trusted_since_ = steady + std::min<std::chrono::steady_clock::duration>(
                                  absl::ToChronoNanoseconds(part), kMostUntilTrusted);
  }
  return steady >= *trusted_since_;
}

absl::Status RetentionSweeper::DeleteIfDue(const StudyRecord& study) {
  const int64_t age_ms = options_.now_ms() - study.update_ms;
  const bool may_be_due = study.state == StudyState::kCompleted &&
                          age_ms >= absl::ToInt64Milliseconds(options_.delete_completed_after);
  if (!may_be_due) return absl::OkStatus();
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool deleted, Delete(study));
  if (!deleted) return absl::OkStatus();
  ++deleted_;
  forget_(study.id);
  if (options_.on_deletion) options_.on_deletion(study.id);
  return absl::OkStatus();
}

absl::StatusOr<bool> RetentionSweeper::Delete(const StudyRecord& study) {
  const auto answered = std::make_shared<std::promise<absl::Status>>();
  Write<Unit> write;
  write.done = [answered](absl::Status status, std::optional<std::string>) {
    answered->set_value(std::move(status));
  };
  store_.ExpireStudy(StudyRef(study.id, study.key),
                     absl::ToInt64Milliseconds(options_.delete_completed_after), std::move(write));
  const absl::Status status = answered->get_future().get();
  // It is not due yet, or another server was faster.
  if (absl::IsFailedPrecondition(status) || absl::IsNotFound(status)) return false;
  SLIPSTREAM_RETURN_IF_ERROR(status);
  return true;
}

}  // namespace slipstream
