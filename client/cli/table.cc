#include "client/cli/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "client/cli/csv_formula.h"

namespace slipstream::cli {
namespace {

constexpr char kEllipsis[] = "\u2026";

bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

size_t CharacterCount(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), BeginsCharacter));
}

std::string FirstCharacters(const std::string& text, size_t count) {
  size_t seen = 0;
  size_t end = 0;
  while (end < text.size() && (!BeginsCharacter(text[end]) || seen++ < count)) ++end;
  return text.substr(0, end);
}

// Whether two bytes of UTF-8 are one of the control characters from U+0080 to U+009F, with which
// terminals can be told to do things as with an escape.
bool IsSecondControl(char first, char second) {
  return first == '\xC2' && static_cast<unsigned char>(second) < 0xA0;
}

// Replaces control characters but those that `keeps` has.
std::string WithoutControls(std::string text, absl::string_view keeps) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 || byte == 0x7F) && !absl::StrContains(keeps, text[i])) text[i] = ' ';
    if (i + 1 < text.size() && IsSecondControl(text[i], text[i + 1])) text.replace(i, 2, " ");
  }
  return text;
}

std::string Shown(const std::string& cell, size_t widest) {
  const std::string text = OnOneLine(cell);
  if (CharacterCount(text) <= widest) return text;
  return FirstCharacters(text, widest - 1) + kEllipsis;
}

std::string Padded(const std::string& text, size_t width, Align align) {
  const std::string blank(width - std::min(width, CharacterCount(text)), ' ');
  return align == Align::kLeft ? text + blank : blank + text;
}

using Line = std::vector<std::string>;

Line Heads(const Table& table) {
  Line heads;
  for (const Column& column : table.columns) heads.push_back(Shown(column.head, column.widest));
  return heads;
}

std::vector<Line> ShownRows(const Table& table) {
  std::vector<Line> rows;
  rows.reserve(table.rows.size());
  for (const Line& row : table.rows) {
    Line& shown = rows.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      shown.push_back(Shown(row[i], table.columns[i].widest));
    }
  }
  return rows;
}

std::vector<size_t> Widths(const Line& heads, const std::vector<Line>& rows) {
  std::vector<size_t> widths;
  for (const std::string& head : heads) widths.push_back(CharacterCount(head));
  for (const Line& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], CharacterCount(row[i]));
    }
  }
  return widths;
}

std::string Aligned(const Table& table, const Line& cells, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += Padded(cells[i], widths[i], table.columns[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string CsvText(const std::string& value) {
  const std::string cell = GuardFormula(WithoutControls(value, "\n\r\t"));
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char character : cell) {
    if (character == '"') quoted.push_back('"');
    quoted.push_back(character);
  }
  return quoted + "\"";
}

void WriteCsvLine(const Line& cells, std::ostream& out) {
  for (size_t i = 0; i < cells.size(); ++i) out << (i > 0 ? "," : "") << CsvText(cells[i]);
  out << "\r\n";
}

}  // namespace

std::string OnOneLine(std::string text) { return WithoutControls(std::move(text), ""); }

void WriteTable(const Table& table, bool bold_heads, std::ostream& out) {
  const Line heads = Heads(table);
  const std::vector<Line> rows = ShownRows(table);
  const std::vector<size_t> widths = Widths(heads, rows);
  const std::string head = Aligned(table, heads, widths);
  out << (bold_heads ? "\033[1m" + head + "\033[0m" : head) << '\n';
  for (const Line& row : rows) out << Aligned(table, row, widths) << '\n';
}

void WriteCsv(const Table& table, std::ostream& out) {
  Line heads;
  for (const Column& column : table.columns) heads.push_back(column.head);
  WriteCsvLine(heads, out);
  for (const Line& row : table.rows) WriteCsvLine(row, out);
}

void WriteFields(const std::vector<Field>& fields, std::ostream& out) {
  size_t width = 0;
  for (const Field& field : fields) width = std::max(width, CharacterCount(field.name));
  for (const Field& field : fields) {
    out << Padded(field.name + ":", width + 1, Align::kLeft) << "  " << OnOneLine(field.value)
        << '\n';
  }
}

std::vector<Field> WithoutEmpty(std::vector<Field> fields) {
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const Field& field) { return field.value.empty(); }),
               fields.end());
  return fields;
}

}  // namespace slipstream::cli
