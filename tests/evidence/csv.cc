#include "tests/evidence/csv.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "tests/testing/places.h"

namespace slipstream::evidence {

std::string TablePath(absl::string_view name) {
  return RepositoryPath(absl::StrCat("tests/evidence/tables/", name, ".csv"));
}

absl::StatusOr<CsvTable> CsvTable::Read(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat(path, " is absent"));
  CsvTable table;
  table.path_ = path;
  std::string line;
  while (std::getline(file, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::vector<std::string> fields = absl::StrSplit(line, ',');
    if (table.header_.empty()) {
      table.header_ = std::move(fields);
    } else if (fields.size() == table.header_.size()) {
      table.rows_.push_back(std::move(fields));
    } else {
      return absl::DataLossError(absl::StrCat(path, ":", table.rows_.size() + 2, " has ",
                                              fields.size(), " fields, but the header ",
                                              table.header_.size()));
    }
  }
  return table;
}

size_t CsvTable::IndexOf(absl::string_view column) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  return static_cast<size_t>(found - header_.begin());
}

bool CsvTable::HasColumn(absl::string_view column) const {
  return IndexOf(column) < header_.size();
}

absl::StatusOr<std::string> CsvTable::Text(size_t row, absl::string_view column) const {
  const size_t index = IndexOf(column);
  if (index < header_.size()) return rows_[row][index];
  return absl::DataLossError(absl::StrCat(path_, " has no column ", column));
}

absl::StatusOr<double> CsvTable::Number(size_t row, absl::string_view column) const {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string text, Text(row, column));
  double number = 0;
  if (absl::SimpleAtod(text, &number)) return number;
  return absl::DataLossError(
      absl::StrCat(path_, ":", row + 2, " ", column, " is not a number: ", text));
}

absl::StatusOr<int64_t> CsvTable::Integer(size_t row, absl::string_view column) const {
  SLIPSTREAM_ASSIGN_OR_RETURN(const std::string text, Text(row, column));
  int64_t number = 0;
  if (absl::SimpleAtoi(text, &number)) return number;
  return absl::DataLossError(
      absl::StrCat(path_, ":", row + 2, " ", column, " is not a whole number: ", text));
}

absl::StatusOr<std::vector<double>> CsvTable::Numbers(absl::string_view column) const {
  std::vector<double> numbers;
  for (size_t row = 0; row < rows(); ++row) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const double number, Number(row, column));
    numbers.push_back(number);
  }
  return numbers;
}

bool CsvTable::Matches(size_t row, absl::string_view column, absl::string_view text) const {
  const size_t index = IndexOf(column);
  return index < header_.size() && rows_[row][index] == text;
}

std::string CsvField(absl::string_view text) {
  const bool plain = std::none_of(text.begin(), text.end(), [](char character) {
    return character == ',' || character == '"' || character == '\n' || character == '\r';
  });
  if (plain) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

absl::Status WriteWholeFile(const std::string& path, absl::string_view text) {
  const std::string part = absl::StrCat(path, ".part-", getpid());
  std::ofstream file(part, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", part));
  std::error_code error;
  std::filesystem::rename(part, path, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", error.message()));
}

}  // namespace slipstream::evidence
