// A command's session: its server, its terminal and its output format.
#ifndef SLIPSTREAM_CLIENT_CLI_SESSION_H_
#define SLIPSTREAM_CLIENT_CLI_SESSION_H_

#include <cstddef>
#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "client/cli/resource_name.h"
#include "client/cli/table.h"
#include "slipstream/messages/client.h"

namespace slipstream::cli {

enum class Format { kTable, kJson, kCsv };

// A command's input and output. Must outlive the session.
struct Terminal {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool interactive = false;  // Whether there is a person at `in`.
  bool styled = false;       // Whether `out` understands bold type.
  size_t width = kEndless;   // How many characters `out` shows on a line.
};

// Used by one thread.
class Session {
 public:
  // Keeps references to `client` and the terminal's streams.
  Session(Client& client, const Terminal& terminal, Format format, ProjectChoice project = {})
      : client_(client), terminal_(terminal), format_(format), project_(std::move(project)) {}

  Client& client() { return client_; }
  Format format() const { return format_; }
  // The project of names without one.
  const ProjectChoice& project() const { return project_; }

  // Prints a table in the session's format, which must not be JSON. In CSV the rows of a further
  // table belong to the one before: they have no header.
  void Print(const Table& table, bool is_further = false);
  // Makes what was printed visible at once, also in a pipe. DATA_LOSS if it cannot be written in
  // full, as on a full disk; then nothing that is printed later is written either.
  absl::Status Flush();
  // Prints fields and their values for people.
  void Print(const std::vector<Field>& fields);
  // Prints a text as it is.
  void Print(const std::string& text);

  // What these print has no control characters but line ends, as it may hold texts from files.

  // Prints a remark for people; does nothing unless the format is kTable.
  void Remark(const std::string& text);
  // Prints a remark to the error stream.
  void Warn(const std::string& text);

  // Prints to the error stream what to do next, in every format.
  void Advise(const std::string& text);

  // OK if `agreed` or if the person at the terminal agrees. A usage error if
  // there is nobody to ask, CANCELLED if the person does not agree.
  absl::Status Confirm(const std::string& question, bool agreed);

 private:
  Client& client_;
  const Terminal terminal_;
  const Format format_;
  const ProjectChoice project_;
};

// A command with its arguments, ready to run.
using Action = std::function<absl::Status(Session&)>;

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_SESSION_H_
