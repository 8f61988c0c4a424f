// Reads CSV according to RFC 4180 from a text in memory.
#ifndef SLIPSTREAM_CLIENT_CLI_CSV_READER_H_
#define SLIPSTREAM_CLIENT_CLI_CSV_READER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream::cli {

struct CsvCell {
  std::string text;  // Without its quotes, and without the guard of csv_formula.h.
  size_t line = 1;   // The line on which the cell begins, counted from 1.
};

// Used by one thread at a time. Lines end with LF, CRLF or CR, the last one
// optionally. A byte order mark at the start and empty lines are skipped.
class CsvReader {
 public:
  // `text` must outlive the reader.
  explicit CsvReader(absl::string_view text);

  // Fills `record` with the cells of the next record and returns true, or
  // returns false after the last one. INVALID_ARGUMENT "LINE:COLUMN: ..." with
  // line and cell counted from 1, for a quote that is never closed, a quote
  // inside an unquoted cell, text after a closing quote, and UTF-16. The reader
  // cannot be used after an error.
  absl::StatusOr<bool> Next(std::vector<CsvCell>* record);

 private:
  // Reads one cell up to the comma or line end that follows.
  absl::Status ReadCell(size_t column, CsvCell* cell);
  absl::Status ReadQuoted(size_t column, CsvCell* cell);
  bool AtEnd() const { return position_ == text_.size(); }
  bool AtLineEnd() const;
  void SkipLineEnd();

  const absl::string_view text_;
  size_t position_ = 0;
  size_t line_ = 1;
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_CSV_READER_H_
