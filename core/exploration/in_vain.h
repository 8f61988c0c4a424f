// Signs in a study's results that its model leads nowhere, however much it promises.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_EXPLORATION_IN_VAIN_H_
#define SLIPSTREAM_CORE_EXPLORATION_IN_VAIN_H_

#include "absl/types/span.h"
#include "core/linalg/types.h"
#include "core/study/study_view.h"

namespace slipstream {

// How many results there have been since the last one that was better than all before it by more
// than `least_better`. More is better.
Index ResultsInVain(const Vector& results, double least_better);

// Whether the median of the last `in_vain` results is worse than the best quarter of those before
// them: what the model suggested was no better than points at random are. More is better;
// 0 < in_vain < results.size().
bool LooksRandom(const Vector& results, Index in_vain);

// Whether all that was found are guesses, as where trainings learn nothing in most of a space.
// There are at least eight results, and a twentieth of all are worse than the median of the first
// eight by more than a fifth of it. The best one is better than this median by no more than a
// fiftieth of it, and by no more than a hundredth of what those that are so much worse are worse
// by, which tells guesses from accuracies near 1. Small differences of guesses say nothing of where
// learning begins.
bool AreGuesses(absl::Span<const EndedTrial> ended, Goal goal);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_IN_VAIN_H_
