// Reads plain files of comma-separated values and writes any.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_CSV_H_
#define SLIPSTREAM_TESTS_EVIDENCE_CSV_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream::evidence {

// The path of a table that the repository keeps, such as "bohachevsky".
std::string TablePath(absl::string_view name);

// A file with a header line and without quoted fields.
class CsvTable {
 public:
  // NOT_FOUND if there is no such file; DATA_LOSS if a line has more or fewer fields
  // than the header.
  static absl::StatusOr<CsvTable> Read(const std::string& path);

  size_t rows() const { return rows_.size(); }
  bool HasColumn(absl::string_view column) const;
  // DATA_LOSS if there is no such column or the field is not such a number.
  absl::StatusOr<std::string> Text(size_t row, absl::string_view column) const;
  absl::StatusOr<double> Number(size_t row, absl::string_view column) const;
  absl::StatusOr<int64_t> Integer(size_t row, absl::string_view column) const;
  // Those of all rows.
  absl::StatusOr<std::vector<double>> Numbers(absl::string_view column) const;

  // Whether the field is `text`; false if there is no such column.
  bool Matches(size_t row, absl::string_view column, absl::string_view text) const;

 private:
  size_t IndexOf(absl::string_view column) const;

  std::string path_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` as one field, in quotes if it needs them.
std::string CsvField(absl::string_view text);

// Writes a file atomically: it is either complete or absent. UNAVAILABLE if it cannot
// be written.
absl::Status WriteWholeFile(const std::string& path, absl::string_view text);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_CSV_H_
