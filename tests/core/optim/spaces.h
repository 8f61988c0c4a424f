// Spaces and functions over them for the tests of this folder.
#ifndef SLIPSTREAM_TESTS_CORE_OPTIM_SPACES_H_
#define SLIPSTREAM_TESTS_CORE_OPTIM_SPACES_H_

#include <functional>
#include <vector>

#include "core/optim/point_function.h"
#include "core/space/search_space.h"

namespace slipstream {

// Ends the test program if the parameters are not legal.
SearchSpace MakeSpace(std::vector<Parameter> parameters);

// A space of `dimension` real numbers from 0 to 1, whose coordinates are their values.
SearchSpace Cube(size_t dimension);

// A space with a word at the root, an integer and a word that depend on two of its
// values, a discrete number that depends on the integer, and an independent flag.
SearchSpace ConditionalSpace();

// All configurations, found by trying each combination of values, including inactive
// ones, and keeping those that IsLegal accepts. For spaces without double parameters.
std::vector<Configuration> NaiveConfigurations(const SearchSpace& space);

// A function of coordinates with its gradient, as the maximiser takes it.
PointFunction Smooth(std::function<double(ConstVectorView)> value,
                     std::function<Vector(ConstVectorView)> gradient);

// -sum (x - centre)^2, with a zero gradient along the words of `space`.
PointFunction Hill(const SearchSpace& space, Vector centre);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_OPTIM_SPACES_H_
