// Maximises a smooth function within bounds by limited-memory BFGS (NLopt's
// LD_LBFGS; Nocedal, "Updating quasi-Newton matrices with limited storage",
// 1980).
//
// A pure, thread-safe function of its arguments if the objective is one.
#ifndef SLIPSTREAM_CORE_ASCENT_BOUNDED_ASCENT_H_
#define SLIPSTREAM_CORE_ASCENT_BOUNDED_ASCENT_H_

#include <functional>
#include <optional>

#include "core/base/deadline.h"
#include "core/linalg/types.h"

namespace slipstream {

// Returns the value at `x` and stores the gradient there in the second argument.
// Nullopt where the function cannot be computed; the ascent then avoids `x`.
using SmoothFunction = std::function<std::optional<double>(ConstVectorView x, VectorView gradient)>;

struct AscentOptions {
  int max_evaluations = 100;
  // The ascent ends when a step changes the value by less than this, absolutely
  // or relative to the value, ...
  double value_tolerance = 1e-8;
  double relative_value_tolerance = 1e-10;
  // ... or changes no coordinate by more than this.
  double step_tolerance = 1e-8;
  Deadline deadline = Deadline::Infinite();
};

struct AscentResult {
  Vector x;                     // The best point seen; the start if there is none.
  std::optional<double> value;  // The value at x; nullopt if none could be computed.
  int evaluations = 0;
  bool deadline_passed = false;
};

// Ascends from `start`, which is first clamped to [lower, upper].
AscentResult AscendWithinBounds(const SmoothFunction& function, const Vector& start,
                                const Vector& lower, const Vector& upper,
                                const AscentOptions& options = AscentOptions());

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ASCENT_BOUNDED_ASCENT_H_
