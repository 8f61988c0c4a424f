// Resource names, in full and as people type them.
#ifndef SLIPSTREAM_CLIENT_CLI_RESOURCE_NAME_H_
#define SLIPSTREAM_CLIENT_CLI_RESOURCE_NAME_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "slipstream/messages/client.h"

namespace slipstream::cli {

// The project that a command is about.
struct ProjectChoice {
  std::string name = {};  // Empty: none was named, "default" is meant; "-": all projects.
  // Whether the command line names it, so that it contradicts names in other projects. What only
  // the environment names is for names without a project.
  bool is_given = false;
};

// "projects/vision", or empty if no project was named. A usage error for all projects.
absl::StatusOr<std::string> ParentOf(const ProjectChoice& project);
// The same for what is listed or watched: "projects/-" for all projects.
std::string ParentsOf(const ProjectChoice& project);

// The project that a full name is in: "vision" for "projects/vision/studies/digits", or "default".
std::string ProjectIn(absl::string_view name);

// The name of what is not there by the message of a server, for example "studies/digits"; empty if
// the message says no such thing.
std::string MissingName(absl::string_view message);

// A usage error if `file` holds something of another project than default, where another one may
// have its name, and the caller did not say which project it is for. `what` it is, such as "a
// study", has that full name.
absl::Status CheckProjectOfImport(absl::string_view file, absl::string_view what,
                                  absl::string_view name, const ProjectChoice& project);

// "studies/digits" for "digits" or "studies/digits", and "projects/vision/studies/digits" for
// "digits" in the project vision or for the full name; a usage error otherwise, and for a full name
// in another project than the given one.
absl::StatusOr<std::string> FullStudyName(const std::string& text, const ProjectChoice& project);

// "studies/digits/trials/3" for "digits/3" or the full name, and likewise in projects; a usage
// error otherwise.
absl::StatusOr<std::string> FullTrialName(const std::string& text, const ProjectChoice& project);

// The study of a trial's full name.
std::string StudyOfTrial(const std::string& trial);

// The full name in the project for its 32 hexadecimal digits, or the first 6 or more of them,
// with or without "sourceTasks/". Asks `client` only if digits are missing:
// NOT_FOUND if no source task has that prefix, INVALID_ARGUMENT if several do. A
// usage error for other texts.
absl::StatusOr<std::string> FullSourceTaskName(Client& client, const std::string& text,
                                               const ProjectChoice& project);

// The names that people type: "digits", "digits/3", the first 12 digits of a
// source task.
std::string ShortStudyName(const std::string& name);
std::string ShortTrialName(const std::string& name);
std::string ShortSourceTaskName(const std::string& name);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_RESOURCE_NAME_H_
