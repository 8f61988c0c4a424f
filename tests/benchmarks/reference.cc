#include "tests/benchmarks/reference.h"

#include <cstdlib>
#include <utility>

#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"

namespace slipstream {

std::unique_ptr<Strategy> LogImprovementAlone() {
  auto strategy = MakeStrategy(*FindPreset("gp_log_ei"), {.exploration = "none"});
  if (!strategy.ok()) std::abort();
  return *std::move(strategy);
}

}  // namespace slipstream
