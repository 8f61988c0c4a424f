#include "client/cli/csv_formula.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace slipstream::cli {
namespace {

bool BeginsLikeFormula(absl::string_view cell) {
  const size_t first = cell.find_first_not_of('\'');
  if (first == absl::string_view::npos) return false;
  constexpr absl::string_view kBeginnings = "=+-@\t\r";
  double number = 0;
  return kBeginnings.find(cell[first]) != absl::string_view::npos &&
         !(first == 0 && absl::SimpleAtod(cell, &number));
}

}  // namespace

std::string GuardFormula(absl::string_view cell) {
  return BeginsLikeFormula(cell) ? absl::StrCat("'", cell) : std::string(cell);
}

std::string UnguardFormula(absl::string_view cell) {
  const bool guarded = !cell.empty() && cell[0] == '\'' && BeginsLikeFormula(cell.substr(1));
  return std::string(guarded ? cell.substr(1) : cell);
}

}  // namespace slipstream::cli
