// Recipes of every kind, and short studies with them.
#ifndef SLIPSTREAM_TESTS_CORE_STRATEGY_RECIPE_COMBINATIONS_H_
#define SLIPSTREAM_TESTS_CORE_STRATEGY_RECIPE_COMBINATIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "core/recipe/recipe_names.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {

// The names on each axis. Of wrapped calibrations and of the multipliers of ucb
// there are some.
const std::vector<std::string>& AllPriors();
const std::vector<std::string>& AllCalibrations();
const std::vector<std::string>& AllAcquisitions();
const std::vector<std::string>& AllExplorations();
// All that can be named.
std::vector<std::string> EveryCalibration();
std::vector<std::string> EveryAcquisition();

// Studies on a space of numbers, one of all kinds of parameters with conditions,
// and a candidate list, each with a few results and source tasks.
class CombinationStudies {
 public:
  CombinationStudies();

  // Takes some suggestions in each, later ones with a trial still open, and expects
  // each to be legal, described and from the recipe itself. A recipe that is not
  // legal is refused instead, with a reason; true if it was legal. Under a sanitizer
  // a recipe has one of the studies, in turn.
  bool Try(const RecipeChange& change);

 private:
  void TakeSome(const Strategy& strategy, FakeStudy study, const std::string& name);

  std::unique_ptr<SourceProvider> library_;
  std::vector<FakeStudy> studies_;
  size_t next_ = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_STRATEGY_RECIPE_COMBINATIONS_H_
