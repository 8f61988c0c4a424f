#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/base/status.h"
#include "core/calibration/calibration.h"
#include "core/calibration/chain_diagnostics.h"
#include "core/calibration/posterior.h"
#include "core/gp/normal.h"

namespace slipstream {
namespace {

// A place with its log density and gradient.
struct State {
  Vector x;
  double value = 0;
  Vector gradient;
};

// Adapts the step size so that proposals are accepted at the wanted rate
// (Hoffman and Gelman 2014, section 3.2, with their constants).
class StepSize {
 public:
  explicit StepSize(double first) : log_step_(std::log(first)), centre_(std::log(10 * first)) {}

  double step() const { return std::exp(log_step_); }

  void Learn(double acceptance) {
    constexpr double kWanted = 0.8;
    constexpr double kShrinkage = 0.05;
    constexpr double kDelay = 10;
    constexpr double kForgetting = 0.75;
    ++count_;
    const double share = 1 / (count_ + kDelay);
    error_ = (1 - share) * error_ + share * (kWanted - acceptance);
    log_step_ = centre_ - std::sqrt(count_) / kShrinkage * error_;
    const double weight = std::pow(count_, -kForgetting);
    log_average_ = weight * log_step_ + (1 - weight) * log_average_;
  }

  void Settle() { log_step_ = log_average_; }

 private:
  double log_step_;
  double centre_;
  double error_ = 0;
  double log_average_ = 0;
  double count_ = 0;
};

// One chain over the hyperparameters that are not fixed. Steps are measured in
// each one's prior deviation; at its bounds a trajectory is reflected, which
// keeps volume and can be run backwards.
class Chain {
 public:
  Chain(const Model& model, const SmoothFunction& density, State start, uint64_t seed)
      : density_(density),
        lower_(model.Lower()),
        upper_(model.Upper()),
        scale_(Vector::Zero(start.x.size())),
        state_(std::move(start)),
        seed_(seed) {
    for (size_t i = 0; i < model.beliefs.size(); ++i) {
      const HyperparameterBelief& belief = model.beliefs[i];
      if (!belief.is_fixed()) scale_[static_cast<Index>(i)] = std::min(1.0, belief.deviation);
    }
  }

  // Moves once; returns how likely the proposal was to be accepted.
  double Move(double step, int steps) {
    const uint64_t index = ++moves_;
    Vector momentum(state_.x.size());
    for (Index i = 0; i < momentum.size(); ++i) {
      const uint64_t lane = static_cast<uint64_t>(i) + 2;
      momentum[i] = scale_[i] > 0 ? CounterRandomNormal(seed_, index, lane) : 0;
    }
    const double before = state_.value - 0.5 * momentum.squaredNorm();
    State proposal = state_;
    if (!Leapfrog(step, steps, proposal, momentum)) return 0;
    const double gain = proposal.value - 0.5 * momentum.squaredNorm() - before;
    const double acceptance = std::isfinite(gain) ? std::min(1.0, std::exp(gain)) : 0;
    if (CounterRandomUniform(seed_, index, 0) < acceptance) state_ = std::move(proposal);
    return acceptance;
  }

  int DrawSteps(int least, int most) const {
    const double uniform = CounterRandomUniform(seed_, moves_ + 1, 1);
    return least + static_cast<int>(uniform * (most - least + 1));
  }

  const Vector& x() const { return state_.x; }
  double value() const { return state_.value; }
  int evaluations() const { return evaluations_; }

 private:
  // Back within the bounds, as a ball from a wall; false when it went further
  // out than they are wide.
  bool Reflect(Vector& x, Vector& momentum) const {
    for (Index i = 0; i < x.size(); ++i) {
      if (x[i] < lower_[i]) {
        x[i] = 2 * lower_[i] - x[i];
        momentum[i] = -momentum[i];
      } else if (x[i] > upper_[i]) {
        x[i] = 2 * upper_[i] - x[i];
        momentum[i] = -momentum[i];
      }
      if (!(x[i] >= lower_[i] && x[i] <= upper_[i])) return false;
    }
    return true;
  }

  // False when it leaves all bounds or the density cannot be computed.
  bool Leapfrog(double step, int steps, State& state, Vector& momentum) {
    momentum += 0.5 * step * scale_.cwiseProduct(state.gradient);
    for (int i = 0; i < steps; ++i) {
      state.x += step * scale_.cwiseProduct(momentum);
      if (!Reflect(state.x, momentum)) return false;
      ++evaluations_;
      const std::optional<double> value = density_(state.x, state.gradient);
      if (!value.has_value()) return false;
      state.value = *value;
      momentum += (i + 1 < steps ? 1.0 : 0.5) * step * scale_.cwiseProduct(state.gradient);
    }
    return true;
  }

