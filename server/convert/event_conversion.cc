#include "server/convert/event_conversion.h"

#include "server/convert/trial_conversion.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

// Kinds are stored as the wire's numbers.
static_assert(static_cast<int>(EventKind::kStudyCreated) == v1::StudyEvent::STUDY_CREATED);
static_assert(static_cast<int>(EventKind::kStudyChanged) == v1::StudyEvent::STUDY_CHANGED);
static_assert(static_cast<int>(EventKind::kStudyDeleted) == v1::StudyEvent::STUDY_DELETED);
static_assert(static_cast<int>(EventKind::kTrialQueued) == v1::StudyEvent::TRIAL_QUEUED);
static_assert(static_cast<int>(EventKind::kTrialLeased) == v1::StudyEvent::TRIAL_LEASED);
static_assert(static_cast<int>(EventKind::kTrialReported) == v1::StudyEvent::TRIAL_REPORTED);
static_assert(static_cast<int>(EventKind::kTrialEnded) == v1::StudyEvent::TRIAL_ENDED);
static_assert(static_cast<int>(EventKind::kTrialStale) == v1::StudyEvent::TRIAL_STALE);
static_assert(static_cast<int>(EventKind::kTrialReleased) == v1::StudyEvent::TRIAL_RELEASED);
static_assert(static_cast<int>(EventKind::kTrialWithdrawn) == v1::StudyEvent::TRIAL_WITHDRAWN);
static_assert(static_cast<int>(EventKind::kIncumbentImproved) ==
              v1::StudyEvent::INCUMBENT_IMPROVED);

}  // namespace

void EventToProto(absl::string_view study_id, const EventRecord& record, v1::StudyEvent* event) {
  event->set_kind(static_cast<v1::StudyEvent::Kind>(record.kind));
  if (!study_id.empty()) {
    event->set_study(NameOfStudy(study_id));
    if (record.number > 0) event->set_trial(NameOfTrial(study_id, record.number));
  }
  *event->mutable_time() = TimestampOf(record.time_ms);
  if (record.kind == EventKind::kStudyChanged) {
    if (record.value) event->set_study_state(static_cast<v1::Study::State>(*record.value));
  } else if (record.value) {
    event->set_value(*record.value);
  }
  if (record.kind == EventKind::kTrialLeased || record.kind == EventKind::kTrialStale) {
    event->set_worker(record.detail);
  }
}

}  // namespace slipstream
