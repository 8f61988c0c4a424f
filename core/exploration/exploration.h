// The axis "exploration": when to override the acquisition.
// One row for each member.
//
// An exploration is asked twice: before a model is fitted, whether the next point is to be random;
// and with the model, which point it is to be. Explorations keep nothing between calls. What they
// need to remember they note on the trials that they suggest, so that a replay or a restart gives
// the same.
#ifndef SLIPSTREAM_CORE_EXPLORATION_EXPLORATION_H_
#define SLIPSTREAM_CORE_EXPLORATION_EXPLORATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/acquisition/next_point.h"
#include "core/base/ingredient.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

// A suggestion that is about to be made.
struct ExplorationInput {
  const StudyView& view;
  absl::Span<const Suggestion> made;  // Suggestions that come after all of the view's trials.
  uint64_t seed = 0;                  // The study's.
  uint64_t index = 0;                 // The suggestion's, from 0 on.
};

// How the suggestion is to be made.
struct ExplorationStep {
  bool is_random = false;
  Notes notes;
  std::vector<Fact> facts;
};

// A search for a point with a fitted model.
struct ExploredSearch {
  const NextPointRequest& request;
  absl::Span<const EndedTrial> ended;  // The study's, whose goal is ...
  Goal goal = Goal::kMinimize;         // ... this.
  bool has_lengthscale_rule = false;   // Expanding or shrinking looks at the deviation there.
  std::optional<NextPoint> known;      // Where the acquisition is largest, if that is known.
};

struct ExploredPoint {
  NextPoint next;
  // The suggestion is to be a point at random instead, as those of a study fill its space.
  bool fills_space = false;
  Notes notes = {};
  std::vector<Fact> facts = {};
};

// Immutable, hence thread-safe.
class Exploration {
 public:
  virtual ~Exploration() = default;

  // Decides whether the next suggestion is random; by default it is not.
  virtual ExplorationStep Next(const ExplorationInput& input) const;
  // Chooses the point; by default where the acquisition is largest. Errors are those of
  // ChooseNextPoint.
  virtual absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const;
};

struct ExplorationRow {
  Ingredient about;
  std::unique_ptr<Exploration> (*make)(const OptionSet& options) = nullptr;
  bool reads_notes = false;  // Whether earlier suggestions' notes matter.
};

// All of them, in the order in which people should meet them.
absl::Span<const ExplorationRow* const> ExplorationRows();

// A uniform number in [0, 1) that belongs to the suggestion; explorations share it.
double ExplorationUniform(const ExplorationInput& input);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_EXPLORATION_H_
