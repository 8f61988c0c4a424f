// Values of one domain: converts between a person's way of writing them and the
// core's.
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_SPACE_DOMAIN_VALUE_H_
#define SLIPSTREAM_CORE_SPACE_DOMAIN_VALUE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "core/space/configuration.h"
#include "core/space/parameter.h"

namespace slipstream {

// The index of each category of a categorical domain; empty for other domains.
// Refers to the domain's strings.
using LevelIndex = std::unordered_map<absl::string_view, int64_t, absl::Hash<absl::string_view>>;
LevelIndex LevelIndexOf(const Domain& domain);

// `value` as one of `domain`; absent if it is of the wrong kind, not finite or
// outside. `levels` belongs to `domain`.
std::optional<Value> ValueInDomain(const Domain& domain, const LevelIndex& levels,
                                   const NamedValue& value);

// Whether `value` is active and one of `domain`.
bool IsInDomain(const Domain& domain, const Value& value);

// The inverse of ValueInDomain; `value` is in the domain.
NamedValue NameInDomain(const Domain& domain, const Value& value);

// Texts for messages: the value (categories in quotes), and what a domain accepts.
std::string TextOf(const NamedValue& value);
std::string BoundOf(const Domain& domain);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_DOMAIN_VALUE_H_
