// Trials as tables.
#ifndef SLIPSTREAM_CLIENT_CLI_TRIAL_VIEW_H_
#define SLIPSTREAM_CLIENT_CLI_TRIAL_VIEW_H_

#include <string>
#include <vector>

#include "client/cli/session.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream::cli {

// "succeeded".
std::string StateText(v1::Trial::State state);

// How the numbers of a table are written; JSON and CSV have them exact always.
enum class Numbers { kRounded, kExact };

// A list in the session's format, with a column for each parameter and metric
// of `study`.
void PrintTrials(const v1::Study& study, const std::vector<v1::Trial>& trials, Numbers numbers,
                 Session& session);

// One trial, likewise, rounded, but one document in JSON.
void PrintTrial(const v1::Study& study, const v1::Trial& trial, Session& session);

// Where a trial came from; as CSV a table of fields and values.
void PrintExplanation(const v1::Explanation& explanation, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TRIAL_VIEW_H_
