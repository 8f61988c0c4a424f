// Source tasks as tables.
#ifndef SLIPSTREAM_CLIENT_CLI_SOURCE_VIEW_H_
#define SLIPSTREAM_CLIENT_CLI_SOURCE_VIEW_H_

#include <vector>

#include "client/cli/session.h"
#include "slipstream/v1/services.pb.h"
#include "slipstream/v1/source_task.pb.h"

namespace slipstream::cli {

// One row per source task; in files with every column, for people without origins, and with labels
// where some task has one.
Table SourceTasksTable(const std::vector<v1::SourceTask>& tasks, Format format);

// Prints source tasks in the session's format, each with its age in JSON.
void PrintSourceTasks(const std::vector<v1::SourceTask>& tasks, Session& session);

// Prints one source task in the session's format, as a table in full.
void PrintSourceTask(const v1::SourceTask& task, Session& session);

// Prints what came of registering one, and what to do next.
void PrintRegistered(const v1::RegisterSourceTaskResponse& response, bool validate_only,
                     Session& session);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_VIEW_H_
