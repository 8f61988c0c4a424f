// Maximises a smooth function within bounds by limited-memory BFGS (NLopt's
// LD_LBFGS; Nocedal, "Updating quasi-Newton matrices with limited storage",
// 1980).
//
// Thread-safe and a pure function of its arguments, as far as the objective is.
#ifndef SLIPSTREAM_CORE_ASCENT_BOUNDED_ASCENT_H_
#define SLIPSTREAM_CORE_ASCENT_BOUNDED_ASCENT_H_

#include <functional>
#include <optional>

#include "absl/time/time.h"
#include "core/linalg/types.h"

namespace slipstream {

// The value at `x`, and the gradient there into the second argument. Nothing
// where the function cannot be computed; the ascent then looks elsewhere.
using SmoothFunction = std::function<std::optional<double>(ConstVectorView x, VectorView gradient)>;

struct AscentOptions {
  int max_evaluations = 100;
  // Ends when a step changes the value by less than this, absolutely or as a
  // part of the value, ...
  double value_tolerance = 1e-8;
  double relative_value_tolerance = 1e-10;
  // ... or no coordinate by more than this.
  double step_tolerance = 1e-8;
  absl::Time deadline = absl::InfiniteFuture();
};

struct AscentResult {
  Vector x;                          // The best seen; the start if nothing was.
  std::optional<double> value;       // There; nothing if it could nowhere be computed.
  int evaluations = 0;
  bool deadline_passed = false;
};

// From `start`, taken into [lower, upper].
AscentResult AscendWithinBounds(const SmoothFunction& function, const Vector& start,
                                const Vector& lower, const Vector& upper,
                                const AscentOptions& options = AscentOptions());

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ASCENT_BOUNDED_ASCENT_H_
