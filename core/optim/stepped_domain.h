// The values of a domain that has steps, by their place in it.
#ifndef SLIPSTREAM_CORE_OPTIM_STEPPED_DOMAIN_H_
#define SLIPSTREAM_CORE_OPTIM_STEPPED_DOMAIN_H_

#include <cstdint>

#include "core/space/configuration.h"
#include "core/space/parameter.h"

namespace slipstream {

// Whether the domain is anything but double.
bool IsStepped(const Domain& domain);

// How many values a stepped domain has, the value at each place from 0, and the place
// of a value.
int64_t CountOf(const Domain& domain);
Value ValueAt(const Domain& domain, int64_t place);
int64_t PlaceOf(const Domain& domain, const Value& value);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_OPTIM_STEPPED_DOMAIN_H_
