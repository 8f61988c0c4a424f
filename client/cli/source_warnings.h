// Slips in the source tasks of a study that was just created.
#ifndef SLIPSTREAM_CLIENT_CLI_SOURCE_WARNINGS_H_
#define SLIPSTREAM_CLIENT_CLI_SOURCE_WARNINGS_H_

#include <vector>

#include "client/cli/session.h"
#include "slipstream/messages/client.h"

namespace slipstream::cli {

// Warns of opposite sources, which are a slip more often than not. Names one and counts the others.
void WarnOfOppositeSources(const v1::Study& study, const std::vector<v1::SourceTask>& sources,
                           Session& session);

// Warns of sources in which parameters of the study may have other names, and of those whose best
// result is outside the study's space.
void WarnOfSourcesThatFitInPart(const v1::Study& study,
                                const std::vector<v1::SourceTask>& sources, Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_WARNINGS_H_
