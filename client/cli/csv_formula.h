// Spreadsheets run a cell that begins like a formula. What a user chose, for example a
// worker's name, is therefore written to CSV with an apostrophe before it if it does.
#ifndef SLIPSTREAM_CLIENT_CLI_CSV_FORMULA_H_
#define SLIPSTREAM_CLIENT_CLI_CSV_FORMULA_H_

#include <string>

#include "absl/strings/string_view.h"

namespace slipstream::cli {

// `cell` with an apostrophe before it if it begins with =, +, -, @ or white space that
// spreadsheets skip, after any apostrophes, and is no number.
std::string GuardFormula(absl::string_view cell);

// The inverse.
std::string UnguardFormula(absl::string_view cell);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_CSV_FORMULA_H_
