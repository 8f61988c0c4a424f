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

// The same where a result is better if it adds more than a ten-thousandth to the lead of the best
// one over the median of the study's first eight. Unlike on a model's scale, which becomes finer as
// results crowd around a local optimum, what refines this optimum is then soon no better.
Index ResultsHardlyBetter(absl::Span<const EndedTrial> ended, Goal goal);

// How many trials that were suggested have been in vain since the last result that was better than
// all before it, if their results look as if they were at random: their median is worse than the
// best quarter of the study's first eight results. Otherwise 0.
Index RandomLookingInVain(absl::Span<const EndedTrial> ended, Goal goal);

// Whether all results look like guesses, as where trainings learn nothing in most of a space. This
// takes at least eight results. A twentieth of all must be much worse than the median of the first
// eight: by more than a fifth of it. And the best result must be hardly better than this median: by
// no more than a fiftieth of it, and by no more than a hundredth of how much worse the middle one
// of the much worse results is. The hundredth tells guesses from accuracies near 1. Small
// differences of guesses say nothing of where learning begins.
bool AreGuesses(absl::Span<const EndedTrial> ended, Goal goal);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_IN_VAIN_H_
