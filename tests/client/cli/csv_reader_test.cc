#include "client/cli/csv_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipstream::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Texts = std::vector<std::string>;

struct Read {
  std::vector<Texts> records;
  std::vector<std::vector<size_t>> lines;
  std::string error;
};

Read ReadAll(const std::string& text) {
  Read all;
  CsvReader reader(text);
  std::vector<CsvCell> record;
  for (;;) {
    const absl::StatusOr<bool> more = reader.Next(&record);
    if (!more.ok()) all.error = std::string(more.status().message());
    if (!more.ok() || !*more) return all;
    all.records.emplace_back();
    all.lines.emplace_back();
    for (const CsvCell& cell : record) {
      all.records.back().push_back(cell.text);
      all.lines.back().push_back(cell.line);
    }
  }
}

TEST(CsvReader, SplitsLinesWithEveryKindOfEnd) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const Read all = ReadAll("a,b" + end + "1,2" + end);
    EXPECT_THAT(all.records, ElementsAre(Texts{"a", "b"}, Texts{"1", "2"}));
    EXPECT_THAT(all.lines, ElementsAre(ElementsAre(1, 1), ElementsAre(2, 2)));
  }
}

TEST(CsvReader, TakesALastLineWithoutAnEnd) {
  EXPECT_THAT(ReadAll("a\nb").records, ElementsAre(Texts{"a"}, Texts{"b"}));
  EXPECT_THAT(ReadAll("a,").records, ElementsAre(Texts{"a", ""}));
  EXPECT_THAT(ReadAll("a,\"\"").records, ElementsAre(Texts{"a", ""}));
}

TEST(CsvReader, FindsNothingInAnEmptyFile) {
  EXPECT_THAT(ReadAll("").records, IsEmpty());
  EXPECT_THAT(ReadAll("\xEF\xBB\xBF").records, IsEmpty());
  EXPECT_THAT(ReadAll("\r\n\n\r").records, IsEmpty());
}

TEST(CsvReader, SkipsAByteOrderMarkBeforeAQuote) {
  EXPECT_THAT(ReadAll("\xEF\xBB\xBF\"a,b\",c\n").records, ElementsAre(Texts{"a,b", "c"}));
}

TEST(CsvReader, SkipsEmptyLinesButCountsThem) {
  const Read all = ReadAll("a\n\n\r\nb\n");
  EXPECT_THAT(all.records, ElementsAre(Texts{"a"}, Texts{"b"}));
  EXPECT_EQ(all.lines[1][0], 4u);
}

TEST(CsvReader, KeepsEmptyCells) {
  EXPECT_THAT(ReadAll(",,\n,\n").records, ElementsAre(Texts{"", "", ""}, Texts{"", ""}));
}

TEST(CsvReader, TakesCommasQuotesAndLineEndsInQuotes) {
  const Read all = ReadAll(
      "\"a,b\",\"say \"\"hi\"\"\",\"one\r\ntwo\nthree\rfour\",z\n"
      "next,\"\"\"\"\n");
  EXPECT_THAT(all.records, ElementsAre(Texts{"a,b", "say \"hi\"", "one\r\ntwo\nthree\rfour", "z"},
                                       Texts{"next", "\""}));
}

TEST(CsvReader, CountsLinesAfterEmbeddedLineEnds) {
  const Read all = ReadAll("\"1\r\n2\n3\r4\",x\ny\n");
  EXPECT_THAT(all.lines[0], ElementsAre(1, 4));
  EXPECT_THAT(all.lines[1], ElementsAre(5));
}

TEST(CsvReader, KeepsSpacesAsTheyAre) {
  EXPECT_THAT(ReadAll(" a , b\n").records, ElementsAre(Texts{" a ", " b"}));
}

TEST(CsvReader, RefusesAQuoteThatNeverEnds) {
  EXPECT_EQ(ReadAll("a,b\n1,\"2\n3\n").error, "2:2: the quote that begins here never ends");
  EXPECT_EQ(ReadAll("\"").error, "1:1: the quote that begins here never ends");
  EXPECT_EQ(ReadAll("\"a\"\"").error, "1:1: the quote that begins here never ends");
}

TEST(CsvReader, RefusesTextAfterAClosingQuote) {
  EXPECT_EQ(ReadAll("a,\"b\"c\n").error, "1:2: text after the closing quote");
  EXPECT_EQ(ReadAll("\"b\" ,c\n").error, "1:1: text after the closing quote");
}

TEST(CsvReader, RefusesAQuoteInsideAnUnquotedCell) {
  EXPECT_EQ(ReadAll("a\n5\" disk\n").error,
            "2:1: a quote inside a cell that does not begin with one");
}

TEST(CsvReader, RefusesUtf16) {
  EXPECT_EQ(ReadAll(std::string("\xFF\xFE"
                                "a\0",
                                4))
                .error,
            "1:1: the file is in UTF-16, must be in UTF-8");
}

}  // namespace
}  // namespace slipstream::cli
