#include "deploy/demo/text_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace slipstream {
namespace {

constexpr int kRows = 14;
constexpr int kColumnsPerEvaluation = 3;
constexpr double kLabels[] = {1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 90};

// The rows of the plot, of which the first one is the highest.
class Canvas {
 public:
  Canvas(double lowest, double highest, size_t evaluations)
      : lowest_(std::log(lowest)),
        highest_(std::log(highest)),
        rows_(kRows, std::string(evaluations * kColumnsPerEvaluation, ' ')) {}

  int Row(double error) const {
    const double share = (highest_ - std::log(error)) / (highest_ - lowest_);
    return std::clamp(static_cast<int>(std::lround(share * (kRows - 1))), 0, kRows - 1);
  }

  void Draw(const Curve& curve, size_t offset, char mark, char bar) {
    for (size_t i = 0; i < curve.mean.size(); ++i) {
      const size_t column = i * kColumnsPerEvaluation + offset;
      for (int row = Row(curve.upper[i]); row <= Row(curve.lower[i]); ++row) {
        rows_[row][column] = bar;
      }
      rows_[Row(curve.mean[i])][column] = mark;
    }
  }

  std::string Text() const {
    std::vector<std::string> labels(kRows, "      ");
    for (const double tick : kLabels) {
      const bool inside = std::log(tick) >= lowest_ && std::log(tick) <= highest_;
      if (inside) labels[Row(tick)] = absl::StrFormat("%4.0f %%", tick);
    }
    std::string text;
    for (int row = 0; row < kRows; ++row) {
      std::string line = absl::StrCat("  ", labels[row], " |", rows_[row]);
      line.erase(line.find_last_not_of(' ') + 1);
      absl::StrAppend(&text, line, "\n");
    }
    return text;
  }

 private:
  const double lowest_;  // Logarithms of errors.
  const double highest_;
  std::vector<std::string> rows_;
};

// The line below the plot, with the number of every fifth evaluation.
std::string Axis(size_t evaluations) {
  std::string numbers(evaluations * kColumnsPerEvaluation + 4, ' ');
  for (size_t i = 1; i <= evaluations; ++i) {
    if (i != 1 && i % 5 != 0) continue;
    const std::string number = absl::StrCat(i);
    numbers.replace((i - 1) * kColumnsPerEvaluation, number.size(), number);
  }
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  return absl::StrCat("         +", std::string(evaluations * kColumnsPerEvaluation, '-'),
                      "\n          ", numbers, "  evaluations\n");
}

}  // namespace

std::string TextPlot(const Comparison& comparison) {
  const Curve& without = comparison.without;
  const Curve& with = comparison.with;
  const auto least = [](const Curve& curve) {
    return std::min(curve.mean.back(), curve.lower.back());
  };
  const auto most = [](const Curve& curve) {
    return std::max(curve.mean.front(), curve.upper.front());
  };
  Canvas canvas(std::min(least(without), least(with)) * 0.98,
                std::max(most(without), most(with)) * 1.02, without.mean.size());
  canvas.Draw(without, 0, 'o', ':');
  canvas.Draw(with, 1, '#', '|');
  return absl::StrCat(comparison.title, "\n", canvas.Text(), Axis(without.mean.size()), "  o ",
                      without.title, "   # ", with.title, "   : | between the quartiles\n");
}

}  // namespace slipstream
