#include "core/stopping/curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/gp/normal.h"
#include "core/stopping/cost_curve.h"
#include "core/stopping/freeze_thaw.h"
#include "core/stopping/horizon.h"
#include "core/stopping/percentile.h"

namespace slipstream {
namespace {

constexpr size_t kMostCurves = 64;
constexpr int64_t kCommonSteps = 14;

struct CurveOptions {
  double least_probability = 0.02;
  int64_t least_curves = 5;
  Horizon horizon = {};

  friend bool operator==(const CurveOptions&, const CurveOptions&) = default;
};

constexpr Option<CurveOptions> kCurveOptions[] = {
    OptionAt<&CurveOptions::least_probability>(
        {"least_probability", "", 0, 1, false,
         "A training run goes on if its probability of beating the best result is at least this"}),
    OptionAt<&CurveOptions::least_curves>(kLeastCurves),
    OptionAt<&CurveOptions::horizon, &Horizon::grace_steps>(kGraceSteps),
    OptionAt<&CurveOptions::horizon, &Horizon::most_steps>(kMostSteps),
};

// The finished trainings of the study, in a nutshell.
struct Finished {
  int64_t count = 0;
  double incumbent = 0;  // The least final cost.
};

Finished LookAtFinished(const std::vector<CostCurve>& curves) {
  Finished finished;
  for (const CostCurve& curve : curves) {
    if (!curve.is_measured()) continue;
    const double cost = curve.FinalCost();
    finished.incumbent = finished.count == 0 ? cost : std::min(finished.incumbent, cost);
    ++finished.count;
  }
  return finished;
}

// The curves that teach the model: finished ones first, then the later ones.
std::vector<CostCurve> Teachers(std::vector<CostCurve> curves) {
  std::stable_sort(curves.begin(), curves.end(), [](const CostCurve& a, const CostCurve& b) {
    if (a.is_measured() != b.is_measured()) return a.is_measured();
    return a.trial() > b.trial();
  });
  if (curves.size() > kMostCurves) curves.erase(curves.begin() + kMostCurves, curves.end());
  return curves;
}

// Costs as the model sees them.
class Warp {
 public:
  Warp(double incumbent, const std::vector<CostCurve>& curves) : incumbent_(incumbent) {
    std::vector<double> distances;
    for (const CostCurve& curve : curves)
      distances.push_back(std::abs(Distance(curve.Cost(curve.reports().size() - 1))));
    scale_ = PercentileOf(std::move(distances), 50);
  }

  // Whether there is a scale.
  bool is_usable() const { return scale_ > 0; }
  double operator()(double cost) const {
    constexpr double kMost = std::numeric_limits<double>::max();
    return std::asinh(std::clamp(Distance(cost) / scale_, -kMost, kMost));
  }

 private:
  // Half of it, as the difference of two huge costs might overflow.
  double Distance(double cost) const { return cost / 2 - incumbent_ / 2; }

