// Hyperparameters with their lengthscales changed and all else as it was.
#ifndef SLIPSTREAM_CORE_CALIBRATION_LENGTHSCALES_H_
#define SLIPSTREAM_CORE_CALIBRATION_LENGTHSCALES_H_

#include <vector>

#include "core/gp/kernel.h"
#include "core/gp/likelihood.h"

namespace slipstream {

// Where the kernel's lengthscales are among its hyperparameters; those of a
// sum's or product's parts too.
std::vector<Index> LengthscalePlaces(const Kernel& kernel);

// With every lengthscale divided by `divisor`.
Hyperparameters WithLengthscalesDivided(const std::vector<Index>& places, Hyperparameters member,
                                        double divisor);
// With no lengthscale longer than `most`.
Hyperparameters WithLengthscalesAtMost(const std::vector<Index>& places, Hyperparameters member,
                                       double most);
// With every lengthscale the same.
Hyperparameters WithLengthscales(const std::vector<Index>& places, Hyperparameters member,
                                 double lengthscale);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_LENGTHSCALES_H_
