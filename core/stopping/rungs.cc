#include "core/stopping/rungs.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/stopping/cost_curve.h"
#include "core/stopping/horizon.h"

namespace slipstream {
namespace {

// The first rungs as shares of a whole training, where they are not given.
constexpr double kFirstAsha = 1.0 / 5;
constexpr double kFirstHyperband = 1.0 / 27;

constexpr OptionInfo kReductionFactor = {
    "reduction_factor",
    "",
    2,
    100,
    false,
    "One in this many training runs goes on at each comparison, and each comparison comes this "
    "many times later than the one before"};

struct RungOptions {
  std::optional<int64_t> first_rung;
  double reduction_factor = 2;
  Horizon horizon = {};

  friend bool operator==(const RungOptions&, const RungOptions&) = default;
};

constexpr Option<RungOptions> kAshaOptions[] = {
    OptionAt<&RungOptions::first_rung>(
        {"first_rung", "steps", 1, 1e9, true,
         "The step of the first comparison; unless given, a fifth of a complete training"}),
    OptionAt<&RungOptions::reduction_factor>(kReductionFactor),
    OptionAt<&RungOptions::horizon, &Horizon::most_steps>(kMostSteps),
};

constexpr Option<RungOptions> kHyperbandOptions[] = {
    OptionAt<&RungOptions::first_rung>(
        {"first_rung", "steps", 1, 1e9, true,
         "The step of the first comparison; unless given, a 27th of a complete training"}),
    OptionAt<&RungOptions::reduction_factor>(kReductionFactor),
    OptionAt<&RungOptions::horizon, &Horizon::most_steps>(kMostSteps),
};

// Rounded up, but for what rounding errors may have added.
int64_t RungStep(double rung) { return static_cast<int64_t>(std::ceil(rung * (1 - 1e-12))); }

// Judges the training at `rung`, which it has reached, against those of `others` that have, too,
// with a report by then.
StoppingAdvice AdviceAtRung(const StoppingView& view, const std::vector<CostCurve>& others,
                            int64_t rung, double factor) {
  const CostCurve running(view.goal, view.running);
  const int64_t step = std::max(rung, running.first_step());  // Its first report may come later.
  const double own = running.BestUpTo(step);
  size_t count = 1;
  size_t better = 0;
  for (const CostCurve& other : others) {
    if (!other.HasValueBy(step)) continue;
    ++count;
    if (other.BestUpTo(step) < own) ++better;
  }
  const auto kept =
      static_cast<size_t>(std::max(1.0, std::floor(static_cast<double>(count) / factor)));
  const bool stop = better >= kept;
  return {stop, absl::StrCat("At step ", step, ", ", better, " of ", count - 1,
                             " others were better than its ", CostText(view.goal, own),
                             stop ? ", and only the best " : "; the best ", kept, " of ", count,
                             " go on.")};
}

// Advice of both rules, once it is known where the first rung is.
StoppingAdvice AdviceFrom(const StoppingView& view, const std::vector<CostCurve>& others,
                          double first, double factor, std::optional<int64_t> steps) {
  const int64_t step = view.running.reports.back().step;
  if (steps.has_value() && RungStep(first) >= *steps) {
    return {false, absl::StrCat("No training run is stopped before the last step, ", *steps, ".")};
  }
  const int64_t last = steps.has_value() ? std::min(step, *steps - 1) : step;
  const std::optional<int64_t> rung = HighestRung(first, factor, last);
  if (!rung.has_value()) return BeforeFirstStep(step, RungStep(first));
  return AdviceAtRung(view, others, *rung, factor);
}

// The step of the first rung, perhaps between two; empty if it is unknown.
std::optional<double> FirstRung(const RungOptions& options, std::optional<int64_t> steps,
                                double share) {
  if (options.first_rung.has_value()) return static_cast<double>(*options.first_rung);
  if (!steps.has_value()) return std::nullopt;
  return std::max(1.0, static_cast<double>(*steps) * share);
}

class Asha final : public StoppingRule {
 public:
  explicit Asha(const RungOptions& options) : options_(options) {}

