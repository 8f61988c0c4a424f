// What source tasks did for the start of a study, where they matter most.
//
// The best of the study's first results stands beside the best of those that it would have begun
// with without sources: points that fill the space evenly, one in place of each trial. Nobody
// measured these, so models of the objective, by their weights, say what they would have given. By
// then the models know all of the study's results, and one that forecast these badly has lost its
// weight.
//
// Models expect values far from the study's trials to be nearer to its results than they are. The
// true gain is therefore often farther from 0 than the interval; tests/evidence/verdicts measures
// how often.
#ifndef SLIPSTREAM_CORE_STRATEGY_START_GAIN_H_
#define SLIPSTREAM_CORE_STRATEGY_START_GAIN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/acquisition/searched_model.h"
#include "core/study/study_view.h"
#include "core/study/suggestion.h"

namespace slipstream {

struct StartGain {
  size_t trials = 0;  // The number compared.
  // By how much the best of them is better, in the objective's unit and without noise: the median
  // of what the models hold possible, and the ends of the middle 95% of it.
  double gain = 0;
  double gain_low = 0;
  double gain_high = 0;

  std::vector<Fact> Facts() const;
};

// Marks the suggestion number `index`, from 0, in whose place a study without sources would have
// had an evenly filling point. `seed` is the study's.
Note StartNote(const StudyView& view, uint64_t seed, uint64_t index);

// The gain of the marked trials that have ended with a value or are infeasible. Those that failed
// say nothing about the objective. None without a value among them, and where the models cannot
// tell.
std::optional<StartGain> GainOfStart(const StudyView& view, const SearchedModel& model,
                                     uint64_t seed);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_START_GAIN_H_
