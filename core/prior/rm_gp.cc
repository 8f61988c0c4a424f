#include "core/prior/rm_gp.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/base/counter_random.h"
#include "core/base/even_parts.h"
#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/prior/blocks/ensemble.h"

namespace slipstream {
namespace {

// beta_t in so many dimensions, `round` from 1 on.
double Multiplier(double scale, Index dimension, Index round) {
  return std::sqrt(scale * static_cast<double>(dimension) *
                   std::log(2 * static_cast<double>(round)));
}

// So many hyperparameters' states are cached, for Fit, Shares and Remarks to share.
constexpr size_t kMostRmGpStates = 32;

// The points at which a source is compared with the target.
struct RmGpPoints {
  PointMatrix x;
  Vector y;
};

RmGpPoints RmGpPointsOf(const SourceModel& source, const RmGpOptions& options) {
  const std::vector<Index> rows = FirstOfParts(source.data.y.size(), options.most_points);
  return {source.data.x(rows, Eigen::all), source.data.y(rows)};
}

// After the last round.
struct RmGpState {
  Index rounds = 0;
  double nu = 1;
  std::shared_ptr<const GaussianProcess> own;  // The target's, with all results.
  Vector weights;                              // om, of sum 1.
  Vector gaps;                                 // Those of the last round; empty before the first.
  double multiplier = 1;                       // beta_t.
};

// exp(-rate * sums), of sum 1.
Vector RmGpWeights(const Vector& sums, double rate) {
  const Vector weights = (rate * (sums.minCoeff() - sums.array())).exp();
  return weights / weights.sum();
}

class RmGpTransfer final : public Transfer {
 public:
  RmGpTransfer(const RmGpOptions& options, Model model, TrainingData data, TrainingData target,
               SourceModels sources, Index first_results, uint64_t seed)
      : Transfer(std::move(model), std::move(data)),
        options_(options),
        first_results_(first_results),
        target_(std::move(target)),
        sources_(std::move(sources)),
        uniform_(CounterRandomUniform(seed, static_cast<uint64_t>(target_.y.size()), 0)) {
    for (const auto& source : sources_) points_.push_back(RmGpPointsOf(*source, options_));
  }

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const RmGpState> found,
                                StateOf(hyperparameters));
    const RmGpState& state = *found;
    const Vector weights = Mixed(state);
    if (!(weights.sum() > 0)) return std::make_unique<GaussianProcess>(*state.own);
    const double multiplier = options_.acquisition_multiplier.value_or(state.multiplier);
    const bool is_bound = options_.mode == RmGpMode::kUpperBound;
    const double factor = is_bound ? std::sqrt(options_.source_confidence) / multiplier : 1;
    std::vector<EnsembleMember> members;
    for (size_t i = 0; i < sources_.size(); ++i) {
      members.push_back(
          {sources_[i]->process, weights[static_cast<Index>(i)], factor, sources_[i]});
    }
    if (is_bound) members.push_back({state.own, 1 - state.nu});
    auto ensemble = MakeEnsemble(
        std::move(members), is_bound ? EnsembleErrors::kAligned : EnsembleErrors::kIndependent);
    ensemble->Expect(target_.x);
    return ensemble;
  }

  std::optional<int64_t> Round() const override {
    return std::max<Index>(1, RoundsOf(target_.y.size()));
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    const auto state = StateOf(hyperparameters);
    if (!state.ok()) return Vector::Zero(static_cast<Index>(sources_.size()));
    return Mixed(**state);
  }

  std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const override {
    std::vector<Remark> remarks;
    const auto found = StateOf(hyperparameters);
    if (!found.ok()) return remarks;
    const RmGpState& state = **found;
    remarks.emplace_back("nu", state.nu);
    remarks.emplace_back("rounds", static_cast<double>(state.rounds));
    if (state.gaps.size() > 0) {
      remarks.emplace_back("least_gap", state.gaps.minCoeff());
      remarks.emplace_back("mean_gap", state.weights.dot(state.gaps));
    }
    const Vector weights = Mixed(state);
    remarks.emplace_back("kept_sources", static_cast<double>((weights.array() > 0).count()));
    if (options_.mode == RmGpMode::kThompson) {
      remarks.emplace_back("drawn_from", std::string(weights.sum() > 0 ? "sources" : "target"));
    }
    return remarks;
  }

 private:
  absl::StatusOr<std::shared_ptr<const RmGpState>> StateOf(
      const Hyperparameters& hyperparameters) const {
    const auto make = [&]() -> absl::StatusOr<std::shared_ptr<const RmGpState>> {
      SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess own,
                                  FitProcess(model().kernel, target_, hyperparameters));
      auto state = std::make_shared<RmGpState>(Run(own));
      state->own = std::make_shared<const GaussianProcess>(std::move(own));
      return state;
    };
    return states_.Get(hyperparameters.Packed(), make);
  }
  // The number of rounds after so many results.
  Index RoundsOf(Index results) const { return std::max<Index>(0, results + 1 - first_results_); }
  // gap(i, s) of source i in round s + 1.
  Matrix Gaps(const GaussianProcess& own, Index rounds) const;
  RmGpState Run(const GaussianProcess& own) const;
  // The sources' weights in the surrogate; all 0 where that is the target's own.
  Vector Mixed(const RmGpState& state) const;

  RmGpOptions options_;
  Index first_results_;
  TrainingData target_;
  SourceModels sources_;
  std::vector<RmGpPoints> points_;  // By source.
  double uniform_;
  mutable Memo<Vector, const RmGpState> states_{kMostRmGpStates};  // By hyperparameters.
};

