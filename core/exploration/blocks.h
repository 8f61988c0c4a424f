// EXP3 over blocks of suggestions: when a random point takes the place of the model's.
//
// - exp3 (UHE-BO; Ha et al., arXiv 2306.06844, algorithm 1): suggestions come in
//   blocks of two. EXP3 chooses between the arms "random" and "acquisition" for
//   a block; the first suggestion of a random block is uniformly random, all
//   others are the acquisition's. The block's reward is its better result.
// - portfolio (the same authors' form of Hoffman, Brochu and de Freitas,
//   "Portfolio allocation for Bayesian optimization", 2011): blocks of one, whose
//   reward is their result. (Hoffman and others reward every arm, by what the model
//   then expects at the point that it proposed: that is the exploration hedge.)
//
// Decisions where the papers are silent:
//
// - Rewards are scaled by the results that no block chose (the initial ones and
//   those that people added): (r - worst) / (best - worst) within [0, 1]. Where
//   those are equal, 1 for what is better than they, else 0. So both arms earn 1
//   once both beat the initial results, and their weights tell them apart no
//   more; with running_rewards the scale is that of all results so far, of which
//   the best alone earns 1 (and what a block earned changes as results come).
// - The rate is that of the recipe's horizon, in blocks; it does not change when
//   a study goes on for longer.
// - With several workers a block is two suggestions in the order in which they
//   were made, whichever workers got them. Its reward counts from when both trials have
//   ended; until then the block has no part in the weights, and a trial that
//   never ends leaves its block without one. A trial without a value has none to
//   offer, and a block without any earns nothing. A trial that is queued again is
//   the same step of the same block.
// - A step down the ladder does not change whose block it is.
// - Weights are not kept: each suggestion notes its block, arm and that arm's
//   probability on its trial, and the weights are the sum over blocks of what
//   these and the results say. So a replay or a restart gives the same.
#ifndef SLIPSTREAM_CORE_EXPLORATION_BLOCKS_H_
#define SLIPSTREAM_CORE_EXPLORATION_BLOCKS_H_

#include "core/exploration/exploration.h"

namespace slipstream {

struct BlockOptions {
  double horizon = 100;  // The number of suggestions to reckon with.
  bool running_rewards = false;

  friend bool operator==(const BlockOptions&, const BlockOptions&) = default;
};

extern const ExplorationRow kExp3;
extern const ExplorationRow kPortfolio;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_BLOCKS_H_
