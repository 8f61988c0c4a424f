// Maps the values of parameters with finitely many choices to [0, 1] and back.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_SPACE_CHOICE_AXIS_H_
#define SLIPSTREAM_CORE_SPACE_CHOICE_AXIS_H_

#include <cstddef>
#include <vector>

#include "core/space/parameter.h"

namespace slipstream {

// Unordered choices: the i-th of n owns [i/n, (i+1)/n] and lies in its middle.
class ChoiceAxis {
 public:
  // `count` > 0.
  explicit ChoiceAxis(size_t count) : count_(count) {}

  double CoordinateOf(size_t choice) const;
  // `coordinate` in [0, 1].
  size_t ChoiceAt(double coordinate) const;

 private:
  size_t count_;
};

// Ascending numbers: each lies where its value is on the scale from the first to
// the last (a single one in the middle), and owns the coordinates nearest to it.
// Their coordinates are distinct, if necessary by a few units in the last place.
class DiscreteAxis {
 public:
  explicit DiscreteAxis(const DiscreteDomain& domain);

  // `value` is one of the domain's.
  double CoordinateOf(double value) const;
  // Non-decreasing in `coordinate` (in [0, 1]).
  double ValueAt(double coordinate) const;
  // Like ValueAt, but every value owns the same share.
  double SampleAt(double coordinate) const;

 private:
  std::vector<double> values_;
  std::vector<double> coordinates_;  // Strictly ascending.
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_CHOICE_AXIS_H_
