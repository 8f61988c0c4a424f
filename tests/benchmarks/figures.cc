#include "tests/benchmarks/figures.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"

namespace slipstream {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool Figure::Reached() const {
  return std::isnan(at_least) ? value <= at_most : value >= at_least;
}

Figure AtLeast(std::string name, double value, double bar) {
  return {std::move(name), value, bar, kNone, std::nullopt};
}

Figure AtMost(std::string name, double value, double bar) {
  return {std::move(name), value, kNone, bar, std::nullopt};
}

int PrintFigures(const std::vector<Figure>& figures) {
  int missed = 0;
  for (const Figure& figure : figures) {
    const bool lower = std::isnan(figure.at_most);
    std::cout << absl::StrFormat("  %-62s %9.3f   bar %s %-8.4g %s", figure.name, figure.value,
                                 lower ? ">=" : "<=", lower ? figure.at_least : figure.at_most,
                                 figure.Reached() ? "reached" : "MISSED");
    if (figure.interval) {
      std::cout << absl::StrFormat("   95%% interval %.3f to %.3f", figure.interval->low,
                                   figure.interval->high);
    }
    std::cout << "\n";
    if (!figure.Reached()) ++missed;
  }
  return missed;
}

void WriteCsv(const std::string& path, const std::vector<std::string>& lines) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
  std::ofstream out(path, std::ios::trunc);
  for (const std::string& line : lines) out << line << "\n";
  if (out.flush().good()) {
    std::cout << "written: " << path << "\n";
  } else {
    std::cout << "could not write " << path << "\n";
  }
}

}  // namespace slipstream
