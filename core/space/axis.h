// One coordinate of the unit cube: maps a parameter's values to [0, 1] and back,
// whatever its domain.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_SPACE_AXIS_H_
#define SLIPSTREAM_CORE_SPACE_AXIS_H_

#include <cstdint>
#include <variant>

#include "core/space/choice_axis.h"
#include "core/space/configuration.h"
#include "core/space/double_axis.h"
#include "core/space/integer_axis.h"
#include "core/space/parameter.h"

namespace slipstream {

class Axis {
 public:
  // `domain` must be valid.
  explicit Axis(const Domain& domain);

  // Values must be active and in the domain, coordinates in [0, 1].
  double CoordinateOf(const Value& value) const;
  Value ValueAt(double coordinate) const;
  // Uniform coordinates give uniform choices.
  Value SampleAt(double coordinate) const;

  // Whether values have no distance: two of them are equal or different.
  bool unordered() const;

 private:
  struct LevelAxis : ChoiceAxis {
    using ChoiceAxis::ChoiceAxis;
  };
  struct BooleanAxis : ChoiceAxis {
    BooleanAxis() : ChoiceAxis(2) {}
  };
  using Way = std::variant<DoubleAxis, IntegerAxis, DiscreteAxis, LevelAxis, BooleanAxis>;

  static Way WayOf(const Domain& domain);

  Way way_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_AXIS_H_
