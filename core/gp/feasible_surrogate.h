// A surrogate that has learnt where the objective has no value.
//
// The chance p(x) that a configuration has a value is Phi(2 g(x)), but at least
// 1e-6, g being the mean of a Gaussian process around 1 through 1 where results
// were measured and -1 where there was none, with a Matern 5/2 kernel of
// lengthscale 0.2 sqrt(d), longer for words:
// 0.98 far from everything, 0.02 at an infeasible point. A trial without a value
// improves on nothing, so with mean m and deviation s of the objective and the
// incumbent i the whole is predicted as i + w (m - i) with deviation w s, and
// expected improvement is w times the objective's. With w = p it would be the
// expectation itself (Schonlau, Welch and Jones 1998); here w is p^2, with which
// half as many trials end without a value and studies get as far. What other
// acquisitions hope for beyond i is less by w as well, so that none needs to know why.
//
// Nothing is lost by a trial without a value, but where the rest of a grid or a list
// is surely worse than i, all would look only there where none has a value. So from
// p = 1/2 down a loss is expected as well, growing to (i - worst) (1 - 2p)^2. If such
// trials counted as the worst result throughout, studies would hardly reach a best
// point at the edge of what is feasible: tests/evidence/CHOICES.md, "Near
// configurations without a value".
//
// An edge that one number alone decides, such as the bound of a range, would be learnt far too
// slowly: all other numbers would have to be tried there, too. So if such an edge tells the labels
// much better, there is a second process with the lengthscales for it, and g is the lesser of both
// means. Beyond an edge, the second one knows nothing of places that the first one has learnt to
// avoid.
//
// A worker may have failed by chance, so the label of a failure has a noise of
// own: p is 0.66 where a worker failed once. The better the locations of all
// outcomes explain which trials fail, the smaller that noise is, until a failure
// counts as an infeasible point does. Failures by chance, which nothing explains,
// do not deter from regions that have results.
#ifndef SLIPSTREAM_CORE_GP_FEASIBLE_SURROGATE_H_
#define SLIPSTREAM_CORE_GP_FEASIBLE_SURROGATE_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/gp/coordinate_kinds.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/surrogate.h"

namespace slipstream {

// What has been learnt of where the objective has no value: g of one or two processes.
class FeasibilityModel {
 public:
  explicit FeasibilityModel(std::vector<GaussianProcess> processes);

  // g at each point.
  Vector Means(const PointMatrix& x) const;
  // g with its gradient; the variance means nothing.
  PointPrediction MeanAt(ConstVectorView x) const;

 private:
  std::vector<GaussianProcess> processes_;
};

// At least one point. `failed` has a row for each failure.
absl::StatusOr<std::shared_ptr<const FeasibilityModel>> FitFeasibility(
    const CoordinateKinds& kinds, const PointMatrix& feasible, const PointMatrix& infeasible,
    const PointMatrix& failed);

// Whether the places of all outcomes, rather than chance, tell which trials fail. At least one
// failure.
absl::StatusOr<bool> PlacesTellFailures(const CoordinateKinds& kinds, const PointMatrix& feasible,
                                        const PointMatrix& infeasible, const PointMatrix& failed);

// `incumbent` is the objective's mean that improvements are counted from, `worst` its worst result,
// at most that.
std::unique_ptr<Surrogate> MakeFeasibleSurrogate(
    std::unique_ptr<Surrogate> objective, std::shared_ptr<const FeasibilityModel> feasibility,
    double incumbent, double worst);

// The objective of a surrogate that MakeFeasibleSurrogate has made, and any other one itself: what
// is believed of a trial if it has a value.
const Surrogate& WhereMeasured(const Surrogate& surrogate);

// The objective's means of a surrogate that MakeFeasibleSurrogate has made, but from p = 1/2 down
// by (1 - 2p)^2 the worst result; the means of any other one.
Vector MeanOutcomes(const Surrogate& surrogate, const PointMatrix& x);

// The chance p that a trial has a value, at each point, of a surrogate that MakeFeasibleSurrogate
// has made; nothing of any other one.
std::optional<Vector> ChancesOfValue(const Surrogate& surrogate, const PointMatrix& x);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_FEASIBLE_SURROGATE_H_
