#include "client/cli/table.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "client/cli/csv_formula.h"
#include "client/cli/text_width.h"

namespace slipstream::cli {
namespace {

constexpr char kEllipsis[] = "\u2026";
constexpr size_t kBetweenColumns = 2;
// A column of sentences that is narrower is hard to read.
constexpr size_t kNarrowest = 24;
// How far sentences below a row are set in, and their further lines beyond that.
constexpr size_t kIndent = 4;

// Whether two bytes of UTF-8 are one of the control characters from U+0080 to U+009F, with which
// terminals can be told to do things as with an escape.
bool IsSecondControl(char first, char second) {
  return first == '\xC2' && static_cast<unsigned char>(second) < 0xA0;
}

// Whether the UTF-8 text begins with a character that turns the direction of writing around, so
// that a terminal shows the text in another order: U+202A to U+202E, or U+2066 to U+2069.
bool BeginsWithTurn(absl::string_view text) {
  if (text.size() < 3 || text[0] != '\xE2') return false;
  const auto last = static_cast<unsigned char>(text[2]);
  if (text[1] == '\x80') return last >= 0xAA && last <= 0xAE;
  return text[1] == '\x81' && last >= 0xA6 && last <= 0xA9;
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

std::string WithoutTurns(std::string text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (BeginsWithTurn(absl::string_view(text).substr(i))) text.replace(i, 3, " ");
  }
  return text;
}

std::string Padded(const std::string& text, size_t width, Align align) {
  const std::string blank(width - std::min(width, TextWidth(text)), ' ');
  return align == Align::kLeft ? text + blank : blank + text;
}

std::string Bold(const std::string& text, bool bold) {
  return bold ? "\033[1m" + text + "\033[0m" : text;
}

using Line = std::vector<std::string>;

Line Heads(const Table& table) {
  Line heads;
  for (const Column& column : table.columns) heads.push_back(Truncated(column.head, column.widest));
  return heads;
}

std::vector<Line> ShownRows(const Table& table) {
  std::vector<Line> rows;
  rows.reserve(table.rows.size());
  for (const Line& row : table.rows) {
    Line& shown = rows.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      shown.push_back(Truncated(row[i], table.columns[i].widest));
    }
  }
  return rows;
}

std::vector<size_t> Widths(const Line& heads, const std::vector<Line>& rows) {
  std::vector<size_t> widths;
  for (const std::string& head : heads) widths.push_back(TextWidth(head));
  for (const Line& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], TextWidth(row[i]));
    }
  }
  return widths;
}

