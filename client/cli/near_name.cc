#include "client/cli/near_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"

namespace slipstream::cli {
namespace {

// Words of at most so many letters may have one mistake.
constexpr size_t kShortWord = 4;
constexpr size_t kLongest = 64;  // Nobody misspells a longer word by so little.

// The optimal string alignment distance.
size_t Mistakes(const std::string& one, const std::string& other) {
  std::vector<size_t> before;
  std::vector<size_t> last;
  std::vector<size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= one.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i;
    for (size_t j = 1; j <= other.size(); ++j) {
      const size_t replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string NearName(const std::string& given, const std::vector<std::string>& names) {
  if (given.size() > kLongest) return "";
  const size_t letters = given.size() - std::min(given.find_first_not_of('-'), given.size());
  size_t fewest = letters <= kShortWord ? 2 : 3;  // One more than is forgiven.
  std::string nearest;
  for (const std::string& name : names) {
    const size_t mistakes = Mistakes(given, name);
    if (mistakes >= fewest || mistakes >= letters) continue;
    fewest = mistakes;
    nearest = name;
  }
  return nearest;
}

std::string DidYouMean(const std::string& given, const std::vector<std::string>& names) {
  const std::string near = NearName(given, names);
  return near.empty() ? "" : absl::StrCat("; did you mean ", near, "?");
}

}  // namespace slipstream::cli
