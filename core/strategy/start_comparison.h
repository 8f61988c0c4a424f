// What source tasks did for the start of a study, where they matter most.
//
// The study's first results stand beside those of starts without sources: points that fill the
// space evenly, one in place of each trial. The start is better whose best result so far is better
// on average over the trials, so that it counts how early a good one came. Nobody measured these
// points, so models of the objective, by their weights, say how probable it is that the study's own
// start is the better one. By then the models know all of the study's results, and one that
// forecast these badly has lost its weight.
//
// Starts without sources differ by luck, and so does one with sources that tell nothing: beside a
// single other start it is surely better or surely worse once the objective is known. So it stands
// beside 39 of them, each from another seed. If all 40 are alike, it is better than all the others
// with a probability of 2.5%, and worse than all with the same.
//
// By how much it is better is not said: far from the study's trials models expect values much
// nearer to its results than they are, and results far behind the others are limited.
#ifndef SLIPSTREAM_CORE_STRATEGY_START_COMPARISON_H_
#define SLIPSTREAM_CORE_STRATEGY_START_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/acquisition/searched_model.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

// A start is compared by so many trials at most, the first ones: the time that joint draws at all
// points of all starts take grows with its cube.
inline constexpr size_t kMostOfStart = 8;
// A start is compared with so many starts without sources.
inline constexpr size_t kOtherStarts = 39;

// The seed of the evenly filling points of one of these; those of the first, number 0, are what
// the study would have begun with.
uint64_t SeedOfOtherStart(uint64_t seed, size_t number);

struct StartComparison {
  size_t trials = 0;  // The number compared.
  // The probabilities that the best result so far was better on average than in a start without
  // sources, any one of them, and that it was worse. Otherwise both are as good.
  double better = 0;
  double worse = 0;

  std::vector<Fact> Facts() const;
};

// Marks the suggestion number `index`, from 0 and below kMostOfStart, in whose place a study
// without sources would have had an evenly filling point. `seed` is the study's, and the view is
// that of this moment.
Note StartNote(const StudyView& view, uint64_t seed, uint64_t index);

// Compares the marked trials that have ended with a value or are infeasible. Those that failed say
// nothing about the objective. None without a value among them, and where the models cannot tell.
std::optional<StartComparison> CompareStarts(const StudyView& view, const SearchedModel& model,
                                             uint64_t seed);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_START_COMPARISON_H_
