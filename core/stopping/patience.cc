#include "core/stopping/patience.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/stopping/cost_curve.h"
#include "core/stopping/horizon.h"

namespace slipstream {
namespace {

constexpr double kWindowShare = 1.0 / 6;

struct PatienceOptions {
  std::optional<int64_t> patience;
  double least_improvement = 0;
  double catch_up = 1;
  bool stop_best = false;
  Horizon horizon = {};

  friend bool operator==(const PatienceOptions&, const PatienceOptions&) = default;
};

constexpr Option<PatienceOptions> kPatienceOptions[] = {
    OptionAt<&PatienceOptions::patience>(
        {"patience", "reports", 1, 1e6, true,
         "How many reports a training run may make without improving; unless given, a sixth of "
         "those of a complete one"}),
    OptionAt<&PatienceOptions::least_improvement>(
        {"least_improvement", "of the metric", 0, 1e300, false,
         "An improvement counts only if it is larger than this"}),
    OptionAt<&PatienceOptions::catch_up>(
        {"catch_up", "", 0, 1000, false,
         "A training run is assumed to improve at most this many times as fast as before; 0: "
         "without limit"}),
    OptionAt<&PatienceOptions::stop_best>(
        {"stop_best", "", 0, 1, true,
         "1: even the best training run is stopped when it no longer improves"}),
    OptionAt<&PatienceOptions::horizon, &Horizon::most_steps>(kMostSteps),
};

// The best costs of a curve and of its reports but the last `window` ones.
struct Progress {
  double before = 0;
  double now = 0;
};

Progress ProgressOf(const CostCurve& curve, size_t window) {
  const size_t count = curve.reports().size();
  Progress progress = {curve.Cost(0), curve.Cost(0)};
  for (size_t i = 1; i < count; ++i) {
    progress.now = std::min(progress.now, curve.Cost(i));
    if (i + window < count) progress.before = progress.now;
  }
  return progress;
}

// The best cost of any report; empty without curves.
std::optional<double> BestOf(const std::vector<CostCurve>& curves) {
  std::optional<double> best;
  for (const CostCurve& curve : curves) {
    const double own = curve.BestUpTo(curve.last_step());
    best = std::min(best.value_or(own), own);
  }
  return best;
}

class PatienceRule final : public StoppingRule {
 public:
  explicit PatienceRule(const PatienceOptions& options) : options_(options) {}

 private:
  StoppingAdvice DoAdvise(const StoppingView& view) const override {
    const CostCurve running(view.goal, view.running);
    const std::vector<CostCurve> others = ComparedCurves(view);
    const std::optional<int64_t> steps = options_.horizon.Steps(others);
    if (!options_.patience.has_value() && !steps.has_value()) return UnknownHorizon();
    const size_t window = Window(running, steps);
    const size_t reports = running.reports().size();
    if (reports <= window) {
      return {false, absl::StrCat("It has made ", reports, reports == 1 ? " report" : " reports",
                                  ", and it has ", window, " to improve.")};
    }
    const Progress progress = ProgressOf(running, window);
    const std::string so_far = absl::StrCat(
        "In its last ", window, " reports its best value went from ",
        CostText(view.goal, progress.before), " to ", CostText(view.goal, progress.now));
    const std::optional<double> best = BestOf(others);
    const bool is_best = !best.has_value() || progress.now <= *best;
    // Halves, as the difference of two huge costs might overflow.
    const bool stalls = progress.before / 2 - progress.now / 2 <= options_.least_improvement / 2;
    if (stalls && (options_.stop_best || !is_best)) {
      return {true, absl::StrCat(so_far, ", which is no improvement of more than ",
                                 options_.least_improvement, ".")};
    }
    if (is_best) return {false, absl::StrCat(so_far, "; no other has reached a better one.")};
    if (!steps.has_value() || running.last_step() >= *steps) {
      return {false, absl::StrCat(so_far, ".")};
    }
    const double reached = Reached(running, progress, window, *steps);
    const bool stop = options_.catch_up > 0 && reached > *best;
    return {stop, absl::StrCat(so_far, "; at that pace it ends at ", CostText(view.goal, reached),
                               stop ? ", worse than the best of the others, "
                                    : "; the best of the others is at ",
                               CostText(view.goal, *best), ".")};
  }

  size_t Window(const CostCurve& running, std::optional<int64_t> steps) const {
    if (options_.patience.has_value()) return static_cast<size_t>(*options_.patience);
    const double apart =
        static_cast<double>(running.last_step()) / static_cast<double>(running.reports().size());
    const double reports = static_cast<double>(*steps) / std::max(apart, 1e-9);
    return static_cast<size_t>(std::clamp(std::ceil(kWindowShare * reports), 1.0, 1e9));
  }

  // The cost at the last step, if the training gets on `catch_up` times as fast as in its window.
  double Reached(const CostCurve& running, const Progress& progress, size_t window,
                 int64_t steps) const {
    const absl::Span<const StepValue> reports = running.reports();
    const int64_t begin = reports[reports.size() - 1 - window].step;
    const double left = static_cast<double>(steps - running.last_step()) /
                        static_cast<double>(running.last_step() - begin);
    const double gain = options_.catch_up * left * (progress.before / 2 - progress.now / 2) * 2;
    return std::max(progress.now - gain, std::numeric_limits<double>::lowest());
  }

  const PatienceOptions options_;
};

}  // namespace

const StoppingRow kPatienceRule = {
    .about = {.name = "patience",
              .summary = "Stops training runs that have stopped improving, or improve too slowly "
                         "to catch up",
              .source = "Prechelt, \"Early stopping - but when?\", 1998, and a straight line",
              .options = [] { return OptionSet(PatienceOptions(), kPatienceOptions); }},
    .make = [](const OptionSet& options) -> std::unique_ptr<const StoppingRule> {
      return std::make_unique<PatienceRule>(options.As<PatienceOptions>());
    },
};

}  // namespace slipstream
