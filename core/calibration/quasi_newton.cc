#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/calibration/calibration.h"
#include "core/calibration/posterior.h"

namespace slipstream {
namespace {

// Starting points in the order in which they are tried: the beliefs' location,
// then the whole set of lengthscales at several sizes, since too long and too
// short ones are the two hollows that ascents fall into.
std::vector<Vector> Starts(const Model& model, int count) {
  // Added to the logarithms of all lengthscales, and of the noise.
  constexpr double kShifts[][2] = {{0, 0},    {-2.5, 0},  {-1.5, -4}, {-0.7, -4},
                                   {-2.5, 3}, {-3.2, -4}, {0.7, -4},  {-1.5, 2}};
  const Vector location = model.Location();
  const Index kernel_count = model.kernel->parameter_count();
  const std::vector<std::string> names = model.kernel->ParameterNames();
  std::vector<Vector> starts;
  for (const auto& shift : kShifts) {
    if (static_cast<int>(starts.size()) == count) break;
    Vector start = location;
    for (Index i = 0; i < kernel_count; ++i) {
      const bool is_length = names[static_cast<size_t>(i)].find("lengthscale") != std::string::npos;
      if (is_length) start[i] += shift[0];
    }
    start[kernel_count] += shift[1];
    starts.push_back(start.cwiseMax(model.Lower()).cwiseMin(model.Upper()));
  }
  return starts;
}

class QuasiNewton : public Calibration {
 public:
  QuasiNewton(const QuasiNewtonOptions& options, bool with_beliefs)
      : options_(options), with_beliefs_(with_beliefs) {}

 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                         const CalibrationData& input) const override {
    const bool warm = input.data.y.size() > options_.warm_start_above;
    const TrainingData few =
        warm ? EvenlySpread(input.data, options_.warm_start_points) : TrainingData();
    SLIPSTREAM_ASSIGN_OR_RETURN(AscentResult best,
                                ClimbFromBest(model, warm ? few : input.data, input.deadline));
    int evaluations = best.evaluations;
    if (warm) {
      best = AscendWithinBounds(
          LogPosterior(model, input.data, with_beliefs_), best.x, model.Lower(), model.Upper(),
          OptionsOf(options_.max_evaluations_after_warm_start, input.deadline));
      evaluations += best.evaluations;
      if (best.deadline_passed) return absl::DeadlineExceededError("no time to calibrate");
      if (!best.value.has_value()) {  // The few points misled; start cold.
        SLIPSTREAM_ASSIGN_OR_RETURN(best, ClimbFromBest(model, input.data, input.deadline));
        evaluations += best.evaluations;
      }
    }
    Calibrated result;
    result.members.push_back(model.Unpack(best.x));
    result.log_posterior = *best.value;
    result.evaluations = evaluations;
    return result;
  }

  AscentOptions OptionsOf(int max_evaluations, Deadline deadline) const {
    AscentOptions options;
    options.max_evaluations = max_evaluations;
    options.value_tolerance = options_.value_tolerance;
    options.step_tolerance = 1e-4;
    options.deadline = deadline;
    return options;
  }

  // The best of the ascents; its evaluations are those of all.
  absl::StatusOr<AscentResult> ClimbFromBest(const Model& model, const TrainingData& data,
                                             Deadline deadline) const {
    const SmoothFunction posterior = LogPosterior(model, data, with_beliefs_);
    std::vector<std::pair<double, Vector>> starts;
    int evaluations = 0;
    for (Vector& start : Starts(model, options_.screened_starts)) {
      SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to calibrate"));
      Vector gradient = Vector::Zero(start.size());
      const std::optional<double> value = posterior(start, gradient);
      ++evaluations;
      starts.emplace_back(value.value_or(-std::numeric_limits<double>::max()), std::move(start));
    }
    std::stable_sort(starts.begin(), starts.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    AscentResult best;
    const size_t ascents = std::min(starts.size(), static_cast<size_t>(options_.ascents));
    for (size_t i = 0; i < ascents; ++i) {
      AscentResult climbed =
          AscendWithinBounds(posterior, starts[i].second, model.Lower(), model.Upper(),
                             OptionsOf(options_.max_evaluations, deadline));
      evaluations += climbed.evaluations;
      if (climbed.deadline_passed) return absl::DeadlineExceededError("no time to calibrate");
      if (climbed.value.has_value() && (!best.value.has_value() || *climbed.value > *best.value)) {
        best = std::move(climbed);
      }
    }
    if (!best.value.has_value()) {
      return absl::FailedPreconditionError(
          "the likelihood cannot be computed for any hyperparameters");
    }
    best.evaluations = evaluations;
    return best;
  }

  QuasiNewtonOptions options_;
  bool with_beliefs_;
};

}  // namespace

std::unique_ptr<Calibration> MakeMaximumLikelihood(const QuasiNewtonOptions& options) {
  return std::make_unique<QuasiNewton>(options, false);
}

std::unique_ptr<Calibration> MakeMaximumPosterior(const QuasiNewtonOptions& options) {
  return std::make_unique<QuasiNewton>(options, true);
}

}  // namespace slipstream
