// The trial that a worker's call is about.
#ifndef SLIPSTREAM_SERVER_SERVICE_MEANT_TRIAL_H_
#define SLIPSTREAM_SERVER_SERVICE_MEANT_TRIAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/base/status.h"
#include "server/convert/resource_name.h"
#include "server/convert/trial_conversion.h"
#include "server/service/answering.h"
#include "server/service/executor.h"
#include "server/store/resource_message.h"
#include "server/store/store.h"

namespace slipstream {

struct MeantTrial {
  TrialName name;
  std::optional<int64_t> create_ms;  // When it was created, if the caller says so.
};

// NOT_FOUND if the caller means a trial that was created at another time.
inline absl::Status CheckMeant(const MeantTrial& trial, int64_t create_ms) {
  if (trial.create_ms.value_or(create_ms) == create_ms) return absl::OkStatus();
  return TrialReplaced(trial.name.study_id, trial.name.number);
}

// The trial of this name, which is in `field` of a request that also has the field `create_time`.
// INVALID_ARGUMENT, an InvalidField on one of them.
template <typename Request>
absl::StatusOr<MeantTrial> MeantTrialOf(const Request& request, absl::string_view field,
                                        const std::string& name) {
  MeantTrial trial;
  SLIPSTREAM_ASSIGN_OR_RETURN(trial.name, ParseTrialName(field, name));
  if (request.has_create_time()) {
    SLIPSTREAM_ASSIGN_OR_RETURN(trial.create_ms,
                                MsFromProto("create_time", request.create_time()));
  }
  return trial;
}

// Answers with what is wrong with a request about the trial; where another trial has its name, with
// that: its study may be quite another one.
inline void RefuseMeant(Store* store, Executor* reads, const MeantTrial& trial,
                        absl::Status refusal, const Done& done) {
  if (!trial.create_ms.has_value()) return done(std::move(refusal));
  AnswerOn(reads, done, [=]() -> absl::Status {
    SLIPSTREAM_ASSIGN_OR_RETURN(const TrialRecord record,
                                store->GetTrial(trial.name.study_id, trial.name.number));
    SLIPSTREAM_RETURN_IF_ERROR(CheckMeant(trial, record.create_ms));
    return refusal;
  });
}

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_MEANT_TRIAL_H_
