#include "core/ascent/bounded_ascent.h"

#include <nlopt.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>

namespace slipstream {
namespace {

struct NloptDeleter {
  void operator()(nlopt_opt_s* optimizer) const { nlopt_destroy(optimizer); }
};

// The progress of one run.
struct Run {
  const SmoothFunction& function;
  const AscentOptions& options;
  nlopt_opt optimizer;
  AscentResult best;
  Vector gradient;
};

// The value that NLopt receives where the function cannot be computed: far below
// all others and with a zero gradient, so that the line search turns back.
double Abyss(const Run& run, double* gradient) {
  if (gradient != nullptr) std::fill_n(gradient, run.gradient.size(), 0.0);
  return run.best.value.has_value() ? *run.best.value - 1e6 * (1 + std::abs(*run.best.value))
                                    : -1e100;
}

// NLopt's callback. It counts evaluations itself, because NLopt's line search
// may ask for one more after it was told to stop.
double Evaluate(unsigned dimension, const double* x, double* gradient, void* data) {
  Run& run = *static_cast<Run*>(data);
  if (run.best.deadline_passed || run.best.evaluations >= run.options.max_evaluations) {
    nlopt_force_stop(run.optimizer);
    return Abyss(run, gradient);
  }
  const Eigen::Map<const Vector> point(x, dimension);
  ++run.best.evaluations;
  const std::optional<double> value = run.function(point, run.gradient);
  if (run.options.deadline.has_passed()) {
    run.best.deadline_passed = true;
    nlopt_force_stop(run.optimizer);
  }
  if (!value.has_value() || !std::isfinite(*value) || !run.gradient.allFinite()) {
    return Abyss(run, gradient);
  }
  if (!run.best.value.has_value() || *value > *run.best.value) {
    run.best.value = value;
    run.best.x = point;
  }
  if (gradient != nullptr) std::copy_n(run.gradient.data(), dimension, gradient);
  return *value;
}

}  // namespace

AscentResult AscendWithinBounds(const SmoothFunction& function, const Vector& start,
                                const Vector& lower, const Vector& upper,
                                const AscentOptions& options) {
  assert(start.size() == lower.size() && start.size() == upper.size());
  const auto dimension = static_cast<unsigned>(start.size());
  Vector x = start.cwiseMax(lower).cwiseMin(upper);
  AscentResult nothing;
  nothing.x = x;
  const std::unique_ptr<nlopt_opt_s, NloptDeleter> optimizer(
      nlopt_create(NLOPT_LD_LBFGS, dimension));
  Run run{function, options, optimizer.get(), nothing, Vector::Zero(x.size())};
  if (dimension == 0) {
    Evaluate(0, x.data(), nullptr, &run);
    return run.best;
  }
  nlopt_set_max_objective(optimizer.get(), Evaluate, &run);
  nlopt_set_lower_bounds(optimizer.get(), lower.data());
  nlopt_set_upper_bounds(optimizer.get(), upper.data());
  nlopt_set_maxeval(optimizer.get(), options.max_evaluations);
  nlopt_set_ftol_abs(optimizer.get(), options.value_tolerance);
  nlopt_set_ftol_rel(optimizer.get(), options.relative_value_tolerance);
  nlopt_set_xtol_abs1(optimizer.get(), options.step_tolerance);
  // However NLopt ends, even by a failed line search, `run` holds the best point.
  double value = 0;
  nlopt_optimize(optimizer.get(), x.data(), &value);
  return run.best;
}

}  // namespace slipstream
