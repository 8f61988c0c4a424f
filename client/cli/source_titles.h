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

// Asks for the titles of `names`, one call each, so callers pass few. What has no title, or cannot
// be read, is left out.
SourceTitles ReadSourceTitles(const std::vector<std::string>& names, Client& client);

// "SVM on digits (497da28ad75f)"; the first digits alone if `titles` lacks the source task.
std::string SourceText(const std::string& name, const SourceTitles& titles);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SOURCE_TITLES_H_