  const SmoothFunction& density_;
  Vector lower_;
  Vector upper_;
  Vector scale_;
  State state_;
  uint64_t seed_;
  uint64_t moves_ = 0;
  int evaluations_ = 0;
};

// The draws of one chain after its warm-up.
struct Draws {
  Matrix x;      // A row a draw.
  Vector value;  // The log density there.
};

class Hamiltonian : public Calibration {
 public:
  explicit Hamiltonian(const HamiltonianOptions& options)
      : options_(options), start_(MakeMaximumPosterior(QuasiNewtonOptions())) {}

 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                         const CalibrationData& input) const override {
    const TrainingData data = EvenlySpread(input.data, options_.most_observations);
    SLIPSTREAM_ASSIGN_OR_RETURN(Calibrated result,
                                start_->Calibrate(model, {data, input.seed, input.deadline}));
    if (std::all_of(model.beliefs.begin(), model.beliefs.end(),
                    [](const HyperparameterBelief& belief) { return belief.is_fixed(); })) {
      return result;  // All draws would be equal.
    }
    const SmoothFunction density = LogPosterior(model, data, true);
    State start{result.members.front().Packed(), 0, Vector()};
    start.gradient = Vector::Zero(start.x.size());
    const std::optional<double> value = density(start.x, start.gradient);
    if (!value.has_value()) {
      return absl::FailedPreconditionError(
          "the likelihood cannot be computed for any hyperparameters");
    }
    start.value = *value;
    std::vector<Draws> draws;  // By chain.
    double acceptance = 0;
    for (int c = 0; c < options_.chains; ++c) {
      Chain chain(model, density, start,
                  CounterRandomBits(input.seed, static_cast<uint64_t>(c), 0));
      SLIPSTREAM_ASSIGN_OR_RETURN(double accepted, Run(chain, input.deadline, draws));
      acceptance += accepted / options_.chains;
      result.evaluations += chain.evaluations();
    }
    Keep(model, draws, result);
    Diagnose(model, draws, acceptance, result);
    return result;
  }

  // Appends the chain's draws; returns the mean acceptance after the warm-up.
  absl::StatusOr<double> Run(Chain& chain, Deadline deadline, std::vector<Draws>& draws) const {
    StepSize size(0.1);
    double accepted = 0;
    draws.push_back({Matrix(options_.draws, chain.x().size()), Vector(options_.draws)});
    for (int i = 0; i < options_.warm_up + options_.draws; ++i) {
      SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time to calibrate"));
      const double acceptance =
          chain.Move(size.step(), chain.DrawSteps(options_.least_steps, options_.most_steps));
      if (i < options_.warm_up) {
        size.Learn(acceptance);
        if (i + 1 == options_.warm_up) size.Settle();
      } else {
        accepted += acceptance / options_.draws;
        draws.back().x.row(i - options_.warm_up) = chain.x().transpose();
        draws.back().value[i - options_.warm_up] = chain.value();
      }
    }
    return accepted;
  }

  void Keep(const Model& model, const std::vector<Draws>& draws, Calibrated& result) const {
    result.members.clear();
    result.log_posterior = -std::numeric_limits<double>::infinity();
    for (const Draws& chain : draws) {
      for (int i = 0; i < options_.members_per_chain; ++i) {
        const Index row = (i + 1) * chain.x.rows() / options_.members_per_chain - 1;
        result.members.push_back(model.Unpack(chain.x.row(row).transpose()));
        result.log_posterior = std::max(result.log_posterior, chain.value[row]);
      }
    }
  }

  void Diagnose(const Model& model, const std::vector<Draws>& draws, double acceptance,
                Calibrated& result) const {
    double most_r_hat = 1;
    double least_size = static_cast<double>(options_.chains) * options_.draws;
    for (size_t i = 0; i < model.beliefs.size(); ++i) {
      if (model.beliefs[i].is_fixed()) continue;
      Matrix quantity(options_.draws, static_cast<Index>(draws.size()));
      for (size_t c = 0; c < draws.size(); ++c) {
        quantity.col(static_cast<Index>(c)) = draws[c].x.col(static_cast<Index>(i));
      }
      most_r_hat = std::max(most_r_hat, SplitRHat(quantity));
      least_size = std::min(least_size, EffectiveSampleSize(quantity));
    }
    result.diagnostics = {{"r_hat", most_r_hat},
                          {"effective_sample_size", least_size},
                          {"acceptance_rate", acceptance}};
  }

  HamiltonianOptions options_;
  std::unique_ptr<Calibration> start_;
};

}  // namespace

std::unique_ptr<Calibration> MakeHamiltonian(const HamiltonianOptions& options) {
  return std::make_unique<Hamiltonian>(options);
}

}  // namespace slipstream
