#include "client/cli/csv_observations.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "client/cli/status_macros.h"
#include "client/cli/value_text.h"
#include "slipstream/messages/utf8_text.h"

namespace slipstream::cli {
namespace {

constexpr char kOtherEncoding[] = "the text is not UTF-8; save the file in UTF-8";
constexpr char kNone[] = "None";  // The category that Python's None becomes.

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Empty, or what programs write for a result that is no number: nan, inf, -inf.
bool IsMissing(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  double value = 0;
  return text.empty() || (absl::SimpleAtod(text, &value) && !std::isfinite(value));
}

// Quotes a word for a shell where necessary.
std::string InShell(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains("_.-/:", c);
  });
  if (is_plain) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

// Names the format of a file whose cells are not separated by commas; empty if it seems to be CSV.
std::string OtherFormat(absl::string_view text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  if (absl::StartsWith(text, "[") || absl::StartsWith(text, "{")) return "JSON";
  const absl::string_view header = text.substr(0, text.find('\n'));
  if (absl::StrContains(header, ',')) return "";
  if (absl::StrContains(header, ';')) return "a table with semicolons between its cells";
  if (absl::StrContains(header, '\t')) return "a table with tabs between its cells";
  return "";
}

}  // namespace

CsvObservations::CsvObservations(std::string file, std::string text,
                                 const ConfigurationReader* configurations,
                                 CsvColumns columns)
    : file_(std::move(file)),
      text_(std::move(text)),
      configurations_(configurations),
      columns_(std::move(columns)),
      column_of_(configurations->size()),
      values_(configurations->size()) {}

absl::StatusOr<std::unique_ptr<CsvObservations>> CsvObservations::Open(
    std::string file, std::string text, const ConfigurationReader* configurations,
    CsvColumns columns) {
  std::unique_ptr<CsvObservations> table(
      new CsvObservations(std::move(file), std::move(text), configurations, std::move(columns)));
  const std::string other = OtherFormat(table->text_);
  if (!other.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        table->file_, " looks like ", other, "; a table is CSV with commas between its cells"));
  }
  CsvReader reader(table->text_);
  std::vector<CsvCell> header;
  const absl::StatusOr<bool> found = reader.Next(&header);
  if (!found.ok()) return table->InFile(found.status());
  if (!*found) return absl::InvalidArgumentError(absl::StrCat(table->file_, " is empty"));
  RETURN_IF_ERROR(table->ReadHeader(header));
  return table;
}

absl::Status CsvObservations::At(size_t line, size_t column, const std::string& complaint) const {
  const std::string name =
      column <= heads_.size() ? absl::StrCat(" (", heads_[column - 1], ")") : "";
  return absl::InvalidArgumentError(
      absl::StrCat(file_, ":", line, ":", column, name, ": ", complaint));
}

absl::Status CsvObservations::InFile(const absl::Status& status) const {
  return absl::InvalidArgumentError(absl::StrCat(file_, ":", std::string(status.message())));
}

absl::Status CsvObservations::ReadHeader(const std::vector<CsvCell>& header) {
  for (const CsvCell& cell : header) heads_.push_back(cell.text);
  parameters_.resize(header.size());
  if (configurations_->IndexOf(columns_.objective).has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("the objective '", columns_.objective,
                                                   "' is also a parameter of the space"));
  }
  tool_ = ToolOf(heads_);
  if (tool_ != nullptr && IsAmbiguous(tool_->about)) tool_ = nullptr;
  objective_column_ =
      tool_ == nullptr ? columns_.objective : MetricColumn(*tool_, heads_, columns_.objective);
  for (size_t i = 0; i < header.size(); ++i) RETURN_IF_ERROR(AssignColumn(i, header[i]));
  return CheckAllAssigned(header.front());
}

// Whether a column with one of these names may be a parameter's.
bool CsvObservations::IsAmbiguous(const std::vector<std::string>& about) const {
  return std::any_of(about.begin(), about.end(), [&](const std::string& name) {
    return name == columns_.objective || configurations_->IndexOf(name).has_value();
  });
}

std::optional<int> CsvObservations::ParameterOf(const std::string& column) const {
  absl::string_view name = column;
  if (tool_ != nullptr) {
    if (!absl::ConsumePrefix(&name, tool_->prefix) || Contains(tool_->about, column)) return {};
  }
  return configurations_->IndexOf(std::string(name));
}

bool CsvObservations::MaySkip(const std::string& column) const {
  if (Contains(columns_.ignored, column)) return true;
  if (tool_ == nullptr) return false;
  return column == tool_->state || IsAboutRun(*tool_, column) || HasAllParameters();
}

