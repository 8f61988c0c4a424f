// The rules "median" and "percentile": a training stops when it falls behind the better ones of
// the others.
//
// At the step s of the running training's last report, its best cost so far is compared with those
// of all others that have reached s, each at its best up to s, whether they are running, finished
// or stopped. With n others and the percentile p the limit is the cost at the place p/100 (n - 1)
// of them in ascending order, counted from 0, on the line between the two next to it; the median is
// p = 50. A training stops if its cost is greater than the limit; at the limit it goes on. It also
// goes on before `grace_steps` (horizon.h), and where fewer than `least_curves` others have
// reached s, as beyond the last step of all others.
//
// Golovin et al., "Google Vizier", 2017, section 3.1.1, compares with the running averages of
// finished trials instead; Optuna's pruner with the finished trials' values at s. The others' best
// values are a stricter limit, and stopped trials keep counting up to where they came, so that a
// study which stops many does not compare with its best ones only.
#ifndef SLIPSTREAM_CORE_STOPPING_PERCENTILE_H_
#define SLIPSTREAM_CORE_STOPPING_PERCENTILE_H_

#include <vector>

#include "core/stopping/stopping_rule.h"

namespace slipstream {

extern const StoppingRow kMedianRule;
extern const StoppingRow kPercentileRule;

// The number at the place percent/100 (n - 1) of the n >= 1 numbers in ascending order.
double PercentileOf(std::vector<double> numbers, double percent);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_STOPPING_PERCENTILE_H_
