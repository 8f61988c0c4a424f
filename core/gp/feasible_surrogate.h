// A surrogate that has learnt where the objective has no value.
//
// The chance p(x) that a configuration has a value is Phi(2 g(x)), but at least
// 1e-6, g being the mean of a Gaussian process around 1 through 1 where results
// were measured and -1 where there was none, with a Matern 5/2 kernel of
// lengthscale 0.2 sqrt(d):
// 0.98 far from everything, 0.02 at an infeasible point. What is tried there
// counts as the worst result so far, so with mean m and deviation s of the
// objective the whole is predicted as p m + (1 - p) worst with deviation p s:
// every acquisition stays away, smoothly, and none needs to know why.
//
// A worker may have failed by chance, so the label of a failure has a noise of
// own: p is 0.66 where a worker failed once. The better the locations of all
// outcomes explain which trials fail, the smaller that noise is, until a failure
// counts as an infeasible point does. Failures by chance, which nothing explains,
// do not deter from regions that have results.
#ifndef SLIPSTREAM_CORE_GP_FEASIBLE_SURROGATE_H_
#define SLIPSTREAM_CORE_GP_FEASIBLE_SURROGATE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/gp/coordinate_kinds.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/surrogate.h"

namespace slipstream {

// The process g above. At least one point. `failed` has a row for each failure.
absl::StatusOr<std::shared_ptr<const GaussianProcess>> FitFeasibility(
    const CoordinateKinds& kinds, const PointMatrix& feasible, const PointMatrix& infeasible,
    const PointMatrix& failed);

// Whether the places of all outcomes, rather than chance, tell which trials fail. At least one
// failure.
absl::StatusOr<bool> PlacesTellFailures(const CoordinateKinds& kinds, const PointMatrix& feasible,
                                        const PointMatrix& infeasible, const PointMatrix& failed);

// `worst` is the value that a configuration without one counts as.
std::unique_ptr<Surrogate> MakeFeasibleSurrogate(
    std::unique_ptr<Surrogate> objective, std::shared_ptr<const GaussianProcess> feasibility,
    double worst);

// The objective of a surrogate that MakeFeasibleSurrogate has made, and any other one itself: what
// is believed of a trial if it has a value.
const Surrogate& WhereMeasured(const Surrogate& surrogate);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_FEASIBLE_SURROGATE_H_
