// How studies stand, read for showing them.
#ifndef SLIPSTREAM_CLIENT_CLI_STUDY_STANDING_H_
#define SLIPSTREAM_CLIENT_CLI_STUDY_STANDING_H_

#include "absl/status/statusor.h"
#include "client/cli/session.h"
#include "client/cli/study_view.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::cli {

// Reads the study's best trial and counts its trials; the titles of its sources only for tables.
absl::StatusOr<Standing> ReadStanding(const v1::Study& study, Session& session);

// Prints the study that a call has just changed or made. Its answer leaves out what only GetStudy
// tells, so the study is read once more; if that fails, prints what the answer says, and a warning.
void PrintAnswer(const v1::Study& answer, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_STUDY_STANDING_H_
