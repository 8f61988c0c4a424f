// Configurations near a given one.
//
// Immutable, hence thread-safe.
#ifndef SLIPSTREAM_CORE_OPTIM_NEIGHBOURS_H_
#define SLIPSTREAM_CORE_OPTIM_NEIGHBOURS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/linalg/types.h"
#include "core/space/configuration.h"
#include "core/space/search_space.h"

namespace slipstream {

class Neighbours {
 public:
  // Keeps a reference to `space`. Change tries at most `most_values` values.
  Neighbours(const SearchSpace& space, size_t most_values);

  // The parameters with separate values: integers, discrete numbers, categories.
  const std::vector<size_t>& Stepped() const { return stepped_; }

  // The numeric parameters that are active in `configuration`.
  std::vector<Index> Numbers(const Configuration& configuration) const;

  // `configuration` with each other value of `parameter`, if it is active there.
  // If there are more than most_values, only numbers at distances of 1, 2, 4, ...
  // steps in both directions, or categories drawn by `seed`. Parameters that become
  // active get their fallback.
  std::vector<Configuration> Change(const Configuration& configuration, size_t parameter,
                                    uint64_t seed) const;

 private:
  std::vector<Value> OtherValues(const Value& value, size_t parameter, uint64_t seed) const;
  Configuration With(Configuration configuration, size_t parameter, const Value& value) const;

  const SearchSpace& space_;
  size_t most_values_;
  std::vector<size_t> stepped_;
};

// A configuration near `centre`: at least one of its coordinates is moved by a
// normal step whose size depends only on `index`, and categories are drawn again. A
// pure function of its arguments.
Configuration PerturbedBy(const SearchSpace& space, const Configuration& centre, uint64_t seed,
                          uint64_t index);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_OPTIM_NEIGHBOURS_H_
