#include "core/base/near_names.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace slipstream {
namespace {

constexpr size_t kMostShown = 15;
// In a misspelling one letter in so many may be wrong, and one of a shorter word's.
constexpr size_t kLettersForOneWrong = 3;
// A shorter piece is in many names by chance.
constexpr size_t kShortestPiece = 2;
// A longer word is compared with no name, as that would take long.
constexpr size_t kLongestCompared = 128;

// How far a name is from what was given: 0 for the same. All that are not like it are equally far.
size_t Distance(absl::string_view given, absl::string_view name) {
  if (given.size() > kLongestCompared) return 0;
  const size_t most = std::max(size_t{1}, given.size() / kLettersForOneWrong);
  const size_t letters = LettersBetween(given, name);
  if (letters <= most && letters < name.size()) return letters;
  const bool is_piece = given.size() >= kShortestPiece &&
                        (absl::StrContains(name, given) || absl::StrContains(given, name));
  return is_piece ? most + 1 : most + 2;
}

}  // namespace

size_t LettersBetween(absl::string_view one, absl::string_view other) {
  std::vector<size_t> before(other.size() + 1);  // Two rows ago.
  std::vector<size_t> last(other.size() + 1);
  std::vector<size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= one.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j <= other.size(); ++j) {
      const size_t replaced = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool is_swapped =
          i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (is_swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

std::string NearNames(absl::string_view given, std::vector<std::string> names) {
  std::stable_sort(names.begin(), names.end(), [given](const auto& one, const auto& other) {
    return Distance(given, one) < Distance(given, other);
  });
  if (names.size() <= kMostShown) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(absl::MakeSpan(names).first(kMostShown), ", "), " and ",
                      names.size() - kMostShown, " more");
}

}  // namespace slipstream
