// Converts outcomes and observations between the wire, the core and the store. Pure
// functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_OBSERVATION_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_OBSERVATION_CONVERSION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/space/search_space.h"
#include "core/study/study_view.h"
#include "server/store/records.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// The outcome that Observe and AddTrials get. INVALID_ARGUMENT, an InvalidField with
// a path inside the message, when there is no outcome, the measurement has another
// metric than `metric` alone, a number is not finite or a reason is too long.
absl::StatusOr<TrialOutcome> OutcomeFromProto(absl::string_view metric, const v1::Outcome& proto);

// The number of the study's one metric in `measurement`. An InvalidField on a path
// below `field` when there is another metric, none, or the number is not finite.
absl::StatusOr<double> MetricValue(absl::string_view field, absl::string_view metric,
                                   const v1::Measurement& measurement);

// A source task's observation; errors as above and as ConfigurationFromProto.
// Reasons and other text for people are checked and dropped, as a SourcePoint holds
// only the number.
absl::StatusOr<SourcePoint> SourcePointFromProto(const SearchSpace& space, absl::string_view metric,
                                                 const v1::Observation& proto);

// Converts a point back, to show it.
void SourcePointToProto(const SearchSpace& space, absl::string_view metric,
                        const SourcePoint& point, v1::Observation* proto);

// The core's name for `state`, which must be one of a trial that has ended.
Ending EndingOf(TrialState state);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_OBSERVATION_CONVERSION_H_
