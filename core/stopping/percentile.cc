#include "core/stopping/percentile.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/stopping/cost_curve.h"
#include "core/stopping/horizon.h"

namespace slipstream {
namespace {

struct PercentileOptions {
  double percentile = 50;
  Horizon horizon = {};
  int64_t least_curves = 5;

  friend bool operator==(const PercentileOptions&, const PercentileOptions&) = default;
};

constexpr Option<PercentileOptions> kMedianOptions[] = {
    OptionAt<&PercentileOptions::horizon, &Horizon::grace_steps>(kGraceSteps),
    OptionAt<&PercentileOptions::horizon, &Horizon::most_steps>(kMostSteps),
    OptionAt<&PercentileOptions::least_curves>(kLeastCurves),
};

constexpr Option<PercentileOptions> kPercentileOptions[] = {
    OptionAt<&PercentileOptions::percentile>(
        {"percentile", "%", 0, 100, false,
         "A training run goes on while it is among this share of the best: with 25, among the "
         "best quarter"}),
    OptionAt<&PercentileOptions::horizon, &Horizon::grace_steps>(kGraceSteps),
    OptionAt<&PercentileOptions::horizon, &Horizon::most_steps>(kMostSteps),
    OptionAt<&PercentileOptions::least_curves>(kLeastCurves),
};

// "the median", "the best 25%".
std::string LimitText(double percentile) {
  if (percentile == 50) return "the median";
  return absl::StrCat("the limit of the best ", percentile, "%");
}

class PercentileRule final : public StoppingRule {
 public:
  explicit PercentileRule(const PercentileOptions& options) : options_(options) {}

 private:
  StoppingAdvice DoAdvise(const StoppingView& view) const override {
    const std::vector<CostCurve> others = ComparedCurves(view);
    const std::optional<int64_t> steps = options_.horizon.Steps(others);
    if (!steps.has_value()) return UnknownHorizon();
    const CostCurve running(view.goal, view.running);
    const int64_t step = running.last_step();
    const int64_t first = options_.horizon.FirstStep(*steps);
    if (step < first) return BeforeFirstStep(step, first);
    std::vector<double> costs;
    for (const CostCurve& other : others) {
      if (other.HasValueBy(step)) costs.push_back(other.BestUpTo(step));
    }
    const size_t count = costs.size();
    if (count < static_cast<size_t>(options_.least_curves)) {
      return TooFewCurves(count, step, options_.least_curves);
    }
    const double own = running.BestUpTo(step);
    const double limit = PercentileOf(std::move(costs), options_.percentile);
    const bool stop = own > limit;
    return {stop, absl::StrCat("Its best value up to step ", step, ", ", CostText(view.goal, own),
                               stop ? ", is worse than " : ", is not worse than ",
                               CostText(view.goal, limit), ", ", LimitText(options_.percentile),
                               " of the ", count, " others that got this far.")};
  }

  const PercentileOptions options_;
};

std::unique_ptr<const StoppingRule> MakePercentile(const OptionSet& options) {
  return std::make_unique<PercentileRule>(options.As<PercentileOptions>());
}

}  // namespace

double PercentileOf(std::vector<double> numbers, double percent) {
  std::sort(numbers.begin(), numbers.end());
  const double place = percent / 100 * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<size_t>(place);
  const double share = place - std::floor(place);
  if (share == 0) return numbers[below];
  return numbers[below] * (1 - share) + numbers[below + 1] * share;
}

const StoppingRow kMedianRule = {
    .about = {.name = "median",
              .summary = "Stops training runs that are worse than the median of the others at the "
                         "same step",
              .source = "Golovin et al. 2017, section 3.1.1, with the others' best values",
              .options = [] { return OptionSet(PercentileOptions(), kMedianOptions); }},
    .make = MakePercentile,
};

const StoppingRow kPercentileRule = {
    .about = {.name = "percentile",
              .summary = "Stops training runs that are not among the best at the same step",
              .source = "Optuna's PercentilePruner, with the others' best values",
              .options =
                  [] {
                    return OptionSet(PercentileOptions{.percentile = 40}, kPercentileOptions);
                  }},
    .make = MakePercentile,
};

}  // namespace slipstream
