#include "client/cli/csv_reader.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/cli/csv_formula.h"
#include "client/cli/status_macros.h"

namespace slipstream::cli {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

absl::Status At(size_t line, size_t column, absl::string_view complaint) {
  return absl::InvalidArgumentError(absl::StrCat(line, ":", column, ": ", complaint));
}

bool IsUtf16(absl::string_view text) {
  return absl::StartsWith(text, "\xFF\xFE") || absl::StartsWith(text, "\xFE\xFF");
}

}  // namespace

CsvReader::CsvReader(absl::string_view text) : text_(text) {
  if (absl::StartsWith(text_, kByteOrderMark)) position_ = kByteOrderMark.size();
}

bool CsvReader::AtLineEnd() const { return text_[position_] == '\n' || text_[position_] == '\r'; }

void CsvReader::SkipLineEnd() {
  const bool pair = absl::StartsWith(text_.substr(position_), "\r\n");
  position_ += pair ? 2 : 1;
  ++line_;
}

absl::StatusOr<bool> CsvReader::Next(std::vector<CsvCell>* record) {
  record->clear();
  if (IsUtf16(text_)) return At(1, 1, "the file is in UTF-16, must be in UTF-8");
  while (!AtEnd() && AtLineEnd()) SkipLineEnd();
  if (AtEnd()) return false;
  for (;;) {
    record->emplace_back();
    RETURN_IF_ERROR(ReadCell(record->size(), &record->back()));
    record->back().text = UnguardFormula(record->back().text);
    if (AtEnd()) return true;
    if (AtLineEnd()) {
      SkipLineEnd();
      return true;
    }
    ++position_;  // The comma.
  }
}

absl::Status CsvReader::ReadCell(size_t column, CsvCell* cell) {
  cell->line = line_;
  if (!AtEnd() && text_[position_] == '"') return ReadQuoted(column, cell);
  const size_t begin = position_;
  while (!AtEnd() && !AtLineEnd() && text_[position_] != ',') {
    if (text_[position_] == '"') {
      return At(cell->line, column, "a quote inside a cell that does not begin with one");
    }
    ++position_;
  }
  cell->text = std::string(text_.substr(begin, position_ - begin));
  return absl::OkStatus();
}

absl::Status CsvReader::ReadQuoted(size_t column, CsvCell* cell) {
  ++position_;
  for (;; ++position_) {
    if (AtEnd()) return At(cell->line, column, "the quote that begins here never ends");
    if (text_[position_] == '"') {
      const bool doubled = absl::StartsWith(text_.substr(position_), "\"\"");
      if (!doubled) break;
      ++position_;
    }
    const bool ends_line =
        text_[position_] == '\n' ||
        (text_[position_] == '\r' && !absl::StartsWith(text_.substr(position_), "\r\n"));
    if (ends_line) ++line_;
    cell->text.push_back(text_[position_]);
  }
  ++position_;
  if (AtEnd() || AtLineEnd() || text_[position_] == ',') return absl::OkStatus();
  return At(line_, column, "text after the closing quote");
}

}  // namespace slipstream::cli
