// Spaces and functions over them for the tests of this folder.
#ifndef SLIPSTREAM_TESTS_CORE_OPTIM_SPACES_H_
#define SLIPSTREAM_TESTS_CORE_OPTIM_SPACES_H_

#include <functional>
#include <string>
#include <vector>

#include "core/optim/point_function.h"
#include "core/space/search_space.h"

namespace slipstream {

// Ends the test program where the parameters are not legal.
SearchSpace MakeSpace(std::vector<Parameter> parameters);

// `dimension` real numbers from 0 to 1, whose coordinates are their values.
SearchSpace Cube(size_t dimension);

// A word on top, an integer and a word below two of its values, a discrete
// number below that integer, and a flag of its own.
SearchSpace ConditionalSpace();

// All its configurations by trying each combination of values, inactive ones
// included, and keeping what IsLegal lets pass. No double parameters.
std::vector<Configuration> NaiveConfigurations(const SearchSpace& space);

// A function of coordinates with its gradient, as the maximiser takes it.
PointFunction Smooth(std::function<double(ConstVectorView)> value,
                     std::function<Vector(ConstVectorView)> gradient);

// -sum (x - centre)^2, without slope along the words of `space`.
PointFunction Hill(const SearchSpace& space, Vector centre);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_OPTIM_SPACES_H_
