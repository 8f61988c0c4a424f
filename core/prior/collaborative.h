// Only the order of results within a task is taken over: SCoT (Bardenet,
// Brendel, Kegl, Sebag, "Collaborative hyperparameter tuning", 2013), also
// called Collaborative-BO. After each result, again:
//
//   (1) a ranking machine over points and tasks gives every observed point a
//       latent score (ordinal_scores.h);
//   (2) a process over points and tasks, with a lengthscale for the task, learns
//       the scores;
//   (3) the target is its section.
//
// So a source may have any units, and any monotone distortion of them.
//
// The method describes tasks by features; here there are none, and a task is a
// category of its own: all tasks are equally far from each other, how far is learnt
// in (2) and given in (1). Other choices:
// - The ranking machine's kernel is a squared exponential, its lengthscales are
//   where DefaultModel's are believed to be, its tasks' is 1.
// - Scores have no scale. They are divided by their root mean square deviation
//   within tasks, and moved so that the target's have the mean of its results:
//   the target's own deviation is a quotient of two guesses while its results
//   are few. They are not on the target's scale in any closer sense.
// - Scores always have noise, also where results are exact.
#ifndef SLIPSTREAM_CORE_PRIOR_COLLABORATIVE_H_
#define SLIPSTREAM_CORE_PRIOR_COLLABORATIVE_H_

#include <memory>

#include "core/linalg/types.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

struct CollaborativeOptions {
  double penalty = 10;  // C.
  // Points that are ranked and regressed on: of one source, of the target, and
  // of all; of more, evenly many are left out (source_points.h).
  Index most_of_source = 50;
  Index most_of_target = 200;
  Index most_points = 600;
  Index most_calibrated_points = 120;

  friend bool operator==(const CollaborativeOptions&, const CollaborativeOptions&) = default;
};

// Combine takes some hundred times O(n^2) for n points, Fit O(n^3). A source's
// share is its part of the points, each counted by how its task correlates with
// the target.
std::unique_ptr<Prior> MakeCollaborative(const CollaborativeOptions& options);

extern const PriorRow kScotPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_COLLABORATIVE_H_
