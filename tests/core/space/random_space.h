// Random search spaces of every kind, and random legal values in them, for
// property tests. All draws come from a RandomStream, the same on every machine.
#ifndef SLIPSTREAM_TESTS_CORE_SPACE_RANDOM_SPACE_H_
#define SLIPSTREAM_TESTS_CORE_SPACE_RANDOM_SPACE_H_

#include <cstddef>
#include <cstdint>

#include "core/space/search_space.h"

namespace slipstream {

class RandomStream {
 public:
  explicit RandomStream(uint64_t seed) : seed_(seed) {}
  uint64_t Bits();
  // A number from 0 to count - 1.
  size_t Below(size_t count) { return static_cast<size_t>(Bits() % count); }
  bool OneIn(size_t count) { return Below(count) == 0; }
  double Uniform();
  // Any finite double, with all exponents equally likely.
  double AnyDouble();

 private:
  uint64_t seed_;
  uint64_t drawn_ = 0;
};

// A legal space with up to `max_parameters` parameters of all kinds and scales,
// extreme ranges, nested conditions and defaults.
SearchSpace RandomSpace(RandomStream& random, size_t max_parameters);

// A legal value of one parameter: an end of its range, a neighbour of an end, or a
// value in between.
Value RandomValue(RandomStream& random, const Domain& domain);

// A legal configuration of such values.
Configuration RandomConfiguration(RandomStream& random, const SearchSpace& space);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_SPACE_RANDOM_SPACE_H_
