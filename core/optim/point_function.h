// A function of encoded configurations, to be maximised.
#ifndef SLIPSTREAM_CORE_OPTIM_POINT_FUNCTION_H_
#define SLIPSTREAM_CORE_OPTIM_POINT_FUNCTION_H_

#include <functional>

#include "core/linalg/types.h"

namespace slipstream {

using ValueAndGradient = std::function<double(ConstVectorView x, VectorView gradient)>;

// All are pure; no value is NaN.
struct PointFunction {
  // At many points at once.
  std::function<Vector(const PointMatrix& x)> values;
  // At one point, with the gradient (0 along categories) into the second argument.
  ValueAndGradient value_and_gradient;
  // Makes a faster approximation of value_and_gradient that holds around `point`. May be empty, or
  // return an empty function, where there is none.
  std::function<ValueAndGradient(ConstVectorView point)> near = {};
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_OPTIM_POINT_FUNCTION_H_
