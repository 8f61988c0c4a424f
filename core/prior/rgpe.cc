#include "core/prior/rgpe.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/gp/normal.h"
#include "core/prior/blocks/ensemble.h"
#include "core/prior/blocks/left_out.h"

namespace slipstream {
namespace {

constexpr Index kFewestRankedResults = 3;
// Weights under so many hyperparameters are kept, so that Fit, Shares and Remarks share them.
constexpr size_t kMostWeighted = 32;

// Lanes of the random numbers that an input's seed gives.
constexpr uint64_t kRgpeCommonLane = 0;
constexpr uint64_t kRgpeOwnLane = 1;
constexpr uint64_t kRgpeResamplingLane = 2;
constexpr uint64_t kRgpeKeepingLane = 3;

// One row a draw, one column a result: either standard normals (`common` of all
// models, `own` of the target's left-out results), or how often a bootstrap
// sample holds each result. What is not needed is empty.
struct RgpeNumbers {
  Matrix common;
  Matrix own;
  Matrix counts;

  Index draws() const { return std::max(own.rows(), counts.rows()); }
};

Matrix StandardNormals(uint64_t seed, Index draws, Index points) {
  Matrix normals(draws, points);
  for (Index j = 0; j < points; ++j) {
    for (Index s = 0; s < draws; ++s) {
      normals(s, j) = CounterRandomNormal(seed, static_cast<uint64_t>(j), static_cast<uint64_t>(s));
    }
  }
  return normals;
}

Matrix RgpeBootstrap(uint64_t seed, Index draws, Index points) {
  Matrix counts = Matrix::Zero(draws, points);
  for (Index s = 0; s < draws; ++s) {
    for (Index j = 0; j < points; ++j) {
      const double uniform =
          CounterRandomUniform(seed, static_cast<uint64_t>(j), static_cast<uint64_t>(s));
      const auto chosen = static_cast<Index>(uniform * static_cast<double>(points));
      counts(s, std::min(chosen, points - 1)) += 1;
    }
  }
  return counts;
}

RgpeNumbers DrawRgpeNumbers(const RgpeOptions& options, uint64_t seed, Index points) {
  const bool is_bootstrap = options.loss == RgpeLoss::kBootstrap;
  const Index draws = options.draws.value_or(is_bootstrap ? 1000 : 256);
  RgpeNumbers numbers;
  if (is_bootstrap) {
    numbers.counts = RgpeBootstrap(CounterRandomBits(seed, 0, kRgpeResamplingLane), draws, points);
    return numbers;
  }
  numbers.common = StandardNormals(CounterRandomBits(seed, 0, kRgpeCommonLane), draws, points);
  numbers.own = StandardNormals(CounterRandomBits(seed, 0, kRgpeOwnLane), draws, points);
  return numbers;
}

// The losses of one source; its draws take the common numbers from row `shift`
// on, then from the first.
absl::StatusOr<Vector> RgpeSourceLosses(const SourceModel& source, const TrainingData& target,
                                        const CachedPoints& results, const RgpeNumbers& numbers,
                                        Index shift) {
  const Vector means = source.cache->Means(results);
  if (numbers.counts.size() > 0) {
    return BootstrapLosses(MisrankedPairs(means, means, target.y), numbers.counts);
  }
  Matrix covariance = source.cache->Covariance(results, results);
  const double least = kLeastVariancePart * source.kernel->Variance(source.hyperparameters.kernel);
  covariance.diagonal() = covariance.diagonal().cwiseMax(least);
  SLIPSTREAM_ASSIGN_OR_RETURN(const Matrix root, RootOfPosteriorCovariance(std::move(covariance)));
  const Matrix drawn = numbers.common * root.transpose();
  const Index draws = drawn.rows();
  shift %= draws;
  Matrix shifted(draws, drawn.cols());
  shifted << drawn.bottomRows(draws - shift), drawn.topRows(shift);
  shifted.rowwise() += means.transpose();
  return RankingLosses(shifted, target.y);
}

// The weights that hyperparameters lead to, by model, the target last.
struct RgpeWeights {
  std::shared_ptr<const GaussianProcess> target;
  Vector weights;
  Index kept = 0;
  Vector median_losses;  // By model; empty where nothing was ranked.
};

class RankedEnsemble final : public Transfer {
 public:
  RankedEnsemble(const RgpeOptions& options, Model model, TrainingData data, TrainingData target,
                 SourceModels chosen, std::vector<size_t> places, size_t all, uint64_t seed,
                 RgpeNumbers numbers, Matrix source_losses)
      : Transfer(std::move(model), std::move(data)),
        options_(options),
        target_(std::move(target)),
        chosen_(std::move(chosen)),
        places_(std::move(places)),
        all_(all),
        seed_(seed),
        numbers_(std::move(numbers)),
        source_losses_(std::move(source_losses)) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const RgpeWeights> weighted,
                                Weighted(hyperparameters));
    const auto count = static_cast<Index>(chosen_.size());
    std::vector<EnsembleMember> members = {{weighted->target, weighted->weights[count]}};
    for (Index i = 0; i < count; ++i) {
      const auto& source = chosen_[static_cast<size_t>(i)];
      members.push_back({source->process, weighted->weights[i], 1, source});
    }
    auto ensemble = MakeEnsemble(std::move(members), EnsembleErrors::kIndependent);
    ensemble->Expect(target_.x);
    return ensemble;
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    Vector shares = Vector::Zero(static_cast<Index>(all_));
    const auto found = Weighted(hyperparameters);
    if (!found.ok()) return shares;
    const RgpeWeights* const weighted = found->get();
    for (size_t i = 0; i < places_.size(); ++i) {
      shares[static_cast<Index>(places_[i])] = weighted->weights[static_cast<Index>(i)];
    }
    return shares;
  }

