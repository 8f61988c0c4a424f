#include "core/prior/source_stack.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ascent/bounded_ascent.h"
#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/linalg/cholesky.h"
#include "core/linalg/spectrum.h"
#include "core/prior/blocks/ranking.h"
#include "core/prior/blocks/source_identities.h"
#include "core/prior/blocks/source_points.h"
#include "core/prior/level_stack.h"
#include "core/prior/source_sum.h"

namespace slipstream {
namespace {

// The belief in the logarithm of a difference's amplitude, which ScaML has for the target's
// (amplitude^2 ~ LogNormal(-2, 3)).
constexpr double kStackedLocation = -1;
constexpr double kStackedDeviation = 1.5;
constexpr double kLeastStackedAmplitude = 1e-3;
constexpr double kMostStackedAmplitude = 30;

constexpr size_t kMostCachedStacks = 16;

Model StackModel(const PriorInput& input, const SourceStackOptions& options) {
  ModelOptions own = input.model;
  own.smoothness = options.difference;
  Model model = DefaultModel(input.kinds, own);
  model.beliefs.front() = {kStackedLocation, kStackedDeviation, std::log(kLeastStackedAmplitude),
                           std::log(kMostStackedAmplitude)};
  if (options.amplitude.has_value()) {
    const double fixed = std::log(*options.amplitude);
    model.beliefs.front() = {fixed, 1, fixed, fixed};
  }
  model.beliefs.push_back({1, 1, 1, 1});  // The stack's weight.
  return model;
}

// The posterior of an amplitude a that gives y the covariance B + a^2 C. With
// B = L L^T and L^-1 C L^-T = Q diag(e) Q^T, r = Q^T L^-1 (y - mean):
//   log p = -1/2 sum_i (r_i^2 / (1 + a^2 e_i) + log(1 + a^2 e_i)) + constant.
class AmplitudePosterior {
 public:
  static absl::StatusOr<AmplitudePosterior> Of(Matrix base, Matrix difference, Vector residual) {
    SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(base)));
    factor.SolveLower(difference);
    difference.transposeInPlace();
    factor.SolveLower(difference);
    factor.SolveLower(residual);
    SLIPSTREAM_ASSIGN_OR_RETURN(const Spectrum spectrum, SpectrumOf(difference));
    if (!residual.allFinite()) {
      return absl::FailedPreconditionError("the residual of a level is not finite");
    }
    return AmplitudePosterior(spectrum.values.cwiseMax(0),
                              (spectrum.vectors.transpose() * residual).cwiseAbs2());
  }

  // At the amplitude's logarithm, and the slope there.
  double At(double log_amplitude, double& slope) const {
    const Eigen::ArrayXd grown = std::exp(2 * log_amplitude) * eigenvalues_.array();
    const Eigen::ArrayXd part = (1 + grown).inverse();
    const double z = (log_amplitude - kStackedLocation) / kStackedDeviation;
    slope = (grown * part * (squares_.array() * part - 1)).sum() - z / kStackedDeviation;
    return -0.5 * ((squares_.array() * part + grown.log1p()).sum() + z * z);
  }

  // The most probable amplitude: from the best of a grid upwards, as there may
  // be two peaks (a small difference, or only noise below).
  double Mode() const {
    const Vector lower = Vector::Constant(1, std::log(kLeastStackedAmplitude));
    const Vector upper = Vector::Constant(1, std::log(kMostStackedAmplitude));
    constexpr int kSteps = 40;
    Vector best = lower;
    double slope = 0;
    double most = At(lower[0], slope);
    for (int i = 1; i <= kSteps; ++i) {
      const double there = lower[0] + (upper[0] - lower[0]) * i / kSteps;
      const double value = At(there, slope);
      if (!(value > most)) continue;
      most = value;
      best[0] = there;
    }
    const auto function = [&](ConstVectorView at, VectorView gradient) -> std::optional<double> {
      return At(at[0], gradient[0]);
    };
    return std::exp(AscendWithinBounds(function, best, lower, upper).x[0]);
  }

 private:
  AmplitudePosterior(Vector eigenvalues, Vector squares)
      : eigenvalues_(std::move(eigenvalues)), squares_(std::move(squares)) {}

  Vector eigenvalues_;
  Vector squares_;  // r_i^2.
};

// The factor a^2 of the source's kernel that its difference to the stack has.
absl::StatusOr<double> DifferenceFactor(const SourceModel& source, const TrainingData& data,
                                        const LevelStack& below) {
  KnownTerm known = below.At(data.x);
  known.covariance.diagonal() += NoiseOf(data, source.hyperparameters.log_noise_variance);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const AmplitudePosterior posterior,
      AmplitudePosterior::Of(
          std::move(known.covariance),
          source.kernel->Covariance(source.hyperparameters.kernel, data.x, data.x),
          data.y - known.mean));
  const double amplitude = posterior.Mode();
  return amplitude * amplitude;
}

absl::StatusOr<std::shared_ptr<const LevelStack>> StackOf(const SourceModels& sources,
                                                          const SourceStackOptions& options) {
  const SourcePoints points = CollectPoints(sources, options.most_points);
  auto stack = std::make_shared<LevelStack>(sources.front()->hyperparameters.mean);
  for (size_t s = 0; s < sources.size(); ++s) {
    const SourceModel& source = *sources[s];
    const TrainingData data =
        RowsOf(source.data, SpreadRows(source.data.y, std::max<Index>(1, points.counts[s])));
    StackedLevel level{source.kernel, source.hyperparameters.kernel, 1};
    if (s > 0) {
      const TrainingData part = RowsOf(data, SpreadRows(data.y, options.most_fitted_points));
      SLIPSTREAM_ASSIGN_OR_RETURN(level.factor, DifferenceFactor(source, part, *stack));
    }
    SLIPSTREAM_RETURN_IF_ERROR(
        stack->Add(std::move(level),
                   {data.x, data.y, NoiseOf(data, source.hyperparameters.log_noise_variance)}));
  }
  return stack;
}

