// Tables, for people and as CSV. Widths of text are those of text_width.h.
#ifndef SLIPSTREAM_CLIENT_CLI_TABLE_H_
#define SLIPSTREAM_CLIENT_CLI_TABLE_H_

#include <cstddef>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace slipstream::cli {

enum class Align { kLeft, kRight };

// Of a column whose cells are never truncated, as people copy them or read them to their end.
constexpr size_t kWhole = std::numeric_limits<size_t>::max();

// The width of a column of sentences, which is whole, but broken at spaces where a terminal is too
// narrow for them.
constexpr size_t kSentences = kWhole - 1;

// The width of what is no terminal: no line is broken.
constexpr size_t kEndless = std::numeric_limits<size_t>::max();

struct Column {
  std::string head;
  Align align = Align::kLeft;
  size_t widest = 40;  // Longer cells are truncated, but not in CSV.
};

// Every row has one cell per column.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

// The text with control characters, line ends among them, as spaces, so that it moves no cursor.
// Those that turn the direction of writing around (U+202A to U+202E, U+2066 to U+2069) count as
// control characters, too.
std::string OnOneLine(std::string text);
// The same for messages of several lines, whose line ends stay.
std::string OnItsLines(std::string text);
// The text on one line, of at most `widest` characters: an ellipsis ends what was longer.
std::string Truncated(const std::string& text, size_t widest);
// The text in lines of at most so many columns, unless a word takes more.
std::vector<std::string> BrokenAtSpaces(const std::string& text, size_t width);

// Writes aligned columns, with long cells truncated and line ends and other
// control characters shown as spaces. Where the lines would have more characters than
// `width`, sentences are broken inside of their columns, or below each row if these would be too
// narrow for reading; in a table without sentences empty columns are left out, and those that do
// not fit follow below all rows, after the first column once more. `bold_heads` needs a terminal.
void WriteTable(const Table& table, bool bold_heads, size_t width, std::ostream& out);

// Writes CSV (RFC 4180) with a header and whole cells; see csv_formula.h. Control
// characters other than tabs and line ends are spaces.
void WriteCsv(const Table& table, std::ostream& out);

// Writes lines "name:  value" with aligned, whole values, broken at spaces where the line would
// have more characters than `width`.
struct Field {
  std::string name;
  std::string value;
};
void WriteFields(const std::vector<Field>& fields, size_t width, std::ostream& out);

// The fields that have a value.
std::vector<Field> WithoutEmpty(std::vector<Field> fields);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_TABLE_H_
