// Tests of text_plot.h and svg_plot.h.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "deploy/demo/svg_plot.h"
#include "deploy/demo/text_plot.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Comparison Example() {
  return {"title", CurveOf("without", {{80, 40}, {80, 20}}), CurveOf("with", {{10, 10}, {10, 5}})};
}

// The lines of a plot that show `mark` in column `column` of the drawing.
int RowOf(const std::string& plot, char mark, size_t column) {
  int row = -1, found = -1;
  for (size_t at = 0; at < plot.size();) {
    const size_t end = plot.find('\n', at);
    const std::string line = plot.substr(at, end - at);
    const size_t bar = line.find('|');
    if (bar == 9) ++row;
    if (bar == 9 && line.size() > bar + 1 + column && line[bar + 1 + column] == mark) found = row;
    at = end + 1;
  }
  return found;
}

TEST(TextPlot, DrawsLowerErrorsLower) {
  const std::string plot = TextPlot(Example());
  EXPECT_THAT(plot, StartsWith("title\n"));
  EXPECT_EQ(RowOf(plot, 'o', 0), 0);
  EXPECT_GT(RowOf(plot, 'o', 3), RowOf(plot, 'o', 0));
  EXPECT_GT(RowOf(plot, '#', 1), RowOf(plot, 'o', 3));
  EXPECT_GT(RowOf(plot, '#', 4), RowOf(plot, '#', 1));
  EXPECT_GT(RowOf(plot, ':', 3), RowOf(plot, 'o', 3));  // The lower quartile.
  EXPECT_THAT(plot, HasSubstr("o without   # with"));
}

TEST(SvgPlot, HasALineAndABandForEachCurve) {
  const std::string svg = SvgPlot("all", {Example(), Example()});
  const auto count = [&svg](const std::string& what) {
    int found = 0;
    for (size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_THAT(svg, StartsWith("<svg xmlns="));
  EXPECT_EQ(count("<polyline"), 4);
  EXPECT_EQ(count("<polygon"), 4);
  EXPECT_EQ(count(">title</text>"), 2);
  EXPECT_EQ(count("</svg>"), 1);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace slipstream
