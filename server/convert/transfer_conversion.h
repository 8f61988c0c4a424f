// Whether source tasks help a study, read from the provenances of its suggestions.
#ifndef SLIPSTREAM_SERVER_CONVERT_TRANSFER_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_TRANSFER_CONVERSION_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/records.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// For a study that cannot use source tasks, whatever its trials say: its recipe makes no use of
// those that it has, or uses source tasks and it has none. The default preset is made for both.
std::optional<v1::TransferSummary> UnusedTransfer(const v1::Study& study);

// The summary of the latest of these provenances, which stand in the order of their trials, that
// weighs a model with sources and one without; with `shares`, those of all of them. Without any it
// has no state, unless there is a reason why the sources are not used: UNKNOWN then.
// DATA_LOSS where a provenance is damaged.
absl::StatusOr<v1::TransferSummary> TransferSummaryOf(
    const v1::Algorithm& algorithm, const std::vector<TrialProvenance>& provenances,
    bool with_shares);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_TRANSFER_CONVERSION_H_
