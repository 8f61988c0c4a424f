#include "client/cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "client/cli/csv_reader.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Shown(const Table& table, bool bold = false, size_t width = kEndless) {
  std::ostringstream out;
  WriteTable(table, bold, width, out);
  return out.str();
}

std::string Csv(const Table& table) {
  std::ostringstream out;
  WriteCsv(table, out);
  return out.str();
}

TEST(Table, AlignsTextLeftAndNumbersRight) {
  const Table table = {{{"study"}, {"trials", Align::kRight}, {"title"}},
                       {{"digits", "7", "x"}, {"a", "1200", ""}}};
  EXPECT_EQ(Shown(table),
            "study   trials  title\n"
            "digits       7  x\n"
            "a         1200\n");
}

TEST(Table, CountsCharactersAndNotBytes) {
  const Table table = {{{"name"}, {"n", Align::kRight}}, {{"Größe", "1"}, {"abcde", "2"}}};
  EXPECT_EQ(Shown(table), "name   n\nGröße  1\nabcde  2\n");
}

TEST(Table, CountsTwoColumnsForAWideCharacter) {
  const Table table = {{{"name", Align::kLeft, 5}, {"n"}}, {{"日本", "1"}, {"日本語", "2"}}};
  EXPECT_EQ(Shown(table), "name   n\n日本   1\n日本…  2\n");
}

TEST(Table, TruncatesLongCellsBetweenCharacters) {
  std::string wide;
  for (int i = 0; i < 41; ++i) wide += "ü";
  const std::string shown = Shown({{{"x"}}, {{wide}}});
  std::string cut;
  for (int i = 0; i < 39; ++i) cut += "ü";
  EXPECT_EQ(shown, "x\n" + cut + "…\n");
  EXPECT_THAT(Shown({{{"x"}}, {{std::string(40, 'y')}}}), HasSubstr(std::string(40, 'y')));
}

TEST(Table, LetsAColumnBeWider) {
  EXPECT_EQ(Shown({{{"x", Align::kLeft, 60}}, {{std::string(60, 'y')}}}),
            "x\n" + std::string(60, 'y') + "\n");
}

TEST(Table, HasColumnsThatDoNotFitBelowTheOthers) {
  const Table table = {{{"trial"}, {"state"}, {"lr", Align::kRight}, {"loss", Align::kRight}},
                       {{"a/1", "active", "0.1", ""}, {"a/2", "failed", "0.25", "3"}}};
  const std::string in_one =
      "trial  state     lr  loss\n"
      "a/1    active   0.1\n"
      "a/2    failed  0.25     3\n";
  EXPECT_EQ(Shown(table, false, 25), in_one);
  const std::string in_two =
      "trial  state     lr\n"
      "a/1    active   0.1\n"
      "a/2    failed  0.25\n"
      "\n"
      "trial  loss\n"
      "a/1\n"
      "a/2       3\n";
  EXPECT_EQ(Shown(table, false, 24), in_two);
  EXPECT_EQ(Shown(table, false, 19), in_two);
  // Too narrow for any two columns.
  for (const size_t width : {size_t{0}, size_t{10}}) {
    EXPECT_EQ(Shown(table, false, width),
              "trial  state\na/1    active\na/2    failed\n\n"
              "trial    lr\na/1     0.1\na/2    0.25\n\n"
              "trial  loss\na/1\na/2       3\n");
  }
  EXPECT_EQ(Shown({{{"x"}}, {{"wide"}}}, false, 2), "x\nwide\n");
  // Empty columns go first.
  Table sparse = table;
  for (auto& row : sparse.rows) row[1].clear();
  EXPECT_EQ(Shown(sparse, false, 19),
            "trial    lr  loss\n"
            "a/1     0.1\n"
            "a/2    0.25     3\n");
  EXPECT_EQ(Shown({{{"x"}, {"title"}}, {{"wide", ""}}}, false, 6), "x\nwide\n");
  EXPECT_EQ(Shown({table.columns, {}}, false, 10), "trial  state  lr  loss\n");
}

TEST(Table, LeavesAColumnWholeThatPeopleCopyFrom) {
  EXPECT_EQ(Shown({{{"x", Align::kLeft, kWhole}}, {{std::string(500, 'y')}}}),
            "x\n" + std::string(500, 'y') + "\n");
}

TEST(Table, ShowsControlCharactersAsSpaces) {
  EXPECT_EQ(Shown({{{"x"}}, {{"a\nb\033[2Jc"}}}), "x\na b [2Jc\n");
  // Those of two bytes, too; other letters of two bytes stay.
  EXPECT_EQ(Shown({{{"x"}}, {{"w\xC2\x9B"
                            "31mX\xC2\xB5"}}}),
            "x\nw 31mX\xC2\xB5\n");
  EXPECT_EQ(Csv({{{"x"}}, {{"w\xC2\x9B"
                          "31m\tX"}}}),
            "x\r\nw 31m\tX\r\n");
}

TEST(Table, ShowsTextInTheOrderInWhichItIsWritten) {
  EXPECT_EQ(OnOneLine("a\u202Ab\u202Ec\u2066d\u2069e"), "a b c d e");
  EXPECT_EQ(OnOneLine("a\u2029b\u202Fc\u2065d\u206Ae"), "a\u2029b\u202Fc\u2065d\u206Ae");
  EXPECT_EQ(OnOneLine("a\xE2\x80"), "a\xE2\x80");
}

