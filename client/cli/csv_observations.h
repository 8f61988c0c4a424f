// Reads observations from a CSV table and checks every cell against a space.
#ifndef SLIPSTREAM_CLIENT_CLI_CSV_OBSERVATIONS_H_
#define SLIPSTREAM_CLIENT_CLI_CSV_OBSERVATIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/configuration_reader.h"
#include "client/cli/csv_reader.h"
#include "client/cli/other_tools.h"
#include "slipstream/messages/observation_reader.h"

namespace slipstream::cli {

// The meaning of a table's columns.
struct CsvColumns {
  // How an observation with an empty cell for the objective is read.
  enum class MissingObjective { kError, kFailed, kInfeasible };

  std::string objective;             // The objective's column and its metric's name.
  std::vector<std::string> ignored;  // Columns to skip.
  MissingObjective missing_objective = MissingObjective::kError;
  // What to do about a table that does not fit the space, to be said after what does not fit.
  std::string remedy = {};
};

// Keeps the text in memory, but only one observation at a time. Errors are
// INVALID_ARGUMENT and begin with "FILE:LINE:COLUMN (name): ", where LINE is the
// line on which the cell begins and COLUMN the cell's number in its row, both
// counted from 1.
class CsvObservations final : public ObservationReader {
 public:
  // `file` is for messages; `configurations` must outlive the result. Every
  // parameter must have a column, and every column must be a parameter, the
  // objective or ignored, none of them twice. In a table of another tool
  // (other_tools.h) columns and states have its names. Skipped are what is about its
  // runs, parameters that the space does not have, runs that have neither a result
  // nor failed, and those that failed before they had a configuration.
  static absl::StatusOr<std::unique_ptr<CsvObservations>> Open(
      std::string file, std::string text, const ConfigurationReader* configurations,
      CsvColumns columns);

  // Columns of another tool's parameters that the space does not have.
  const std::vector<std::string>& left_out() const { return left_out_; }

  // Reads all rows and returns their number, at least one, or the error of the
  // first bad one.
  absl::StatusOr<int64_t> CheckAll();

  absl::Status Rewind() override;
  absl::StatusOr<bool> Next(v1::Observation* observation) override;

 private:
  CsvObservations(std::string file, std::string text, const ConfigurationReader* configurations,
                  CsvColumns columns);

  absl::Status ReadHeader(const std::vector<CsvCell>& header);
  absl::Status AssignColumn(size_t column, const CsvCell& cell);
  bool IsAmbiguous(const std::vector<std::string>& about) const;
  // The parameter whose values a column has.
  std::optional<int> ParameterOf(const std::string& column) const;
  // Whether a column that is neither a parameter's nor the objective's needs no mention.
  bool MaySkip(const std::string& column) const;
  bool HasAllParameters() const;
  std::string HowToSkip(size_t first) const;
  // "; if it is meant to be 'lr', which has no column, rename it", or empty.
  std::string WhatItMayBe() const;
  std::string ColumnName(int parameter) const;
  absl::Status CheckAllAssigned(const CsvCell& first) const;
  absl::Status CheckWidth(const std::vector<CsvCell>& row) const;
  // Whether the row is a run that failed, by another tool's state.
  bool HasFailed() const;
  std::optional<ConfigurationReader::Problem> ReadConfiguration(v1::Observation* observation);
  // Whether the missing value of an active parameter is None, for which data frames have a missing
  // cell, too.
  bool IsNone(int parameter) const;
  absl::Status ReadOutcome(v1::Outcome* outcome) const;
  absl::Status At(size_t line, size_t column, const std::string& complaint) const;
  absl::Status InFile(const absl::Status& status) const;

  std::string file_;
  std::string text_;
  const ConfigurationReader* configurations_;
  CsvColumns columns_;
  std::optional<CsvReader> reader_;               // Between rows of text_; absent before Rewind.
  std::vector<std::string> heads_;                // Column names.
  std::vector<std::optional<int>> parameters_;    // By column.
  std::vector<std::optional<size_t>> column_of_;  // By parameter.
  std::optional<size_t> objective_;
  const OtherTool* tool_ = nullptr;  // That wrote the table; null for none that is known.
  std::string objective_column_;
  std::optional<size_t> state_;
  std::vector<std::string> left_out_;
  std::vector<CsvCell> row_;                        // Reused from row to row.
  std::vector<std::optional<std::string>> values_;  // By parameter; also reused.
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_CSV_OBSERVATIONS_H_
