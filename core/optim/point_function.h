// A function of encoded configurations, to be maximised.
#ifndef SLIPSTREAM_CORE_OPTIM_POINT_FUNCTION_H_
#define SLIPSTREAM_CORE_OPTIM_POINT_FUNCTION_H_

#include <functional>

#include "core/linalg/types.h"

namespace slipstream {

// All are pure; no value is NaN.
struct PointFunction {
  // At many points at once.
  std::function<Vector(const PointMatrix& x)> values;
  // At one point, with the gradient (0 along words) into the second argument.
  std::function<double(ConstVectorView x, VectorView gradient)> value_and_gradient;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_OPTIM_POINT_FUNCTION_H_