// If one lacks, a column that is none of them may be a misspelt one.
bool CsvObservations::HasAllParameters() const {
  for (int i = 0; i < configurations_->size(); ++i) {
    const std::string column = ColumnName(i);
    if (!Contains(heads_, column) || Contains(tool_->about, column)) return false;
  }
  return true;
}

absl::Status CsvObservations::AssignColumn(size_t column, const CsvCell& cell) {
  const auto same = std::find(heads_.begin(), heads_.begin() + column, cell.text);
  if (same != heads_.begin() + column) {
    return At(cell.line, column + 1,
              absl::StrCat("the column appears twice, first as number ",
                           same - heads_.begin() + 1));
  }
  if (Contains(columns_.ignored, cell.text)) return absl::OkStatus();
  if (cell.text == objective_column_) {
    objective_ = column;
    return absl::OkStatus();
  }
  const std::optional<int> parameter = ParameterOf(cell.text);
  if (!parameter.has_value()) {
    const bool has_state = tool_ != nullptr && !tool_->state.empty();
    if (has_state && cell.text == tool_->state) state_ = column;
    if (MaySkip(cell.text)) {
      const bool is_parameter = tool_ != nullptr && !tool_->prefix.empty() &&
                                absl::StartsWith(cell.text, tool_->prefix);
      if (is_parameter) left_out_.push_back(cell.text);
      return absl::OkStatus();
    }
    if (!client::IsUtf8(cell.text)) return At(cell.line, column + 1, kOtherEncoding);
    const std::string bare(absl::StripAsciiWhitespace(cell.text));
    if (bare != cell.text && (bare == objective_column_ || ParameterOf(bare).has_value())) {
      return At(cell.line, column + 1,
                absl::StrCat("there are spaces around '", bare,
                             "'; take them out, as in a,b instead of a, b"));
    }
    const bool is_table_of_trials = column == 0 && cell.text == "trial";
    return At(cell.line, column + 1,
              absl::StrCat("the column is neither a parameter nor the objective",
                           WhatItMayBe(), "; ", HowToSkip(column),
                           is_table_of_trials
                               ? ", or give --study without a file for the study's own trials"
                               : ""));
  }
  if (column_of_[*parameter].has_value()) {
    return At(cell.line, column + 1,
              absl::StrCat("the parameter has two columns, this one and '",
                           heads_[*column_of_[*parameter]], "'; skip one of them: --ignore ",
                           InShell(cell.text)));
  }
  parameters_[column] = parameter;
  column_of_[*parameter] = column;
  return absl::OkStatus();
}

std::string CsvObservations::ColumnName(int parameter) const {
  return absl::StrCat(tool_ == nullptr ? "" : tool_->prefix,
                      configurations_->parameter(parameter).name());
}

std::string CsvObservations::WhatItMayBe() const {
  std::vector<std::string> lacking;
  for (int i = 0; i < configurations_->size(); ++i) {
    const std::string name = ColumnName(i);
    if (!Contains(heads_, name)) lacking.push_back(absl::StrCat("'", name, "'"));
  }
  if (!Contains(heads_, objective_column_)) {
    lacking.push_back(absl::StrCat("'", objective_column_, "'"));
  }
  if (lacking.empty()) return "";
  return absl::StrCat("; if it is meant to be ", absl::StrJoin(lacking, " or "), ", which ",
                      lacking.size() == 1 ? "has" : "have", " no column, rename it");
}

// All columns from this one on that nothing is known of, as each run would name one only.
std::string CsvObservations::HowToSkip(size_t first) const {
  std::string flags;
  size_t count = 0;
  for (size_t i = first; i < heads_.size(); ++i) {
    const std::string& name = heads_[i];
    if (ParameterOf(name).has_value() || name == objective_column_ || MaySkip(name)) continue;
    absl::StrAppend(&flags, " --ignore ", InShell(name));
    ++count;
  }
  return absl::StrCat(count == 1 ? "to skip it:" : "to skip it and others like it:", flags);
}

absl::Status CsvObservations::CheckAllAssigned(const CsvCell& first) const {
  const auto missing = [&](const std::string& what, const std::string& name,
                           const std::string& remedy = "") {
    return absl::InvalidArgumentError(absl::StrCat(file_, ":", first.line, ": no column for ",
                                                   what, " '", name, "'; the columns are ",
                                                   absl::StrJoin(heads_, ", "), remedy));
  };
  for (int i = 0; i < configurations_->size(); ++i) {
    if (column_of_[i].has_value()) continue;
    return missing("parameter", configurations_->parameter(i).name(), columns_.remedy);
  }
  if (!objective_.has_value()) return missing("the objective", columns_.objective);
  for (const std::string& name : columns_.ignored) {
    if (!Contains(heads_, name)) return missing("--ignore", name);
  }
  return absl::OkStatus();
}

