#include "core/stopping/horizon.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

constexpr double kGraceShare = 0.1;

}  // namespace

std::optional<int64_t> Horizon::Steps(const std::vector<CostCurve>& others) const {
  if (most_steps.has_value()) return most_steps;
  std::optional<int64_t> longest;
  for (const CostCurve& other : others) {
    if (other.is_measured()) longest = std::max(longest.value_or(1), other.last_step());
  }
  return longest;
}

int64_t Horizon::FirstStep(int64_t steps) const {
  return grace_steps.value_or(ShareOf(steps, kGraceShare));
}

int64_t ShareOf(int64_t steps, double share) {
  return std::max(int64_t{1}, static_cast<int64_t>(std::ceil(static_cast<double>(steps) * share)));
}

StoppingAdvice UnknownHorizon() {
  return {false, "No other training run has finished yet, so it is unknown how long one is."};
}

StoppingAdvice BeforeFirstStep(int64_t step, int64_t first) {
  return {false,
          absl::StrCat("It is at step ", step, ", and no training run is stopped before step ",
                       first, ".")};
}

StoppingAdvice TooFewCurves(size_t count, int64_t step, int64_t least) {
  return {false,
          absl::StrCat("Only ", count, count == 1 ? " other has" : " others have",
                       " a value for step ", step,
                       ", too few to compare with: it takes at least ", least, ".")};
}

}  // namespace slipstream