TEST(Table, LeavesMessagesTheirLinesOnly) {
  EXPECT_EQ(OnItsLines("a\nb\r\033[2J\tc\u202E"), "a\nb  [2J c ");
}

TEST(Table, HasBoldHeadsOnly) {
  EXPECT_EQ(Shown({{{"x"}}, {{"1"}}}, true), "\033[1mx\033[0m\n1\n");
  EXPECT_THAT(Shown({{{"x"}}, {{"1"}}}), Not(HasSubstr("\033")));
}

TEST(Table, ShowsItsHeadsWithoutRows) { EXPECT_EQ(Shown({{{"a"}, {"b"}}, {}}), "a  b\n"); }

TEST(Csv, QuotesOnlyCellsThatNeedIt) {
  EXPECT_EQ(Csv({{{"a"}, {"b,c"}}, {{"plain", "say \"hi\""}, {"two\nlines", ""}}}),
            "a,\"b,c\"\r\nplain,\"say \"\"hi\"\"\"\r\n\"two\nlines\",\r\n");
}

TEST(Csv, PassesNoFormulaAndNoEscapeOn) {
  EXPECT_EQ(Csv({{{"worker"}, {"value"}}, {{"=cmd|'x'", "-1.5"}, {"\033[2Jw", "1"}}}),
            "worker,value\r\n'=cmd|'x',-1.5\r\n [2Jw,1\r\n");
}

TEST(Csv, KeepsWhatTurnsTheDirectionOfWriting) {
  EXPECT_EQ(Csv({{{"a\u2067b"}}, {{"c\u202Bd"}}}), "a\u2067b\r\nc\u202Bd\r\n");
}

TEST(Csv, IsReadBackExactly) {
  const std::string nasty = "=" + std::string(100, 'x') + ",\"\r\n\t" + "ü";
  const std::string text = Csv({{{"h"}}, {{nasty}}});
  CsvReader reader(text);
  std::vector<CsvCell> record;
  ASSERT_TRUE(reader.Next(&record).value());
  ASSERT_TRUE(reader.Next(&record).value());
  EXPECT_EQ(record[0].text, nasty);
}

TEST(Fields, AreOmittedIfEmpty) {
  const std::vector<Field> fields = WithoutEmpty({{"a", ""}, {"b", "1"}, {"c", ""}});
  ASSERT_EQ(fields.size(), 1u);
  EXPECT_EQ(fields[0].name, "b");
}

constexpr char kSentence[] = "one two three four five six seven eight";

const Table& TableOfSentences() {
  static const Table table = {{{"name"}, {"summary", Align::kLeft, kSentences}},
                              {{"a", kSentence}, {"b", ""}}};
  return table;
}

TEST(Table, BreaksSentencesInsideOfTheirColumn) {
  EXPECT_EQ(Shown(TableOfSentences(), false, 34),
            "name  summary\n"
            "a     one two three four five six\n"
            "      seven eight\n"
            "b\n");
}

TEST(Table, ShowsSentencesBelowTheirRowWhereTheColumnWouldBeTooNarrow) {
  EXPECT_EQ(Shown(TableOfSentences(), false, 20),
            "name\n"
            "a\n"
            "    summary: one\n"
            "        two three\n"
            "        four five\n"
            "        six seven\n"
            "        eight\n"
            "b\n");
}

TEST(Table, BreaksNothingWhereItFitsOrIsNoTerminal) {
  for (const size_t width : {size_t{45}, kEndless}) {
    EXPECT_THAT(Shown(TableOfSentences(), false, width), HasSubstr(kSentence)) << width;
  }
  EXPECT_THAT(Csv(TableOfSentences()), HasSubstr(kSentence));
  const Table whole = {{{"name", Align::kLeft, kWhole}}, {{kSentence}}};
  EXPECT_THAT(Shown(whole, false, 20), HasSubstr(kSentence)) << "people copy it";
}

TEST(Table, PadsNoCellForALongSentenceInAnotherRowWhereItIsNoTerminal) {
  const Table table = {
      {{"fact"}, {"value", Align::kLeft, kSentences}, {"meaning", Align::kLeft, kSentences}},
      {{"a", kSentence, "why"}, {"b", "12", "how many"}}};
  EXPECT_EQ(Shown(table),
            "fact  value                     meaning\n"
            "a     one two three four five six seven eight  why\n"
            "b     12                        how many\n");
  EXPECT_THAT(Shown(table, false, 60), HasSubstr("b     12        "));
}

TEST(Fields, BreaksLongValuesBesideTheirNames) {
  std::ostringstream out;
  WriteFields({{"summary", kSentence}, {"n", "1"}}, 40, out);
  EXPECT_EQ(out.str(),
            "summary:  one two three four five six\n"
            "          seven eight\n"
            "n:        1\n");
}

TEST(Fields, AlignsValuesAndShowsThemWhole) {
  std::ostringstream out;
  WriteFields({{"study", "digits"}, {"title", std::string(60, 't')}, {"n", "1"}}, kEndless, out);
  EXPECT_EQ(out.str(), "study:  digits\ntitle:  " + std::string(60, 't') + "\nn:      1\n");
}

}  // namespace
}  // namespace slipstream::cli
