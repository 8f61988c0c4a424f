// Suggestions from a model of the objective: any recipe.
//
// Until as many results are there as the space has parameters and one more, at
// least 3 and at most 5, suggestions fill the space evenly, or come from the
// zero-shot design where the recipe says so. From then on a
// Gaussian process is calibrated to all results (training_set.h says when to a
// part of them), trials that are still open count as if they had given what the
// model expects of them (so that workers who ask at once get different points),
// and the acquisition is maximised over the space, or over what is left of its
// candidates.
//
// The ladder: when the deadline passes before a suggestion is found, or a
// factorisation fails in spite of jitter, the suggestion is quasi-random and
// its provenance says why.
#ifndef SLIPSTREAM_CORE_STRATEGY_MODEL_STRATEGY_H_
#define SLIPSTREAM_CORE_STRATEGY_MODEL_STRATEGY_H_

#include <memory>
#include <string>

#include "core/recipe/recipe.h"
#include "core/strategy/strategy.h"

namespace slipstream {

// `name` is what provenance calls it.
std::unique_ptr<Strategy> MakeModelStrategy(std::string name, const Recipe& recipe);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STRATEGY_MODEL_STRATEGY_H_