class StackedTransfer final : public Transfer {
 public:
  StackedTransfer(Model model, TrainingData data, TrainingData target,
                  std::shared_ptr<const LevelStack> stack, std::vector<size_t> places, Index all,
                  Index all_points)
      : Transfer(std::move(model), std::move(data)),
        target_(std::move(target)),
        stack_(std::move(stack)),
        places_(std::move(places)),
        all_(all),
        all_points_(all_points) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    return FitOnStack(stack_, {model().kernel, hyperparameters.kernel, hyperparameters.mean},
                      {target_.x, target_.y, NoiseOf(target_, hyperparameters.log_noise_variance)});
  }

  Vector Shares(const Hyperparameters& /*hyperparameters*/) const override {
    Vector shares = Vector::Zero(all_);
    for (size_t l = 0; l < places_.size(); ++l) {
      const StackedLevel& level = stack_->levels()[l];
      shares[static_cast<Index>(places_[l])] =
          level.factor * level.kernel->Variance(level.parameters);
    }
    return shares / shares.sum();
  }

  std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const override {
    std::vector<Remark> remarks;
    remarks.emplace_back("levels", static_cast<double>(places_.size()));
    remarks.emplace_back("difference_amplitude", std::exp(hyperparameters.kernel[0]));
    if (places_.size() > 1) {
      remarks.emplace_back(
          "level_amplitudes",
          absl::StrJoin(stack_->levels(), " ", [](std::string* out, const StackedLevel& level) {
            absl::StrAppend(out,
                            std::sqrt(level.factor * level.kernel->Variance(level.parameters)));
          }));
    }
    if (static_cast<Index>(places_.size()) < all_) {
      remarks.emplace_back("screened", absl::StrCat("the ", places_.size(), " of ", all_,
                                                    " sources that rank the results best"));
    }
    if (stack_->size() < all_points_) {
      remarks.emplace_back("source_points", absl::StrCat(stack_->size(), " of ", all_points_));
    }
    return remarks;
  }

 private:
  TrainingData target_;
  std::shared_ptr<const LevelStack> stack_;
  std::vector<size_t> places_;  // Where the levels' sources are in the input.
  Index all_;                   // Sources in the input.
  Index all_points_;            // That the levels' sources have.
};

class SourceStack final : public Prior {
 public:
  explicit SourceStack(const SourceStackOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    std::vector<size_t> places = BestRankers(input.sources, input.target, options_.most_sources);
    SourceModels chosen;
    Index points = 0;
    for (size_t place : places) {
      chosen.push_back(input.sources[place]);
      points += chosen.back()->data.y.size();
    }
    SLIPSTREAM_ASSIGN_OR_RETURN(std::shared_ptr<const LevelStack> stack, CachedStackOf(chosen));
    TrainingData data = input.CalibrationPart();
    data.terms = {stack->At(data.x)};
    return std::make_unique<StackedTransfer>(StackModel(input, options_), std::move(data),
                                             input.target, std::move(stack), std::move(places),
                                             static_cast<Index>(input.sources.size()), points);
  }

  // If there are more sources than the stack takes, the results choose among them.
  absl::Status Prepare(const PriorInput& input) const override {
    if (input.sources.size() > options_.most_sources) return absl::OkStatus();
    return CachedStackOf(input.sources).status();
  }

 private:
  absl::StatusOr<std::shared_ptr<const LevelStack>> CachedStackOf(
      const SourceModels& sources) const {
    return stacks_.Get(SourceIdentities(sources), [&] { return StackOf(sources, options_); });
  }

  SourceStackOptions options_;
  mutable Memo<SourceIdentities, const LevelStack> stacks_{kMostCachedStacks};
};

}  // namespace

std::unique_ptr<Prior> MakeSourceStack(const SourceStackOptions& options) {
  return std::make_unique<SourceStack>(options);
}

namespace {

// A stack of any height. Of one source it is the cheaper sum, which is the same.
class StackedPrior final : public Prior {
 public:
  explicit StackedPrior(SourceSumOptions options) {
    options.errors = SourceErrors::kCorrelated;
    one_ = MakeSourceSum(options);
    several_ = MakeSourceStack({.amplitude = options.amplitude,
                                .difference = options.difference,
                                .most_sources = options.most_sources});
  }

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    return For(input).Combine(input);
  }
  absl::Status Prepare(const PriorInput& input) const override { return For(input).Prepare(input); }

 private:
  const Prior& For(const PriorInput& input) const {
    return input.sources.size() == 1 ? *one_ : *several_;
  }

  std::unique_ptr<Prior> one_;
  std::unique_ptr<Prior> several_;
};

}  // namespace

const PriorRow kStackedPrior = {
    .about = {.name = "stacked",
              .summary = "The sources' exact posterior as prior, plus a process for the difference",
              .source = "SHGP: Tighineanu et al. 2022",
              .options = SourceSumOptionSet},
    .make = [](const OptionSet& options, const FollowedAcquisition&) -> std::unique_ptr<Prior> {
      return std::make_unique<StackedPrior>(options.As<SourceSumOptions>());
    },
};

}  // namespace slipstream
