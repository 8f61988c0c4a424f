#include "client/cli/session.h"

#include <cerrno>
#include <sstream>
#include <string>

#include "absl/strings/ascii.h"
#include "client/cli/usage_error.h"

namespace slipstream::cli {

void Session::Print(const Table& table, bool is_further) {
  if (format_ != Format::kCsv) {
    return WriteTable(table, terminal_.styled, terminal_.width, terminal_.out);
  }
  std::ostringstream text;
  WriteCsv(table, text);
  terminal_.out << text.str().substr(is_further ? text.str().find('\n') + 1 : 0);
}

void Session::Print(const std::vector<Field>& fields) {
  WriteFields(fields, terminal_.width, terminal_.out);
}

absl::Status Session::Flush() {
  const bool has_failed_before = terminal_.out.fail();  // For a reason that is not known any more.
  errno = 0;
  if (terminal_.out.flush()) return absl::OkStatus();
  const std::string complaint = "the result could not be written out in full";
  if (has_failed_before || errno == 0) return absl::DataLossError(complaint);
  return absl::DataLossError(absl::ErrnoToStatus(errno, complaint).message());
}

void Session::Print(const std::string& text) { terminal_.out << text; }

void Session::Remark(const std::string& text) {
  if (format_ == Format::kTable) terminal_.out << OnItsLines(text) << '\n';
}

void Session::Warn(const std::string& text) {
  terminal_.err << "slipstream: " << OnItsLines(text) << '\n';
}

void Session::Advise(const std::string& text) {
  terminal_.err << OnItsLines(text) << std::endl;
}

absl::Status Session::Confirm(const std::string& question, bool agreed) {
  if (agreed) return absl::OkStatus();
  if (!terminal_.interactive) {
    return UsageError("there is no terminal to ask on: give --yes to confirm");
  }
  terminal_.err << OnItsLines(question) << " [y/N] " << std::flush;
  std::string answer;
  std::getline(terminal_.in, answer);
  const std::string word = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
  if (word == "y" || word == "yes") return absl::OkStatus();
  return absl::CancelledError("nothing was done");
}

}  // namespace slipstream::cli