  double incumbent_;
  double scale_ = 0;
};

// Up to kCommonSteps of the steps up to `most`, the last one among them, closer together at first.
std::vector<int64_t> CommonSteps(int64_t most) {
  std::vector<int64_t> steps;
  for (int64_t i = 1; i <= kCommonSteps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(kCommonSteps);
    const auto step = static_cast<int64_t>(std::ceil(share * share * static_cast<double>(most)));
    if (steps.empty() || step > steps.back()) steps.push_back(step);
  }
  return steps;
}

double TimeOf(int64_t step, int64_t most) {
  return static_cast<double>(step) / static_cast<double>(most);
}

ObservedCurves AtCommonSteps(const std::vector<CostCurve>& curves, int64_t most, const Warp& warp) {
  const std::vector<int64_t> steps = CommonSteps(most);
  const auto rows = static_cast<Index>(steps.size());
  const auto columns = static_cast<Index>(curves.size());
  ObservedCurves observed = {Vector(rows), Matrix::Zero(rows, columns), {}};
  for (Index i = 0; i < rows; ++i) observed.times[i] = TimeOf(steps[static_cast<size_t>(i)], most);
  for (Index j = 0; j < columns; ++j) {
    const CostCurve& curve = curves[static_cast<size_t>(j)];
    Index length = 0;
    for (const int64_t step : steps) {
      if (!curve.HasReached(step)) break;
      observed.values(length++, j) = warp(curve.At(step));
    }
    observed.lengths.push_back(length);
  }
  return observed;
}

ObservedCurve UpToItsLast(const CostCurve& curve, int64_t most, const Warp& warp) {
  std::vector<int64_t> steps;
  for (const int64_t step : CommonSteps(most)) {
    if (step < curve.last_step()) steps.push_back(step);
  }
  steps.push_back(curve.last_step());
  const auto size = static_cast<Index>(steps.size());
  ObservedCurve observed = {Vector(size), Vector(size)};
  for (Index i = 0; i < size; ++i) {
    const int64_t step = steps[static_cast<size_t>(i)];
    observed.times[i] = TimeOf(step, most);
    observed.values[i] = warp(curve.At(step));
  }
  return observed;
}

// That the value is less than `limit`; empty if nothing is believed.
std::optional<double> ProbabilityBelow(const std::vector<CurveBelief>& beliefs, double limit) {
  if (beliefs.empty()) return std::nullopt;
  double probability = 0;
  for (const CurveBelief& belief : beliefs) {
    probability +=
        belief.weight * StandardNormalDistribution((limit - belief.mean) / belief.deviation);
  }
  return probability;
}

class CurveRule final : public StoppingRule {
 public:
  explicit CurveRule(const CurveOptions& options) : options_(options) {}

 private:
  StoppingAdvice DoAdvise(const StoppingView& view) const override {
    const std::vector<CostCurve> curves = ComparedCurves(view);
    const std::optional<int64_t> most = options_.horizon.Steps(curves);
    if (!most.has_value()) return UnknownHorizon();
    const int64_t step = view.running.reports.back().step;
    const int64_t first = options_.horizon.FirstStep(*most);
    if (step < first) return BeforeFirstStep(step, first);
    const Finished finished = LookAtFinished(curves);
    if (finished.count < options_.least_curves) {
      return {false, absl::StrCat(finished.count, " others have finished, too few to learn from: ",
                                  "it takes at least ", options_.least_curves, ".")};
    }
    if (step >= *most) {
      return {false, absl::StrCat("It is at step ", step, " of ", *most, ", which is the last.")};
    }
    return Extrapolate(view, curves, finished.incumbent, *most);
  }

  StoppingAdvice Extrapolate(const StoppingView& view, const std::vector<CostCurve>& curves,
                             double incumbent, int64_t most) const {
    const CostCurve running(view.goal, view.running);
    const std::vector<CostCurve> teachers = Teachers(curves);
    const Warp warp(incumbent, teachers);
    std::optional<double> probability;
    if (warp.is_usable()) {
      const FreezeThaw model(AtCommonSteps(teachers, most, warp));
      probability =
          ProbabilityBelow(model.BeliefsAtEnd(UpToItsLast(running, most, warp)), warp(incumbent));
    }
    if (!probability.has_value()) {
      return {false, absl::StrCat("The curves of the ", curves.size(),
                                  " others differ too little to learn from.")};
    }
    const bool stop = *probability < options_.least_probability;
    const int64_t step = running.last_step();
    return {stop, absl::StrCat("From ", CostText(view.goal, running.At(step)), " at step ", step,
                               " of ", most, " it beats the best result, ",
                               CostText(view.goal, incumbent), ", with a probability of ",
                               *probability, stop ? ", less than " : "; the least is ",
                               options_.least_probability, ".")};
  }

  const CurveOptions options_;
};

}  // namespace

const StoppingRow kCurveRule = {
    .about = {.name = "curve",
              .summary = "Stops training runs that, by their learning curves, will probably not "
                         "beat the best result",
              .source = "Swersky et al. 2014, the model; Domhan et al. 2015, the rule",
              .options = [] { return OptionSet(CurveOptions(), kCurveOptions); }},
    .make = [](const OptionSet& options) -> std::unique_ptr<const StoppingRule> {
      return std::make_unique<CurveRule>(options.As<CurveOptions>());
    },
};

}  // namespace slipstream
