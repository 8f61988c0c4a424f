#include "tests/core/space/space_fixtures.h"

#include "gtest/gtest.h"

namespace slipstream {

SearchSpace MustCreateSpace(std::vector<Parameter> parameters,
                            std::optional<SearchSpace::CandidateTable> candidates) {
  absl::StatusOr<SearchSpace> space =
      SearchSpace::Create(std::move(parameters), std::move(candidates));
  EXPECT_TRUE(space.ok()) << space.status();
  return *std::move(space);
}

}  // namespace slipstream