std::string Aligned(const Table& table, const Line& cells, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(kBetweenColumns, ' ');
    line += Padded(cells[i], widths[i], table.columns[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

bool HasSentences(const Column& column) { return column.widest == kSentences; }

size_t WidthOfLine(const std::vector<size_t>& widths) {
  const size_t gaps = widths.empty() ? 0 : kBetweenColumns * (widths.size() - 1);
  return std::accumulate(widths.begin(), widths.end(), gaps);
}

// Where nothing is broken, no cell is padded for a long sentence in another row.
std::vector<size_t> WithoutSentences(const Table& table, std::vector<size_t> widths) {
  for (size_t i = 0; i < widths.size(); ++i) {
    if (HasSentences(table.columns[i])) widths[i] = std::min(widths[i], kNarrowest);
  }
  return widths;
}

// The widths with what is too wide taken from the columns of sentences, the widest first; nothing
// if these would become too narrow.
std::optional<std::vector<size_t>> Squeezed(const Table& table, std::vector<size_t> widths,
                                            size_t width) {
  for (size_t over = WidthOfLine(widths); over > width; over = WidthOfLine(widths)) {
    size_t widest = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      if (!HasSentences(table.columns[i])) continue;
      if (widest == widths.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == widths.size() || widths[widest] <= kNarrowest) return std::nullopt;
    --widths[widest];
  }
  return widths;
}

// Writes the row on as many lines as its longest cell needs; on one if the width is endless.
void WriteBroken(const Table& table, const Line& row, const std::vector<size_t>& widths,
                 size_t width, std::ostream& out) {
  std::vector<std::vector<std::string>> cells;
  size_t lines = 1;
  for (size_t i = 0; i < row.size(); ++i) {
    const bool breaks = HasSentences(table.columns[i]) && width != kEndless;
    cells.push_back(breaks ? BrokenAtSpaces(row[i], widths[i]) : Line{row[i]});
    lines = std::max(lines, cells.back().size());
  }
  for (size_t k = 0; k < lines; ++k) {
    Line line;
    for (const auto& cell : cells) line.push_back(k < cell.size() ? cell[k] : "");
    out << Aligned(table, line, widths) << '\n';
  }
}

// Writes a text in lines that are set in, the further ones more.
void WriteIndented(const std::string& text, size_t width, std::ostream& out) {
  size_t indent = kIndent;
  for (const std::string& line : BrokenAtSpaces(text, width - std::min(width, 2 * kIndent))) {
    out << std::string(indent, ' ') << line << '\n';
    indent = 2 * kIndent;
  }
}

// The columns that have no sentences, or those that have.
template <typename Cell>
std::vector<Cell> Part(const Table& table, const std::vector<Cell>& cells, bool sentences) {
  std::vector<Cell> part;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (HasSentences(table.columns[i]) == sentences) part.push_back(cells[i]);
  }
  return part;
}

bool HasCells(const Table& table, size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [column](const Line& row) { return !row[column].empty(); });
}

// The columns that are not empty, in blocks that fit into the width. Each begins with the first
// column, which tells what a row is about.
std::vector<std::vector<size_t>> Blocks(const Table& table, const std::vector<size_t>& widths,
                                        size_t width) {
  std::vector<std::vector<size_t>> blocks;
  size_t used = 0;
  for (size_t i = 1; i < widths.size(); ++i) {
    if (!HasCells(table, i)) continue;
    if (blocks.empty() || used + kBetweenColumns + widths[i] > width) {
      blocks.push_back({0});
      used = widths[0];
    }
    blocks.back().push_back(i);
    used += kBetweenColumns + widths[i];
  }
  if (blocks.empty()) blocks.push_back({0});
  return blocks;
}

template <typename Cell>
std::vector<Cell> Chosen(const std::vector<Cell>& cells, const std::vector<size_t>& places) {
  std::vector<Cell> chosen;
  for (size_t place : places) chosen.push_back(cells[place]);
  return chosen;
}

// Writes the columns that fit, then the next ones below all rows, and so on.
void WriteInBlocks(const Table& table, const std::vector<size_t>& widths, bool bold_heads,
                   size_t width, std::ostream& out) {
  std::string between;
  for (const std::vector<size_t>& columns : Blocks(table, widths, width)) {
    Table block;
    block.columns = Chosen(table.columns, columns);
    for (const Line& row : table.rows) block.rows.push_back(Chosen(row, columns));
    out << std::exchange(between, "\n");
    WriteTable(block, bold_heads, kEndless, out);
  }
}

// Writes the table without its sentences, and these below each row.
void WriteStacked(const Table& table, bool bold_heads, size_t width, std::ostream& out) {
  const Line heads = Part(table, Heads(table), true);
  const std::vector<Line> rows = ShownRows(table);
  Table narrow;
  narrow.columns = Part(table, table.columns, false);
  for (const Line& row : rows) narrow.rows.push_back(Part(table, row, false));
  const std::vector<size_t> widths = Widths(Heads(narrow), narrow.rows);
  out << Bold(Aligned(narrow, Heads(narrow), widths), bold_heads) << '\n';
  for (size_t i = 0; i < rows.size(); ++i) {
    out << Aligned(narrow, narrow.rows[i], widths) << '\n';
    const Line sentences = Part(table, rows[i], true);
    for (size_t j = 0; j < sentences.size(); ++j) {
      if (sentences[j].empty()) continue;
      WriteIndented(absl::StrCat(heads[j], ": ", sentences[j]), width, out);
    }
  }
}

// Characters that turn the direction of writing around stay, as they belong to the text in the
// languages that need them, and programs read CSV.
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

std::string OnOneLine(std::string text) {
  return WithoutTurns(WithoutControls(std::move(text), ""));
}

std::string OnItsLines(std::string text) {
  return WithoutTurns(WithoutControls(std::move(text), "\n"));
}

std::vector<std::string> BrokenAtSpaces(const std::string& text, size_t width) {
  if (TextWidth(text) <= width) return {text};
  std::vector<std::string> lines(1);
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  for (const std::string& word : words) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (TextWidth(line) + 1 + TextWidth(word) <= width) {
      absl::StrAppend(&line, " ", word);
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string Truncated(const std::string& text, size_t widest) {
  const std::string line = OnOneLine(text);
  if (TextWidth(line) <= widest) return line;
  return absl::StrCat(BeginningOf(line, widest - 1), kEllipsis);
}

void WriteTable(const Table& table, bool bold_heads, size_t width, std::ostream& out) {
  const Line heads = Heads(table);
  const std::vector<Line> rows = ShownRows(table);
  std::vector<size_t> widths = Widths(heads, rows);
  const bool has_sentences =
      std::any_of(table.columns.begin(), table.columns.end(), HasSentences);
  if (has_sentences && width == kEndless) {
    widths = WithoutSentences(table, std::move(widths));
  } else if (has_sentences) {
    const auto squeezed = Squeezed(table, widths, width);
    if (!squeezed.has_value()) return WriteStacked(table, bold_heads, width, out);
    widths = *squeezed;
  } else if (WidthOfLine(widths) > width && widths.size() > 1 && !rows.empty()) {
    return WriteInBlocks(table, widths, bold_heads, width, out);
  }
  out << Bold(Aligned(table, heads, widths), bold_heads) << '\n';
  for (const Line& row : rows) WriteBroken(table, row, widths, width, out);
}

void WriteCsv(const Table& table, std::ostream& out) {
  Line heads;
  for (const Column& column : table.columns) heads.push_back(column.head);
  WriteCsvLine(heads, out);
  for (const Line& row : table.rows) WriteCsvLine(row, out);
}

void WriteFields(const std::vector<Field>& fields, size_t width, std::ostream& out) {
  size_t names = 0;
  for (const Field& field : fields) names = std::max(names, TextWidth(field.name) + 1);
  const size_t indent = names + kBetweenColumns;
  const bool is_wide = width >= indent + kNarrowest;
  for (const Field& field : fields) {
    std::string before = Padded(field.name + ":", indent, Align::kLeft);
    for (const std::string& line :
         BrokenAtSpaces(OnOneLine(field.value), is_wide ? width - indent : kEndless)) {
      out << before << line << '\n';
      before = std::string(indent, ' ');
    }
  }
}

std::vector<Field> WithoutEmpty(std::vector<Field> fields) {
  fields.erase(std::remove_if(fields.begin(), fields.end(),
                              [](const Field& field) { return field.value.empty(); }),
               fields.end());
  return fields;
}

}  // namespace slipstream::cli
