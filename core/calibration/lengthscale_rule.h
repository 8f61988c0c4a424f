// A rule changes calibrated lengthscales by looking at the points which they would choose:
// expanding.h and shrinking.h.
#ifndef SLIPSTREAM_CORE_CALIBRATION_LENGTHSCALE_RULE_H_
#define SLIPSTREAM_CORE_CALIBRATION_LENGTHSCALE_RULE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/gp/likelihood.h"
#include "core/gp/model.h"

namespace slipstream {

// What earlier suggestions of the study left behind.
struct LengthscalePast {
  int64_t results = 0;        // The study's results so far that models learn from.
  double h = 1;               // The largest expansion.
  double regret = 0;          // The sum of 2 sqrt(beta_j) s_j / a_j, ...
  int64_t chosen_points = 0;  // ... and the number of its terms.
};

// The deviation of the function at the point that would be chosen with these members and this
// multiplier of an upper confidence bound.
using ChosenDeviation = std::function<absl::StatusOr<double>(
    const std::vector<Hyperparameters>& members, double multiplier)>;

// References must outlive the call.
struct LengthscaleInput {
  const Model& model;                           // The calibrated model.
  const TrainingData& data;                     // The data that it was calibrated to.
  const std::vector<Hyperparameters>& members;  // The calibrated hyperparameters, not empty.
  Index dimension = 1;                          // The space's.
  double multiplier = 1;                        // The acquisition's upper confidence bound's.
  LengthscalePast past = {};
  ChosenDeviation chosen_deviation;
};

struct RuledLengthscales {
  std::vector<Hyperparameters> members;
  std::optional<double> multiplier = {};  // Replaces the acquisition's.
  std::optional<double> expansion = {};   // h, for a rule whose past matters.
  double amplitude = 1;                   // The unit of deviations in the past's regret.
  std::vector<std::pair<std::string, double>> facts;
};

// Immutable, hence thread-safe.
class LengthscaleRule {
 public:
  virtual ~LengthscaleRule() = default;

  // Passes on the errors of `chosen_deviation`. FAILED_PRECONDITION when a covariance is
  // indefinite in spite of all jitter.
  virtual absl::StatusOr<RuledLengthscales> Apply(const LengthscaleInput& input) const = 0;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_LENGTHSCALE_RULE_H_
