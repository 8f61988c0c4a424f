// Outcomes and observations between the wire, the core and the store.
#ifndef SLIPSTREAM_SERVER_CONVERT_OBSERVATION_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_OBSERVATION_CONVERSION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"
#include "server/store/records.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// What Observe and AddTrials take. INVALID_ARGUMENT, an InvalidField with a
// path inside the message, when there is no outcome, the measurement is not
// exactly of `metric`, a number is not finite or a reason is too long.
absl::StatusOr<TrialOutcome> OutcomeFromProto(absl::string_view metric, const v1::Outcome& proto);

// A source task's observation; errors as above and of ConfigurationFromProto.
// Reasons and the measurements of stopped trials' last moments are for people
// and are checked, but a SourcePoint has only the number.
absl::StatusOr<SourcePoint> SourcePointFromProto(const SearchSpace& space,
                                                 absl::string_view metric,
                                                 const v1::Observation& proto);

// The opposite, for showing a point.
void SourcePointToProto(const SearchSpace& space, absl::string_view metric,
                        const SourcePoint& point, v1::Observation* proto);

// How the core calls the end of a trial in `state`, which must have ended.
Ending EndingOf(TrialState state);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_OBSERVATION_CONVERSION_H_
