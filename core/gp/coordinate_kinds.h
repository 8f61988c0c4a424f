// What a coordinate of an encoded configuration means to a kernel.
//
// Numbers (double, integer and discrete parameters) lie on a line, by their
// parameter's scale. Categories (of categorical parameters, true and false) are just
// different: any two different ones are the same distance apart, which is what
// one-hot coordinates of length 1/sqrt(2) give, so every kernel of Euclid's
// distance stays a kernel. The order in which a user listed the categories must not
// matter, and one lengthscale a parameter is what little data can teach.
//
// A parameter that does not exist in a configuration has the coordinate of its
// default (SearchSpace::Encode): two configurations without it do not differ in
// it, and one without is compared as if it had the default, while the parent's
// own coordinate tells the two kinds apart. This imputation keeps one positive
// definite kernel over the whole space and lets both kinds share what is common
// to them; kernels that forbid that sharing need more data than a study has.
#ifndef SLIPSTREAM_CORE_GP_COORDINATE_KINDS_H_
#define SLIPSTREAM_CORE_GP_COORDINATE_KINDS_H_

#include <vector>

#include "core/linalg/types.h"
#include "core/space/search_space.h"

namespace slipstream {

enum class CoordinateKind { kNumber, kWord };

using CoordinateKinds = std::vector<CoordinateKind>;

// One for each parameter, in the space's order.
CoordinateKinds KindsOf(const SearchSpace& space);

// `dimension` numbers.
CoordinateKinds Numbers(Index dimension);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_GP_COORDINATE_KINDS_H_
