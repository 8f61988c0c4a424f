// The rules "asha" and "hyperband": successive halving without waiting for one another.
//
// Li et al., "A System for Massively Parallel Hyperparameter Tuning", 2020 (ASHA, its stopping
// variant), and "Hyperband", 2018. With the reduction factor r, rung k is at the step
//   ceil(first_rung r^k), k = 0, 1, ...
// A training is judged at the highest rung that it has reached, by its best cost up to there,
// against all others that have reached that rung, whether they are running, finished or stopped,
// each at its best up to the rung. With n trainings there, itself among them, the best
// max(1, floor(n / r)) go on. A training stops if that many others are strictly better, so equal
// ones go on together. The first to arrive at a rung goes on; it may be stopped between two rungs,
// when enough others have passed the lower one with better values. A training with few reports is
// judged at a rung that lies between two of its reports by the report before, and if there is none
// by its first.
// Rungs at T (horizon.h) and beyond stop nothing, as no step is saved. Where `first_rung` is not
// given it is a fifth of T (asha) or T / 27 (hyperband), at least 1.
//
// Hyperband deals the trials to brackets b = 0, 1, ..., B - 1, which are independent of each
// other: in bracket b the first rung is at first_rung r^b, so that later brackets stop less; the
// last one stops nothing if that is T. B is the largest number for which
//   first_rung r^(B - 1) <= T,
// and bracket b gets a share of the trials in proportion to ceil(B r^s / (s + 1)), s = B - 1 - b,
// which gives brackets about the same number of steps (as in Optuna). A trial's bracket follows
// from its number alone: the fractional part of number (sqrt(5) - 1) / 2, which is spread evenly,
// falls into one of the brackets' shares. So it may change when T does.
#ifndef SLIPSTREAM_CORE_STOPPING_RUNGS_H_
#define SLIPSTREAM_CORE_STOPPING_RUNGS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/stopping/stopping_rule.h"

namespace slipstream {

extern const StoppingRow kAshaRule;
extern const StoppingRow kHyperbandRule;

// The highest rung not after `step`; empty if there is none. `first` > 0, `factor` > 1.
std::optional<int64_t> HighestRung(double first, double factor, int64_t step);

// The brackets' shares of the trials, from 0 on, if trainings have `steps`; they add up to 1.
std::vector<double> BracketShares(double first, double factor, int64_t steps);
size_t BracketOf(int64_t trial, const std::vector<double>& shares);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_RUNGS_H_
