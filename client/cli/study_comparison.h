// The command that compares studies.
#ifndef SLIPSTREAM_CLIENT_CLI_STUDY_COMPARISON_H_
#define SLIPSTREAM_CLIENT_CLI_STUDY_COMPARISON_H_

#include <CLI/CLI.hpp>

#include "client/cli/session.h"

namespace slipstream::cli {

// Adds "study compare" to the group of study commands.
void AddStudyComparison(CLI::App* group, Action* chosen);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_STUDY_COMPARISON_H_
