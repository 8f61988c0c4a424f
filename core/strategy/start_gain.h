// What source tasks did for the start of a study, where they matter most.
//
// The best of the study's first results stands beside the best of those that it would have begun
// with without sources: as many points that fill the space evenly. Nobody measured these, so models
// of the objective, by their weights, say what they would have given. By then the models know all
// of the study's results, and one that forecast these badly has lost its weight.
//
// Far from the study's trials models expect values nearer to its results than they are, the more so
// the more of these are near the best. The true gain is then farther from 0 than the interval
// (tests/evidence/verdicts measures how often).
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
  // of what the models hold possible, and 95% of it.
  double gain = 0;
  double gain_low = 0;
  double gain_high = 0;

  std::vector<Fact> Facts() const;
};

// Marks a trial that the study began with because of its sources.
Note StartNote();

// Of the trials so marked that have ended, at most `most`. None without a result, and where the
// models cannot tell. `seed` is the study's.
std::optional<StartGain> GainOfStart(const StudyView& view, const SearchedModel& model, size_t most,
                                     uint64_t seed);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_START_GAIN_H_
