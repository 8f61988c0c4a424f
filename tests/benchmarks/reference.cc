#include "tests/benchmarks/reference.h"

#include <cstdlib>
#include <utility>

#include "core/strategy/presets.h"

namespace slipstream {

std::unique_ptr<Strategy> LogImprovementAlone() {
  auto strategy = FindPreset("gp_log_ei")->CreateWith({.exploration = "none"});
  if (!strategy.ok()) std::abort();
  return *std::move(strategy);
}

}  // namespace slipstream