absl::Status CsvObservations::Rewind() {
  reader_.emplace(text_);
  const absl::StatusOr<bool> header = reader_->Next(&row_);
  return header.ok() ? absl::OkStatus() : InFile(header.status());
}

absl::Status CsvObservations::CheckWidth(const std::vector<CsvCell>& row) const {
  if (row.size() == heads_.size()) return absl::OkStatus();
  const size_t column = std::min(row.size(), heads_.size()) + 1;
  const size_t line = column <= row.size() ? row[column - 1].line : row.back().line;
  return At(line, column,
            absl::StrCat("the row has ", row.size(), row.size() == 1 ? " cell" : " cells",
                         ", the header ", heads_.size()));
}

bool CsvObservations::HasFailed() const {
  return state_.has_value() && row_[*state_].text != tool_->succeeded;
}

std::optional<ConfigurationReader::Problem> CsvObservations::ReadConfiguration(
    v1::Observation* observation) {
  while (true) {
    observation->Clear();
    auto problem = configurations_->Read(values_, observation->mutable_configuration());
    if (!problem.has_value() || !IsNone(problem->parameter)) return problem;
    values_[problem->parameter] = kNone;
  }
}

bool CsvObservations::IsNone(int parameter) const {
  if (tool_ == nullptr || HasFailed() || !values_[parameter].value_or("").empty()) return false;
  const auto& categories = configurations_->parameter(parameter).categorical_domain().values();
  return std::find(categories.begin(), categories.end(), kNone) != categories.end();
}

absl::StatusOr<bool> CsvObservations::Next(v1::Observation* observation) {
  while (true) {
    const absl::StatusOr<bool> more = reader_->Next(&row_);
    if (!more.ok()) return InFile(more.status());
    if (!*more) return false;
    RETURN_IF_ERROR(CheckWidth(row_));
    if (state_.has_value() && !IsLearntFrom(*tool_, row_[*state_].text)) continue;
    for (size_t i = 0; i < row_.size(); ++i) {
      if (parameters_[i].has_value()) values_[*parameters_[i]] = row_[i].text;
    }
    const auto problem = ReadConfiguration(observation);
    if (!problem.has_value()) break;
    const size_t column = *column_of_[problem->parameter];
    if (HasFailed() && row_[column].text.empty()) continue;
    return At(row_[column].line, column + 1,
              client::IsUtf8(row_[column].text) ? problem->complaint + columns_.remedy
                                                : kOtherEncoding);
  }
  RETURN_IF_ERROR(ReadOutcome(observation->mutable_outcome()));
  return true;
}

absl::Status CsvObservations::ReadOutcome(v1::Outcome* outcome) const {
  if (HasFailed()) {
    if (columns_.missing_objective == CsvColumns::MissingObjective::kInfeasible ||
        row_[*state_].text == tool_->infeasible) {
      outcome->mutable_infeasibility();
    } else {
      outcome->mutable_failure();
    }
    return absl::OkStatus();
  }
  const CsvCell& cell = row_[*objective_];
  if (IsMissing(cell.text)) {
    switch (columns_.missing_objective) {
      case CsvColumns::MissingObjective::kFailed:
        outcome->mutable_failure();
        return absl::OkStatus();
      case CsvColumns::MissingObjective::kInfeasible:
        outcome->mutable_infeasibility();
        return absl::OkStatus();
      case CsvColumns::MissingObjective::kError:
        return At(cell.line, *objective_ + 1,
                  absl::StrCat("the objective is ",
                               absl::StripAsciiWhitespace(cell.text).empty()
                                   ? "missing"
                                   : absl::StrCat("'", cell.text,
                                                  "', which is not a finite number"),
                               "; say what that means: --missing-objective failed, or infeasible"));
    }
  }
  const absl::StatusOr<double> value = ParseNumber(cell.text);
  if (!value.ok()) {
    return At(cell.line, *objective_ + 1, std::string(value.status().message()));
  }
  (*outcome->mutable_measurement()->mutable_metrics())[columns_.objective] = *value;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CsvObservations::CheckAll() {
  RETURN_IF_ERROR(Rewind());
  int64_t count = 0;
  for (;; ++count) {
    v1::Observation observation;
    ASSIGN_OR_RETURN(const bool more, Next(&observation));
    if (!more) break;
  }
  if (count > 0) return count;
  if (state_.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, " has no row whose ", heads_[*state_], " is ", tool_->succeeded,
                     tool_->failed.empty() ? "" : " or ", tool_->failed));
  }
  return absl::InvalidArgumentError(absl::StrCat(file_, " has a header but no rows"));
}

}  // namespace slipstream::cli
