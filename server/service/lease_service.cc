#include "server/service/lease_service.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/base/status.h"
#include "server/convert/resource_name.h"
#include "server/convert/text_limits.h"
#include "server/convert/trial_conversion.h"
#include "server/service/call_limits.h"
#include "server/service/meant_study.h"
#include "server/store/resource_message.h"

namespace slipstream {
namespace {

using Records = std::vector<TrialRecord>;

// The study, the worker and the trials that a request names.
template <typename Request>
absl::StatusOr<HeldTrials> HeldTrialsOf(const Request& request) {
  HeldTrials held;
  SLIPSTREAM_ASSIGN_OR_RETURN(held.study, MeantStudyOf(request, "study", request.study()));
  held.worker = request.worker();
  if (request.trials_size() > kMaxTrialsPerCall) {
    return InvalidField("trials", absl::StrCat(request.trials_size(), " trials"),
                        absl::StrCat("at most ", kMaxTrialsPerCall));
  }
  for (int i = 0; i < request.trials_size(); ++i) {
    const std::string field = absl::StrCat("trials[", i, "]");
    SLIPSTREAM_ASSIGN_OR_RETURN(const TrialName name, ParseTrialName(field, request.trials(i)));
    if (name.study_id != held.study.id) {
      return InvalidField(field, request.trials(i), absl::StrCat("a trial of ", request.study()));
    }
    held.numbers.push_back(name.number);
  }
  return held;
}

absl::StatusOr<HeldTrials> TrialsToRelease(const v1::ReleaseTrialsRequest& request) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckRequestId(request.request_id()));
  if (request.worker().empty() && request.trials().empty()) {
    return InvalidField("trials", "empty", "at least one trial, or a worker");
  }
  if (!request.worker().empty()) SLIPSTREAM_RETURN_IF_ERROR(CheckName("worker", request.worker()));
  return HeldTrialsOf(request);
}

void HeldTrialToProto(const HeldTrials& held, const TrialRecord& record,
                      v1::HeartbeatResponse::HeldTrial* trial) {
  trial->set_trial(NameOfTrial(held.study.id, record.number));
  trial->set_state(static_cast<v1::Trial::State>(record.state));
  trial->set_held(record.state == TrialState::kActive && record.worker == held.worker);
  if (trial->held() && record.lease_end_ms) {
    *trial->mutable_lease_end_time() = TimestampOf(*record.lease_end_ms);
  }
}

}  // namespace

void LeaseService::Heartbeat(const v1::HeartbeatRequest* request, v1::HeartbeatResponse* response,
                             Done done) {
  const absl::StatusOr<HeldTrials> held = HeldTrialsOf(*request);
  absl::Status status = held.status();
  if (status.ok()) status = CheckName("worker", request->worker());
  if (!status.ok()) return done(status);
  std::function<absl::Status(const Heartbeats&, v1::HeartbeatResponse*)> convert =
      [held = *held](const Heartbeats& beats, v1::HeartbeatResponse* answer) {
        for (const TrialRecord& record : beats.trials) {
          HeldTrialToProto(held, record, answer->add_trials());
        }
        if (beats.lease_ms > 0) *answer->mutable_lease_duration() = DurationOf(beats.lease_ms);
        *answer->mutable_study_create_time() = TimestampOf(beats.study_create_ms);
        return absl::OkStatus();
      };
  store_.Heartbeat(*held,
                   AnsweringWrite<Heartbeats>({}, response, std::move(convert), std::move(done)));
}

void LeaseService::ReleaseTrials(const v1::ReleaseTrialsRequest* request,
                                 v1::ReleaseTrialsResponse* response, Done done) {
  const absl::StatusOr<HeldTrials> held = TrialsToRelease(*request);
  if (!held.ok()) return done(held.status());
  std::function<absl::Status(const Records&, v1::ReleaseTrialsResponse*)> convert =
      [id = held->study.id](const Records& records,
                            v1::ReleaseTrialsResponse* answer) -> absl::Status {
    for (const TrialRecord& record : records) {
      SLIPSTREAM_RETURN_IF_ERROR(LeasedTrialToProto(id, record, answer->add_trials()));
    }
    return absl::OkStatus();
  };
  store_.ReleaseTrials(*held, AnsweringWrite<Records>(GuardOf("ReleaseTrials", *request), response,
                                                      std::move(convert), std::move(done)));
}

}  // namespace slipstream
