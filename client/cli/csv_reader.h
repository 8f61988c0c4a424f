// Reads CSV as RFC 4180 has it, from a text in memory.
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
  std::string text;  // Without its quotes.
  size_t line = 1;   // Of the text, where the cell begins, from 1.
};

// Used by one thread at a time. Lines may end in LF, CRLF or CR; the last one
// need not. A byte order mark at the start and empty lines are skipped.
class CsvReader {
 public:
  // `text` must outlive the reader.
  explicit CsvReader(absl::string_view text);

  // Fills `record` with the cells of the next record and returns true, or
  // returns false after the last one. INVALID_ARGUMENT "LINE:COLUMN: ..." with
  // line and cell counted from 1: a quote that never ends, a quote inside an
  // unquoted cell, text after a closing quote, UTF-16. After an error the
  // reader is of no more use.
  absl::StatusOr<bool> Next(std::vector<CsvCell>* record);

 private:
  // Reads one cell, without what ends it.
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
