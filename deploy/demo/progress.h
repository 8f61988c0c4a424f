// The progress of a tuning run, which can be saved and compared with another's.
#ifndef SLIPSTREAM_DEPLOY_DEMO_PROGRESS_H_
#define SLIPSTREAM_DEPLOY_DEMO_PROGRESS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace slipstream {

// The measured errors of one tuning run, in the order of its evaluations.
using Progress = std::vector<double>;

// Writes one line per evaluation: its number, the error, the lowest so far.
absl::Status WriteProgress(const std::string& path, const Progress& progress);

// NOT_FOUND if there is no such file, DATA_LOSS if WriteProgress did not write it.
absl::StatusOr<Progress> ReadProgress(const std::string& path);

// A table of both runs' lowest error after each evaluation, and a sentence that
// says which run was faster. Both must have at least one evaluation.
std::string ComparisonTable(const Progress& without, const Progress& with_source);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_PROGRESS_H_
