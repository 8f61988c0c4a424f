// The kernel of deviation.h over points and tasks (the last coordinate):
//
//   k((x, s), (x', s')) = (1 - r) sigma_f^2 exp(-|x - x'|^2 / (2 l^2))
//                         + r T(s, s') (1 - |x - x'| / B),
//
// |x - x'| being Euclid's distance, where different categories are 1 apart, and T a
// covariance of tasks with T(s, s) = 1. Hyperparameters: amplitude sigma_f,
// lengthscale l.
//
// B - |x - x'| is a covariance where no signed measure of mass 1 has more energy
// than B; of a ball of radius R in D dimensions none has more than
// R sqrt(pi) Gamma((D+1)/2) / Gamma(D/2) (Hinrichs, Nickolas, Wolf, "A note on
// the metric geometry of the unit ball", 2011), so that B = 0.63 d does for the
// unit cube of d numbers.
#ifndef SLIPSTREAM_CORE_PRIOR_DEVIATION_KERNEL_H_
#define SLIPSTREAM_CORE_PRIOR_DEVIATION_KERNEL_H_

#include <memory>

#include "core/gp/coordinate_kinds.h"
#include "core/gp/kernel.h"
#include "core/linalg/types.h"

namespace slipstream {

struct DeviationKernelOptions {
  double ratio = 0.7;          // r, in [0, 1].
  double distance_scale = 30;  // B, positive.
};

// Over `kinds` and the task, which is a row of `tasks`.
std::unique_ptr<Kernel> MakeDeviationKernel(const DeviationKernelOptions& options,
                                            const CoordinateKinds& kinds, Matrix tasks);

// The covariance with a unit diagonal that is near `similarity`, which is
// symmetric with a unit diagonal: what is negative of its spectrum is cut off.
Matrix NearbyTaskCovariance(const Matrix& similarity);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_PRIOR_DEVIATION_KERNEL_H_
