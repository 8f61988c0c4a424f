// A suggestion with its provenance: which configuration to try next and how it came about.
#ifndef SLIPSTREAM_CORE_STUDY_SUGGESTION_H_
#define SLIPSTREAM_CORE_STUDY_SUGGESTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/space/configuration.h"
#include "core/study/study_view.h"

namespace slipstream {

// The step of the ladder that produced a suggestion.
enum class Rung { kRecipe, kWithoutTransfer, kQuasiRandom };

// A source task's share in a suggestion, 0 to 1.
struct SourceWeight {
  std::string source;
  double weight = 0;
};

// A named quantity or remark about a suggestion.
struct Fact {
  std::string name;  // snake_case.
  std::variant<double, std::string> value;
};

// The fact of a suggestion whose search had to end before it was done, and what ended it. With more
// time the same recipe could have suggested another point.
inline constexpr absl::string_view kCutShortFact = "search_cut_short_by";
// Why a configuration that served the sources stands in for a model's suggestion.
inline constexpr absl::string_view kInsteadOfModelFact = "instead_of_a_model";

// Where a suggestion came from.
struct Provenance {
  std::string preset;
  uint64_t seed = 0;
  int64_t last_trial_seen = 0;
  Rung rung = Rung::kRecipe;
  std::string rung_reason;            // Empty on kRecipe.
  std::vector<SourceWeight> sources;  // Heaviest first; weights add up to at most 1.
  std::vector<Fact> facts;
  Notes notes = {};  // For later suggestions of the study.
};

struct Suggestion {
  Configuration configuration;
  std::optional<int64_t> candidate;  // Index, on a space with candidates.
  Provenance provenance;
};

// Adds facts, or notes, at the end of others.
template <typename Item>
void AppendAll(const std::vector<Item>& more, std::vector<Item>& items) {
  items.insert(items.end(), more.begin(), more.end());
}

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STUDY_SUGGESTION_H_