  std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const override {
    std::vector<Remark> remarks;
    const auto found = Weighted(hyperparameters);
    if (!found.ok()) return remarks;
    const RgpeWeights* const weighted = found->get();
    const auto count = static_cast<Index>(chosen_.size());
    remarks.emplace_back("target_weight", weighted->weights[count]);
    remarks.emplace_back("kept_sources", static_cast<double>(weighted->kept));
    if (weighted->median_losses.size() > 0) {
      remarks.emplace_back("target_median_loss", weighted->median_losses[count]);
      remarks.emplace_back("best_source_median_loss",
                           weighted->median_losses.head(count).minCoeff());
    }
    if (places_.size() < all_) {
      remarks.emplace_back("screened", absl::StrCat("the ", places_.size(), " of ", all_,
                                                    " sources that rank the results best"));
    }
    return remarks;
  }

 private:
  absl::StatusOr<std::shared_ptr<const RgpeWeights>> Weighted(
      const Hyperparameters& hyperparameters) const {
    const auto make = [&]() -> absl::StatusOr<std::shared_ptr<const RgpeWeights>> {
      SLIPSTREAM_ASSIGN_OR_RETURN(RgpeWeights weights, WeighAll(hyperparameters));
      return std::make_shared<const RgpeWeights>(std::move(weights));
    };
    return weighted_.Get(hyperparameters.Packed(), make);
  }

  absl::StatusOr<RgpeWeights> WeighAll(const Hyperparameters& hyperparameters) const {
    SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                                FitProcess(model().kernel, target_, hyperparameters));
    const auto count = static_cast<Index>(chosen_.size());
    RgpeWeights weighted;
    weighted.target = std::make_shared<const GaussianProcess>(std::move(process));
    if (target_.y.size() < kFewestRankedResults) {
      weighted.weights.setConstant(count + 1, 1 / static_cast<double>(count + 1));
      weighted.kept = count;
      return weighted;
    }
    Matrix losses(source_losses_.rows(), count + 1);
    SLIPSTREAM_ASSIGN_OR_RETURN(losses.col(count), TargetLosses(*weighted.target));
    losses.leftCols(count) = source_losses_;
    weighted.median_losses.resize(count + 1);
    for (Index i = 0; i <= count; ++i) weighted.median_losses[i] = QuantileOf(losses.col(i), 0.5);
    for (Index i = 0; i < count; ++i) {
      if (IsKept(losses, i, weighted.median_losses[i])) {
        ++weighted.kept;
      } else {
        losses.col(i).setConstant(std::numeric_limits<double>::infinity());
      }
    }
    weighted.weights = RankingWeights(losses, options_.ties);
    return weighted;
  }

  absl::StatusOr<Vector> TargetLosses(const GaussianProcess& process) const {
    SLIPSTREAM_ASSIGN_OR_RETURN(const LeftOut left_out, LeaveEachOut(process));
    if (options_.loss == RgpeLoss::kCorrect) {
      return LeftOutLosses(left_out, target_.y, numbers_.common, numbers_.own);
    }
    if (options_.loss == RgpeLoss::kSimplified) {
      return LeftOutLossesAgainstResults(left_out, target_.y, numbers_.own);
    }
    return BootstrapLosses(MisrankedPairs(left_out.means.diagonal(), target_.y, target_.y),
                           numbers_.counts);
  }

  bool IsKept(const Matrix& losses, Index source, double median) const {
    const auto target = losses.col(losses.cols() - 1);
    if (options_.dilution == RgpeDilution::kPercentile) {
      return median <= QuantileOf(target, options_.percentile);
    }
    if (options_.dilution == RgpeDilution::kProbabilistic) {
      const auto draws = static_cast<double>(losses.rows());
      const double better =
          static_cast<double>((losses.col(source).array() < target.array()).count()) / draws;
      const auto results = static_cast<uint64_t>(target_.y.size());
      const double left = 1 - static_cast<double>(results) / static_cast<double>(options_.budget);
      const double uniform =
          CounterRandomUniform(CounterRandomBits(seed_, 0, kRgpeKeepingLane), results,
                               static_cast<uint64_t>(places_[static_cast<size_t>(source)]));
      return uniform < better * left;
    }
    return true;
  }

  RgpeOptions options_;
  TrainingData target_;
  SourceModels chosen_;
  std::vector<size_t> places_;  // Where the chosen ones are in the input.
  size_t all_;
  uint64_t seed_;
  RgpeNumbers numbers_;
  Matrix source_losses_;  // One row a draw, one column a chosen source.
  mutable Memo<Vector, const RgpeWeights> weighted_{kMostWeighted};  // By hyperparameters.
};

