// Parameters and spaces for tests.
#ifndef SLIPSTREAM_TESTS_CORE_SPACE_SPACE_FIXTURES_H_
#define SLIPSTREAM_TESTS_CORE_SPACE_SPACE_FIXTURES_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/space/search_space.h"

namespace slipstream {

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();

// A parameter with neither a default nor a condition.
inline Parameter Named(std::string name, Domain domain) {
  return {std::move(name), std::move(domain), std::nullopt, std::nullopt};
}

// Fails the test if the parameters are not legal.
SearchSpace MustCreateSpace(
    std::vector<Parameter> parameters,
    std::optional<SearchSpace::CandidateTable> candidates = std::nullopt);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_CORE_SPACE_SPACE_FIXTURES_H_
