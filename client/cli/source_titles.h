// Source tasks as people know them: by their titles.
#ifndef SLIPSTREAM_CLIENT_CLI_SOURCE_TITLES_H_
#define SLIPSTREAM_CLIENT_CLI_SOURCE_TITLES_H_

#include <map>
#include <string>
#include <vector>

#include "slipstream/messages/client.h"

namespace slipstream::cli {

// By the source tasks' full names.
using SourceTitles = std::map<std::string, std::string>;

// Asks for the source tasks of these names, one call each, so callers pass those that are shown or
// that a person named. Those that are not there or may not be read are left out; any other failure
// ends the reading, as the next calls would wait for the same.
std::vector<v1::SourceTask> ReadSourceTasks(const std::vector<std::string>& names, Client& client);

// The titles of those that have one.
SourceTitles TitlesOf(const std::vector<v1::SourceTask>& tasks);

// The titles of the source tasks of these names, read as above.
SourceTitles ReadSourceTitles(const std::vector<std::string>& names, Client& client);

// "SVM on digits (497da28ad75f)"; the first digits alone if `titles` lacks the source task.
std::string SourceText(const std::string& name, const SourceTitles& titles);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_TITLES_H_
