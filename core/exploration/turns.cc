#include "core/exploration/turns.h"

#include <memory>
#include <string>
#include <utility>

#include "core/base/status.h"
#include "core/space/branches.h"

namespace slipstream {
namespace {

// When turns begin, on outputs of variance 1, and what they are.
constexpr double kLittleImprovement = 0.01;
constexpr int64_t kTurnLength = 3;
constexpr double kRefining = 0.35;
constexpr double kExploring = 1.2;
constexpr double kExploringMixed = 2;

bool TakesTurns(const ExploredSearch& search, const NextPoint& next) {
  const NextPointRequest& request = search.request;
  const auto improvement = request.acquisition->improvement;
  return improvement != nullptr && !search.has_lengthscale_rule && !request.model.is_costly() &&
         !next.searched_whole && improvement(next.value) < kLittleImprovement;
}

double FactorOf(const NextPointRequest& request) {
  if (request.round % kTurnLength == 0) return kRefining;
  return IsMixed(request.space) ? kExploringMixed : kExploring;
}

class Turns final : public Exploration {
 public:
  // Without time for a turn the acquisition's point stays: it is better than a step down the
  // ladder.
  absl::StatusOr<ExploredPoint> Choose(ExploredSearch search) const override {
    const NextPointRequest& request = search.request;
    SLIPSTREAM_ASSIGN_OR_RETURN(ExploredPoint point, Exploration::Choose(search));
    if (!TakesTurns(search, point.next)) return point;
    NextPointRequest turned = request.With(request.acquisition, request.model);
    turned.deviation_factor = FactorOf(request);
    absl::StatusOr<NextPoint> next = ChooseNextPoint(turned);
    if (absl::IsDeadlineExceeded(next.status())) {
      point.facts.push_back({"turn", std::string("left out: no time")});
      return point;
    }
    if (!next.ok()) return next.status();
    return ExploredPoint{*std::move(next), {}, {{"deviation_factor", turned.deviation_factor}}};
  }
};

}  // namespace

const ExplorationRow kTurns = {
    .about = {.name = "turns",
              .summary = "Once little is expected, alternates between refining and exploring"},
    .make = [](const OptionSet&) -> std::unique_ptr<Exploration> {
      return std::make_unique<Turns>();
    },
};

}  // namespace slipstream
