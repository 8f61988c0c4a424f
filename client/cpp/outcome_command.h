// Commands that record a result later, for the messages of errors that would else lose it.
#ifndef SLIPSTREAM_CLIENT_CPP_OUTCOME_COMMAND_H_
#define SLIPSTREAM_CLIENT_CPP_OUTCOME_COMMAND_H_

#include <string>

#include "slipstream/optimization.h"
#include "slipstream/records.h"

namespace slipstream::client_internal {

// Records the trial's outcome on the server at the address, for example
// "slipstream observe digits/7 --value 0.93".
std::string CommandOf(const client::Outcome& outcome, const client::TrialRecord& trial,
                      const std::string& address);

// Adds the trial with its outcome to its study, where it is gone. Empty if nothing was measured.
std::string AddingCommandOf(const client::Outcome& outcome, const client::TrialRecord& trial,
                            const std::string& address);

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_OUTCOME_COMMAND_H_
