#include "deploy/demo/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace slipstream {
namespace {

constexpr double kWidth = 430;  // Of one comparison with its margins.
constexpr double kHeight = 330;
constexpr double kLeft = 52, kRight = 14, kTop = 64, kBottom = 46;
constexpr char kWithoutColor[] = "#8a8a8a";
constexpr char kWithColor[] = "#1f77b4";
constexpr double kTicks[] = {1, 2, 5, 10, 20, 50, 100};

// Where values are drawn in one comparison; all have the same axes.
struct Frame {
  double left;  // Of the drawing area.
  size_t evaluations;
  double lowest, highest;  // Errors.

  double X(double evaluation) const {
    const double share = (evaluation - 1) / static_cast<double>(evaluations - 1);
    return left + share * (kWidth - kLeft - kRight);
  }
  double Y(double error) const {
    const double share = std::log(highest / error) / std::log(highest / lowest);
    return kTop + share * (kHeight - kTop - kBottom);
  }
  std::string Points(const std::vector<double>& errors) const {
    std::string points;
    for (size_t i = 0; i < errors.size(); ++i) {
      absl::StrAppendFormat(&points, "%.1f,%.1f ", X(static_cast<double>(i + 1)), Y(errors[i]));
    }
    return points;
  }
};

std::string Text(double x, double y, const char* anchor, int size, const std::string& text) {
  return absl::StrFormat(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\">%s</text>\n", x, y, anchor,
      size, text);
}

std::string Line(double x1, double y1, double x2, double y2, const char* color, double width) {
  return absl::StrFormat(
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%g\"/>\n",
      x1, y1, x2, y2, color, width);
}

std::string Axes(const Frame& frame) {
  std::string svg;
  const double right = frame.X(static_cast<double>(frame.evaluations));
  for (const double tick : kTicks) {
    if (tick < frame.lowest || tick > frame.highest) continue;
    absl::StrAppend(
        &svg, Line(frame.left, frame.Y(tick), right, frame.Y(tick), "#e4e4e4", 1),
        Text(frame.left - 6, frame.Y(tick) + 4, "end", 11, absl::StrFormat("%g %%", tick)));
  }
  for (size_t i = 1; i <= frame.evaluations; ++i) {
    if (i != 1 && i % 5 != 0) continue;
    absl::StrAppend(&svg, Text(frame.X(static_cast<double>(i)), kHeight - kBottom + 16, "middle",
                               11, absl::StrCat(i)));
  }
  absl::StrAppend(&svg, Line(frame.left, kHeight - kBottom, right, kHeight - kBottom, "#444", 1),
                  Text((frame.left + right) / 2, kHeight - 12, "middle", 11, "evaluations"));
  return svg;
}

std::string Draw(const Frame& frame, const Curve& curve, const char* color) {
  std::vector<double> lower = curve.lower;
  std::string band = frame.Points(curve.upper);
  for (size_t i = lower.size(); i > 0; --i) {
    absl::StrAppendFormat(&band, "%.1f,%.1f ", frame.X(static_cast<double>(i)),
                          frame.Y(lower[i - 1]));
  }
  return absl::StrFormat(
      "<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"0.18\"/>\n"
      "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\"/>\n",
      band, color, frame.Points(curve.mean), color);
}

std::string Legend(double x, double y, const std::string& title, const char* color) {
  return absl::StrCat(Line(x, y - 4, x + 22, y - 4, color, 2.2),
                      Text(x + 28, y, "start", 12, title));
}

std::string Panel(const Frame& frame, const Comparison& comparison) {
  return absl::StrCat(Text(frame.left, 44, "start", 13, comparison.title), Axes(frame),
                      Draw(frame, comparison.without, kWithoutColor),
                      Draw(frame, comparison.with, kWithColor),
                      Legend(frame.left + 170, kTop + 20, comparison.without.title, kWithoutColor),
                      Legend(frame.left + 170, kTop + 38, comparison.with.title, kWithColor));
}

// A frame at x = 0 that holds all curves.
Frame FrameOf(const std::vector<Comparison>& comparisons) {
  Frame frame{kLeft, comparisons.front().without.mean.size(),
              std::numeric_limits<double>::infinity(), 0};
  for (const Comparison& comparison : comparisons) {
    for (const Curve* curve : {&comparison.without, &comparison.with}) {
      frame.lowest = std::min({frame.lowest, curve->mean.back(), curve->lower.back()});
      frame.highest = std::max({frame.highest, curve->mean.front(), curve->upper.front()});
    }
  }
  frame.lowest *= 0.94;
  frame.highest *= 1.06;
  return frame;
}

}  // namespace

std::string SvgPlot(const std::string& title, const std::vector<Comparison>& comparisons) {
  const double width = kWidth * static_cast<double>(comparisons.size());
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" height=\"%g\" "
      "font-family=\"sans-serif\" fill=\"#222\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      width, kHeight, width, kHeight);
  absl::StrAppend(&svg, Text(kLeft, 22, "start", 15, title));
  Frame frame = FrameOf(comparisons);
  for (const Comparison& comparison : comparisons) {
    absl::StrAppend(&svg, Panel(frame, comparison));
    frame.left += kWidth;
  }
  return absl::StrCat(svg, "</svg>\n");
}

}  // namespace slipstream
