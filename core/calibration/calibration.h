// Calibrations find hyperparameters that explain data.
//
//   auto calibration = MakeMaximumPosterior(QuasiNewtonOptions());
//   SLIPSTREAM_ASSIGN_OR_RETURN(Calibrated calibrated,
//                               calibration->Calibrate(model, {data, seed, deadline}));
//   for (const Hyperparameters& member : calibrated.members) ...
//
// A calibration keeps nothing between calls and can be wrapped by another that
// changes the model before it, the data, or the members after it. Thread-safe.
#ifndef SLIPSTREAM_CORE_CALIBRATION_CALIBRATION_H_
#define SLIPSTREAM_CORE_CALIBRATION_CALIBRATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/deadline.h"
#include "core/gp/model.h"

namespace slipstream {

// The data that hyperparameters are to explain. References must outlive the call.
struct CalibrationData {
  const TrainingData& data;
  uint64_t seed = 0;
  Deadline deadline = Deadline::Infinite();
};

struct Calibrated {
  // Equally likely; one, unless the posterior was sampled.
  std::vector<Hyperparameters> members;
  double log_posterior = 0;  // The best member's.
  int evaluations = 0;       // How often the likelihood was evaluated.
  // Named figures that tell whether it went well.
  std::vector<std::pair<std::string, double>> diagnostics;
};

class Calibration {
 public:
  virtual ~Calibration() = default;

  // At least one member. DEADLINE_EXCEEDED when there was no time;
  // FAILED_PRECONDITION when the likelihood can nowhere be computed. Without
  // observations the beliefs' locations.
  absl::StatusOr<Calibrated> Calibrate(const Model& model, const CalibrationData& input) const;

 private:
  virtual absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                                 const CalibrationData& input) const = 0;
};

struct QuasiNewtonOptions {
  int screened_starts = 6;   // Compared by their value alone, ...
  int ascents = 2;           // ... of which this many are climbed from.
  int max_evaluations = 60;  // In one ascent.
  double value_tolerance = 1e-3;
  // With more observations than this, the first ascents run on an evenly thinned
  // part, the warm start, so that few evaluations of the whole likelihood are left.
  Index warm_start_above = 160;
  Index warm_start_points = 120;
  int max_evaluations_after_warm_start = 8;
};

struct HamiltonianOptions {
  int chains = 2;
  int warm_up = 60;
  int draws = 60;             // A chain, after the warm-up.
  int members_per_chain = 8;  // Kept, evenly thinned.
  int least_steps = 4;        // Leapfrog steps of one proposal.
  int most_steps = 8;
  Index most_observations = 200;  // If there are more, this many evenly spread ones are used.
};

// The beliefs' locations.
std::unique_ptr<Calibration> MakeFixed();
// Maximise the likelihood, or it times the beliefs.
std::unique_ptr<Calibration> MakeMaximumLikelihood(const QuasiNewtonOptions& options);
std::unique_ptr<Calibration> MakeMaximumPosterior(const QuasiNewtonOptions& options);
// Draws from the posterior by Hamiltonian Monte Carlo with step sizes from dual
// averaging (Hoffman and Gelman, "The No-U-Turn Sampler", 2014, algorithm 5).
// Diagnostics: the largest split R-hat and the smallest effective sample size
// of any hyperparameter, and the acceptance rate. Where all hyperparameters are given, there is one
// member and nothing to diagnose.
std::unique_ptr<Calibration> MakeHamiltonian(const HamiltonianOptions& options);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_CALIBRATION_CALIBRATION_H_