 private:
  StoppingAdvice DoAdvise(const StoppingView& view) const override {
    const std::vector<CostCurve> others = ComparedCurves(view);
    const std::optional<int64_t> steps = options_.horizon.Steps(others);
    const std::optional<double> first = FirstRung(options_, steps, kFirstAsha);
    if (!first.has_value()) return UnknownHorizon();
    return AdviceFrom(view, others, *first, options_.reduction_factor, steps);
  }

  const RungOptions options_;
};

class Hyperband final : public StoppingRule {
 public:
  explicit Hyperband(const RungOptions& options) : options_(options) {}

 private:
  StoppingAdvice DoAdvise(const StoppingView& view) const override {
    std::vector<CostCurve> others = ComparedCurves(view);
    const std::optional<int64_t> steps = options_.horizon.Steps(others);
    if (!steps.has_value()) return UnknownHorizon();
    const double factor = options_.reduction_factor;
    const double first = *FirstRung(options_, steps, kFirstHyperband);
    const std::vector<double> shares = BracketShares(first, factor, *steps);
    const size_t bracket = BracketOf(view.running.trial, shares);
    const auto is_elsewhere = [&](const CostCurve& other) {
      return BracketOf(other.trial(), shares) != bracket;
    };
    others.erase(std::remove_if(others.begin(), others.end(), is_elsewhere), others.end());
    StoppingAdvice advice = AdviceFrom(
        view, others, first * std::pow(factor, static_cast<double>(bracket)), factor, steps);
    advice.reason =
        absl::StrCat("In bracket ", bracket + 1, " of ", shares.size(), ": ", advice.reason);
    return advice;
  }

  const RungOptions options_;
};

}  // namespace

std::optional<int64_t> HighestRung(double first, double factor, int64_t step) {
  std::optional<int64_t> highest;
  for (double rung = first; rung < 0x1p62 && RungStep(rung) <= step; rung *= factor) {
    highest = RungStep(rung);
  }
  return highest;
}

std::vector<double> BracketShares(double first, double factor, int64_t steps) {
  size_t brackets = 1;
  for (double rung = first * factor; rung < 0x1p62 && RungStep(rung) <= steps; rung *= factor) {
    ++brackets;
  }
  std::vector<double> shares(brackets);
  double sum = 0;
  for (size_t b = 0; b < brackets; ++b) {
    const auto later = static_cast<double>(brackets - 1 - b);
    shares[b] = std::ceil(static_cast<double>(brackets) * std::pow(factor, later) / (later + 1));
    sum += shares[b];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

size_t BracketOf(int64_t trial, const std::vector<double>& shares) {
  // 2^64 times (sqrt(5) - 1) / 2: the product's overflow is the whole part.
  const uint64_t spread = static_cast<uint64_t>(trial) * 0x9e3779b97f4a7c15;
  double place = static_cast<double>(spread >> 11) * 0x1p-53;
  for (size_t bracket = 0; bracket + 1 < shares.size(); ++bracket) {
    place -= shares[bracket];
    if (place < 0) return bracket;
  }
  return shares.size() - 1;
}

const StoppingRow kAshaRule = {
    .about = {.name = "asha",
              .summary = "At increasingly late steps, only the best of the training runs that "
                         "reach the step continue",
              .source = "Li et al. 2020, the stopping variant",
              .options = [] { return OptionSet(RungOptions(), kAshaOptions); }},
    .make = [](const OptionSet& options) -> std::unique_ptr<const StoppingRule> {
      return std::make_unique<Asha>(options.As<RungOptions>());
    },
};

const StoppingRow kHyperbandRule = {
    .about = {.name = "hyperband",
              .summary = "asha in several brackets; later brackets stop fewer training runs, and "
                         "stop them later",
              .source = "Li et al. 2018; brackets dealt as in Optuna",
              .options = [] { return OptionSet(RungOptions(), kHyperbandOptions); }},
    .make = [](const OptionSet& options) -> std::unique_ptr<const StoppingRule> {
      return std::make_unique<Hyperband>(options.As<RungOptions>());
    },
};

}  // namespace slipstream