class Rgpe final : public Prior {
 public:
  explicit Rgpe(const RgpeOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    const Index results = input.target.y.size();
    const size_t most = options_.most_sources > 0 ? options_.most_sources : input.sources.size();
    std::vector<size_t> places = BestRankers(input.sources, input.target, most);
    SourceModels chosen;
    for (size_t place : places) chosen.push_back(input.sources[place]);
    RgpeNumbers numbers;
    Matrix losses;
    if (results >= kFewestRankedResults) {
      numbers = DrawRgpeNumbers(options_, input.seed, results);
      losses.resize(numbers.draws(), static_cast<Index>(chosen.size()));
      const CachedPoints points(input.target.x);
      for (Index i = 0; i < losses.cols(); ++i) {
        SLIPSTREAM_RETURN_IF_ERROR(input.deadline.Check("no time for the sources"));
        const SourceModel& source = *chosen[static_cast<size_t>(i)];
        SLIPSTREAM_ASSIGN_OR_RETURN(losses.col(i),
                                    RgpeSourceLosses(source, input.target, points, numbers, i + 1));
      }
    }
    return std::make_unique<RankedEnsemble>(
        options_, DefaultModel(input.kinds, input.model), input.CalibrationPart(), input.target,
        std::move(chosen), std::move(places), input.sources.size(), input.seed, std::move(numbers),
        std::move(losses));
  }

 private:
  RgpeOptions options_;
};

}  // namespace

std::unique_ptr<Prior> MakeRgpe(const RgpeOptions& options) {
  return std::make_unique<Rgpe>(options);
}

namespace {

constexpr Option<RgpeOptions> kRgpeOptions[] = {
    OptionAt<&RgpeOptions::loss>(
        {"rgpe_loss", "", 0, 2, true,
         "0: rgpe's leave-one-out draws against draws, 1: against results, 2: bootstrap of means"}),
    OptionAt<&RgpeOptions::dilution>(
        {"rgpe_dilution", "", 0, 2, true,
         "0: rgpe keeps all sources, 1: percentile, 2: probabilistic"}),
    OptionAt<&RgpeOptions::most_sources>(
        {"rgpe_sources", "sources", 0, 1000, true,
         "Sources that rgpe weighs; more are screened by how well they rank the results, unless it "
         "is 0"}),
    OptionAt<&RgpeOptions::draws>(
        {"rgpe_draws", "draws", 1, 100000, true,
         "Draws of rgpe's ranking losses; 256, or 1000 bootstrap samples, unless given"}),
};

}  // namespace

const PriorRow kRgpePrior = {
    .about =
        {.name = "rgpe",
         .summary =
             "Ensemble of the sources' and the target's models, weighted by how well they rank",
         .source = "RGPE: Feurer, Letham and Bakshy 2018",
         .options = [] { return OptionSet(RgpeOptions(), kRgpeOptions); }},
    .make = [](const OptionSet& options,
               const FollowedAcquisition&) { return MakeRgpe(options.As<RgpeOptions>()); },
};

}  // namespace slipstream
