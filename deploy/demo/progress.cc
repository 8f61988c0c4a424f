#include "deploy/demo/progress.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace slipstream {
namespace {

constexpr char kHeading[] = "evaluation,error,lowest";

// The lowest error after each evaluation.
std::vector<double> LowestSoFar(const Progress& progress) {
  std::vector<double> lowest;
  double low = std::numeric_limits<double>::infinity();
  for (double error : progress) lowest.push_back(low = std::min(low, error));
  return lowest;
}

// A bar of at most 20 characters for an error of 0 to 90 percent.
std::string Bar(double error) {
  const double signs = std::clamp(std::round(error / 90.0 * 20.0), 0.0, 20.0);
  return std::string(static_cast<size_t>(signs), '#');
}

std::string Cell(const std::vector<double>& lowest, size_t row) {
  if (row >= lowest.size()) return std::string(29, ' ');
  return absl::StrFormat("%6.2f %% %-20s", lowest[row], Bar(lowest[row]));
}

// Number of the first evaluation that reached `goal` or lower.
std::optional<size_t> EvaluationsTo(double goal, const std::vector<double>& lowest) {
  const auto reached =
      std::find_if(lowest.begin(), lowest.end(), [&](double error) { return error <= goal; });
  if (reached == lowest.end()) return std::nullopt;
  return static_cast<size_t>(reached - lowest.begin()) + 1;
}

std::string Evaluations(size_t count) {
  return absl::StrCat(count, count == 1 ? " evaluation" : " evaluations");
}

// Compares when the runs reached twice the lowest error of the run without a
// source task. That is a useful result, whereas reaching the lowest error itself
// is a matter of luck.
std::string Verdict(const std::vector<double>& without, const std::vector<double>& with_source) {
  const double goal = 2 * without.back();
  const std::optional<size_t> evaluations = EvaluationsTo(goal, with_source);
  const std::string took =
      evaluations ? absl::StrCat("was reached after ", Evaluations(*evaluations))
                  : absl::StrCat("was not reached within ", Evaluations(with_source.size()));
  return absl::StrFormat(
      "An error of %.2f %% took %s without transfer; with a source task it %s.\n", goal,
      Evaluations(*EvaluationsTo(goal, without)), took);
}

}  // namespace

absl::Status WriteProgress(const std::string& path, const Progress& progress) {
  const std::vector<double> lowest = LowestSoFar(progress);
  std::ofstream file(path);
  file << kHeading << "\n";
  for (size_t i = 0; i < progress.size(); ++i) {
    file << absl::StrFormat("%d,%.17g,%.17g\n", i + 1, progress[i], lowest[i]);
  }
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", path));
  return absl::OkStatus();
}

absl::StatusOr<Progress> ReadProgress(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  std::string heading;
  std::getline(file, heading);
  Progress progress;
  size_t number = 0;
  double error = 0, lowest = 0;
  char comma = 0;
  while (file >> number >> comma >> error >> comma >> lowest) progress.push_back(error);
  if (heading != kHeading || progress.empty() || !file.eof()) {
    return absl::DataLossError(absl::StrCat(path, " does not hold a tuning run's progress"));
  }
  return progress;
}

std::string ComparisonTable(const Progress& without, const Progress& with_source) {
  const std::vector<double> plain = LowestSoFar(without);
  const std::vector<double> transfer = LowestSoFar(with_source);
  std::string table = absl::StrFormat("  %10s  %-29s  %s\n", "evaluation", " without transfer",
                                      " with a source task");
  for (size_t row = 0; row < std::max(plain.size(), transfer.size()); ++row) {
    std::string line =
        absl::StrFormat("  %10d  %s  %s", row + 1, Cell(plain, row), Cell(transfer, row));
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&table, line, "\n");
  }
  return absl::StrCat(table, "\n", Verdict(plain, transfer));
}

}  // namespace slipstream
