// One process of how far results are from their task's average: Efficient-BO
// (Yogatama, Mann, "Efficient transfer learning method for automatic
// hyperparameter tuning", 2014). Results enter as deviations, each task's of
// mean 0 and variance 1, which is the scale of models. The process has the mean
// 0, unless another one is given, and the kernel (1 - r) k_SE + r k_NN over
// points and tasks, k_NN being
//
//   1 - |(x, psi) - (x', psi')| / B  for neighbouring tasks, else 0,
//
// with r = 0.7, B = 30, 20 neighbours, and amplitude and lengthscale around 1,
// as a public implementation of the method has them; its start for the noise
// (1e-3) gives way to DefaultModel's belief.
//
// Choices, as there are no task features psi here, and no paper's text at hand:
// - The distance of two sources is the root mean square difference of their
//   means over the places, that of a source and the target the same over the
//   results that a calibration is for; 1 before the first.
// - Two tasks are neighbours where one is among the other's nearest.
// - k_NN as above need be no covariance. T(s, s') = 1 - distance / B for
//   neighbours, else 0, made a covariance, multiplies 1 - |x - x'| / B, which is
//   one for B >= 0.63 d (deviation_kernel.h): B is at least 2 d, categories included.
//   So distances in x and between tasks add up, where the norm takes the root of
//   the sum of their squares.
#ifndef SLIPSTREAM_CORE_PRIOR_DEVIATION_H_
#define SLIPSTREAM_CORE_PRIOR_DEVIATION_H_

#include <cstddef>
#include <memory>

#include "core/linalg/types.h"
#include "core/prior/prior.h"
#include "core/prior/priors.h"

namespace slipstream {

struct DeviationOptions {
  double ratio = 0.7;          // r.
  double distance_scale = 30;  // B; more in more than 15 dimensions.
  size_t neighbours = 20;      // Neighbours of each task, itself not counted.
  // If there are more, the nearest to the target take part, and of equally near
  // ones the first; cost grows with the cube of their number.
  size_t most_tasks = 100;
  // The centres of the beliefs in amplitude and lengthscale.
  double amplitude = 1;
  double lengthscale = 1;
  // Places at which sources are compared.
  Index most_places = 32;
  // Points and results together that are regressed on, and that a calibration
  // is shown; where results alone are more, they all are, and no points.
  Index most_points = 500;
  Index most_calibrated_points = 120;

  friend bool operator==(const DeviationOptions&, const DeviationOptions&) = default;
};

// Fit takes O((n + t)^3) for n points and t results. A source's share is its
// part of the points, each counted by how its task correlates with the target.
std::unique_ptr<Prior> MakeDeviation(const DeviationOptions& options);

extern const PriorRow kDeviationPrior;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_DEVIATION_H_
