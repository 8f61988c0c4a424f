// Converts trials and provenance between the wire, the core and the store. Pure
// functions.
#ifndef SLIPSTREAM_SERVER_CONVERT_TRIAL_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_TRIAL_CONVERSION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/space/search_space.h"
#include "core/study/suggestion.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"
#include "server/store/records.h"
#include "slipstream/v1/services.pb.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// The last second of the year 9999, since 1970: protobuf's timestamps end there.
inline constexpr int64_t kMostTimeSeconds = 253402300799;

google::protobuf::Timestamp TimestampOf(int64_t ms);
// An InvalidField on `field` unless it is a time from 1970 to 9999.
absl::StatusOr<int64_t> MsFromProto(absl::string_view field,
                                    const google::protobuf::Timestamp& time);
// What messages say of a time or duration: "1.5 s".
std::string SecondsText(int64_t seconds, int32_t nanos);
google::protobuf::Duration DurationOf(int64_t ms);  // `ms` is not negative.

// An upper bound on the wire size of a trial as Suggest leases it: without an
// outcome, labels and note.
size_t MostTrialBytes(const SearchSpace& space);

// `trial` must be empty. DATA_LOSS, naming the trial, when the record cannot be
// parsed.
absl::Status TrialToProto(absl::string_view study_id, const TrialRecord& record, v1::Trial* trial);
// The same without the configuration.
absl::Status TrialOutlineToProto(absl::string_view study_id, const TrialRecord& record,
                                 v1::Trial* trial);

// The same with the configuration, but without labels and note: what a worker gets.
absl::Status LeasedTrialToProto(absl::string_view study_id, const TrialRecord& record,
                                v1::Trial* trial);
// The answer to Suggest: the trials by number.
absl::Status LeasedTrialsToProto(absl::string_view study_id,
                                 const std::vector<TrialRecord>& records,
                                 v1::SuggestResponse* response);

// Where a worker runs. An InvalidField on "process..." if it is out of its bounds.
absl::StatusOr<WorkerProcess> WorkerProcessFromProto(const v1::WorkerProcess& process);

// Encodes the labels of `trial` for the store.
std::string LabelBytes(const v1::Trial& trial);

// INVALID_ARGUMENT, an InvalidField on `field`, for a number that is no state.
absl::StatusOr<TrialState> TrialStateFromProto(absl::string_view field, v1::Trial::State state);

// A suggestion as a trial to be leased; `version` is the server's.
NewTrial SuggestedTrial(const SearchSpace& space, const Suggestion& suggestion,
                        absl::string_view version);

// A trial that a person adds. Errors as ConfigurationFromProto and OutcomeFromProto with
// "configuration." and "outcome." before the path; on a space with candidates
// the configuration must be one of them.
absl::StatusOr<NewTrial> AddedTrial(const SearchSpace& space, absl::string_view metric,
                                    const v1::Observation& observation);

// The stored provenance, which may be empty, of trial `number`. DATA_LOSS when it cannot be read.
absl::StatusOr<v1::Provenance> StoredProvenance(int64_t number, const std::string& provenance);

// The notes in the stored provenance, which may be empty, of trial `number`.
// DATA_LOSS when it cannot be read.
absl::StatusOr<Notes> StoredNotes(int64_t number, const std::string& provenance);

// The configuration of a stored trial. DATA_LOSS when it cannot be read.
absl::StatusOr<Configuration> StoredConfiguration(const SearchSpace& space,
                                                  const TrialRecord& record);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_TRIAL_CONVERSION_H_
