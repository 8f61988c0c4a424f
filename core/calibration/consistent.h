// Hyperparameters from points that are spread evenly, whatever the search chose.
//
// UHE-BO's loss (Ha, Nguyen, Tran-The, Zhang, Zhang and van den Hengel, "Provably
// efficient Bayesian optimization with unknown Gaussian process hyperparameter
// estimation", arXiv 2306.06844, equation 2): results of a search crowd where it
// expects the best, so what they say of hyperparameters need not be true of the
// whole space, however many they are.
// Instead M uniform points x'_j each get the result of the observed point
// nearest to them,
//
//   y'_j = y(argmin_{x in D} |x - x'_j|), j = 1 .. M, M = 2 |D|,
//
// and the wrapped calibration explains (x', y'), the same points throughout one
// calibration. Predictions take the results themselves with what came out.
//
// It is consistent as results fill the space. Before, labels are steps: short of
// some 50 results in one dimension, and of many more in several, lengthscales
// come out shorter and noise larger than of the results themselves.
//
// Decisions where the paper is silent, and deviations from it:
//
// - The amplitude is that of the pseudo points, as all of theta is in equation 2, and
//   is not refitted to the results: these crowd where the best is expected and differ
//   less from each other there than the function does over the space, which is just
//   the bias that the pseudo points are to take away.
// - Categories: 0 or 1 apart as they are equal or not, and drawn from those with a
//   result, for no others are known here. Other coordinates are drawn uniformly
//   and independently, whatever steps or conditions a parameter has.
// - Where several points are nearest, equal ones above all, pseudo points take
//   them in turn: results that disagree go on doing so.
// - A pseudo point that is equal to an earlier one is left out: the same label
//   twice would be taken for two results that agree to the last digit.
// - Repeats, known noise and known terms are those of the result that gives the
//   label: y' = sum_j w_j p_j(x) + m + d(x) + noise at the
//   nearest x, and only d(x) is taken for d(x').
// - Labels err even where results are exact: two pseudo points on both sides of
//   the border between two observed ones are as near as can be. Noise of that
//   size is no noise of the results. So where the model's noise is fixed (and
//   anything else is not), the wrapped calibration sees DefaultModel's belief in
//   its place, and the members have the fixed value again.
// - A likelihood takes O(M^3), eight times what the results take, so M has a
//   limit; beyond it M may be less than |D|.
// - Where nothing is open, the wrapped calibration gets the results themselves.
#ifndef SLIPSTREAM_CORE_CALIBRATION_CONSISTENT_H_
#define SLIPSTREAM_CORE_CALIBRATION_CONSISTENT_H_

#include <cstdint>
#include <memory>

#include "core/calibration/calibration.h"
#include "core/calibration/calibrations.h"
#include "core/gp/coordinate_kinds.h"

namespace slipstream {

struct ConsistentOptions {
  Index points_per_result = 2;
  Index most_points = 400;

  friend bool operator==(const ConsistentOptions&, const ConsistentOptions&) = default;
};

// Its log posterior is that of the pseudo data, its evaluations are on them, and
// the diagnostic pseudo_points says how many they were. Seeded by the input's
// seed. FAILED_PRECONDITION where a point or a result is not finite.
std::unique_ptr<Calibration> MakeConsistent(std::unique_ptr<Calibration> wrapped,
                                            const ConsistentOptions& options);

// `count` pseudo points, less those that are equal, with their labels. `data`
// has at least one row; no kinds: all are numbers.
TrainingData PseudoData(const CoordinateKinds& kinds, const TrainingData& data, Index count,
                        uint64_t seed);

extern const CalibrationRow kConsistent;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_CONSISTENT_H_
