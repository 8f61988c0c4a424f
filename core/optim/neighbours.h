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
  // Keeps a reference to `space`. `most_values` is the most that Change tries.
  Neighbours(const SearchSpace& space, size_t most_values);

  // Parameters whose values are steps: integers, discrete numbers, words.
  const std::vector<size_t>& Stepped() const { return stepped_; }

  // Those that exist in `configuration` and are numbers.
  std::vector<Index> Numbers(const Configuration& configuration) const;

  // `configuration` with each other value of `parameter`, if that exists in it.
  // Where there are more than most_values: numbers at distances 1, 2, 4, ... steps both
  // ways, or words drawn by `seed`. Parameters that come into existence get
  // their fallback.
  std::vector<Configuration> Change(const Configuration& configuration, size_t parameter,
                                    uint64_t seed) const;

 private:
  std::vector<Value> OtherValues(const Value& value, size_t parameter, uint64_t seed) const;
  Configuration With(Configuration configuration, size_t parameter, const Value& value) const;

  const SearchSpace& space_;
  size_t most_values_;
  std::vector<size_t> stepped_;
};

// A configuration near `centre`: some of its coordinates, at least one, moved
// by normal steps whose size depends on `index` alone, words drawn anew. A pure
// function of its arguments.
Configuration PerturbedBy(const SearchSpace& space, const Configuration& centre, uint64_t seed,
                          uint64_t index);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_OPTIM_NEIGHBOURS_H_
