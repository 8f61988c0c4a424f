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

// Whether all that was found are guesses, as where trainings learn nothing in most of a space: at
// least eight results, the best of which is better than the median of the first eight by no more
// than a fiftieth of this median, while a twentieth of all results are worse than it by more than a
// fifth. Small differences of guesses then say nothing of where learning begins.
bool AreGuesses(absl::Span<const EndedTrial> ended, Goal goal);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_IN_VAIN_H_
