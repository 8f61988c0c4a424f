#include "core/gp/correlation.h"

#include <cmath>

namespace slipstream {

void Correlate(Smoothness smoothness, ArrayView s) {
  switch (smoothness) {
    case Smoothness::kMatern12:
      s = (-s.sqrt()).exp();
      return;
    case Smoothness::kMatern32:
      s = (3.0 * s).sqrt();
      s = (1 + s) * (-s).exp();
      return;
    case Smoothness::kMatern52:
      s = (5.0 * s).sqrt();
      s = (1 + s * (1 + s * (1.0 / 3))) * (-s).exp();
      return;
    case Smoothness::kSquaredExponential:
      s = (-0.5 * s).exp();
      return;
  }
}

void CorrelateWithSlopes(Smoothness smoothness, ArrayView s, ArrayView slopes) {
  switch (smoothness) {
    case Smoothness::kMatern12:
      slopes = s.sqrt();
      s = (-slopes).exp();
      slopes = (slopes > 0).select(-0.5 * s / slopes, 0.0);
      return;
    case Smoothness::kMatern32:
      s = (3.0 * s).sqrt();
      slopes = (-s).exp();
      s = (1 + s) * slopes;
      slopes *= -1.5;
      return;
    case Smoothness::kMatern52:
      s = (5.0 * s).sqrt();
      slopes = (-s).exp();
      for (Index i = 0; i < s.size(); ++i) {
        const double a = s[i];
        const double decay = slopes[i];
        s[i] = (1 + a * (1 + a * (1.0 / 3))) * decay;
        slopes[i] = (-5.0 / 6) * (1 + a) * decay;
      }
      return;
    case Smoothness::kSquaredExponential:
      s = (-0.5 * s).exp();
      slopes = -0.5 * s;
      return;
  }
}

}  // namespace slipstream