Matrix RmGpTransfer::Gaps(const GaussianProcess& own, Index rounds) const {
  const PointMatrix& x = own.observations().x;
  Vector whitened = own.observations().y - own.prior().Mean(x);
  own.factor().SolveLower(whitened);
  Matrix gaps(static_cast<Index>(points_.size()), rounds);
  for (size_t i = 0; i < points_.size(); ++i) {
    const RmGpPoints& points = points_[i];
    Matrix rows = own.prior().Covariance(x, points.x);
    own.factor().SolveLower(rows);
    const Matrix columns = rows.transpose();
    Eigen::ArrayXd error = own.prior().Mean(points.x) - points.y;
    Eigen::ArrayXd variance = own.prior().Variance(points.x);
    const Eigen::ArrayXd least = kLeastVariancePart * variance;
    for (Index results = 0; results <= own.size(); ++results) {
      if (results > 0) {
        error += whitened[results - 1] * columns.col(results - 1).array();
        variance -= columns.col(results - 1).array().square();
      }
      const Index round = results - first_results_;  // From 0 on.
      if (round < 0) continue;
      const double multiplier = Multiplier(options_.multiplier_scale, own.dimension(), round + 1);
      const Eigen::ArrayXd gap = error.abs() + multiplier * variance.max(least).sqrt();
      gaps(static_cast<Index>(i), round) = gap.mean();
    }
  }
  return gaps;
}

RmGpState RmGpTransfer::Run(const GaussianProcess& own) const {
  RmGpState state;
  const auto count = static_cast<Index>(sources_.size());
  state.rounds = RoundsOf(own.size());
  state.multiplier =
      Multiplier(options_.multiplier_scale, own.dimension(), std::max<Index>(1, state.rounds));
  const Matrix gaps = Gaps(own, state.rounds);
  Vector sums = Vector::Zero(count);
  state.weights = Vector::Constant(count, 1 / static_cast<double>(count));
  for (Index round = 0; round < state.rounds; ++round) {
    state.gaps = gaps.col(round);
    sums += state.gaps;
    state.weights = RmGpWeights(sums, options_.learning_rate);
    state.nu *= std::min(options_.slowest_decay,
                         std::pow(state.weights.dot(state.gaps), -options_.decay_power));
  }
  return state;
}

Vector RmGpTransfer::Mixed(const RmGpState& state) const {
  const bool is_bound = options_.mode == RmGpMode::kUpperBound;
  Vector weights = Vector::Zero(state.weights.size());
  if (!is_bound && uniform_ < 1 - state.nu) return weights;
  const double total = is_bound ? state.nu : 1;
  std::vector<Index> order(static_cast<size_t>(weights.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return state.weights[a] > state.weights[b]; });
  if (options_.most_sources > 0) order.resize(std::min(order.size(), options_.most_sources));
  for (Index i : order) {
    if (total * state.weights[i] >= options_.least_weight) weights[i] = state.weights[i];
  }
  const double kept = weights.sum();
  return kept > 0 ? Vector(total / kept * weights) : weights;
}

class RmGp final : public Prior {
 public:
  explicit RmGp(const RmGpOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    TrainingData data = input.CalibrationPart();
    return std::make_unique<RmGpTransfer>(options_, DefaultModel(input.kinds, input.model),
                                          std::move(data), input.target, input.sources,
                                          input.initial_results, input.seed);
  }

 private:
  RmGpOptions options_;
};

}  // namespace

std::unique_ptr<Prior> MakeRmGp(const RmGpOptions& options) {
  return std::make_unique<RmGp>(options);
}

namespace {

constexpr Option<RmGpOptions> kRmGpOptions[] = {
    OptionAt<&RmGpOptions::slowest_decay>(
        {"rm_gp_decay", "", 0.01, 1, false,
         "r of rm_gp: the slowest rate at which transfer fades"}),
    OptionAt<&RmGpOptions::most_sources>(
        {"rm_gp_sources", "sources", 0, 1000, true,
         "How many sources, of the greatest weight, are in rm_gp's ensemble; 0: all"}),
};

}  // namespace

const PriorRow kRmGpPrior = {
    .about =
        {.name = "rm_gp",
         .summary =
             "Ensemble of the sources' and the target's models, weighted by gaps, that fades out",
         .source = "RM-GP: Dai et al. 2022, algorithm 1",
         .options = [] { return OptionSet(RmGpOptions(), kRmGpOptions); }},
    .make =
        [](const OptionSet& options, const FollowedAcquisition& acquisition) {
          RmGpOptions rm_gp = options.As<RmGpOptions>();
          if (acquisition.draws) rm_gp.mode = RmGpMode::kThompson;
          rm_gp.acquisition_multiplier = acquisition.multiplier;
          return MakeRmGp(rm_gp);
        },
    .follows_acquisition = true,
    .counts_rounds = true,
};

}  // namespace slipstream
