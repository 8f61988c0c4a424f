#include "core/prior/rgpe.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/counter_random.h"
#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/gp/normal.h"
#include "core/prior/blocks/ensemble.h"
#include "core/prior/blocks/left_out.h"
#include "core/prior/blocks/ranking.h"

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

// This many draws are made at a time, so that memory does not grow with their number. Usual numbers
// of draws fit into one block.
constexpr Index kRgpeBlock = 2048;
// The most losses that are kept, for all sources together.
constexpr Index kMostRgpeLosses = Index{1} << 23;
// Even so, at least this many draws are made.
constexpr Index kFewestLimitedDraws = 1000;

// Draws from `first` on, one row each, one column a result.
Matrix StandardNormals(uint64_t seed, Index first, Index draws, Index points) {
  Matrix normals(draws, points);
  for (Index j = 0; j < points; ++j) {
    for (Index s = 0; s < draws; ++s) {
      normals(s, j) =
          CounterRandomNormal(seed, static_cast<uint64_t>(j), static_cast<uint64_t>(first + s));
    }
  }
  return normals;
}

Matrix RgpeBootstrap(uint64_t seed, Index first, Index draws, Index points) {
  Matrix counts = Matrix::Zero(draws, points);
  for (Index s = 0; s < draws; ++s) {
    for (Index j = 0; j < points; ++j) {
      const double uniform =
          CounterRandomUniform(seed, static_cast<uint64_t>(j), static_cast<uint64_t>(first + s));
      const auto chosen = static_cast<Index>(uniform * static_cast<double>(points));
      counts(s, std::min(chosen, points - 1)) += 1;
    }
  }
  return counts;
}

// The random numbers of all draws, in blocks of them. A single block is kept, as all models use it;
// several are made anew whenever they are wanted. One row a draw, one column a result.
class RgpeNumbers {
 public:
  using Block = std::shared_ptr<const Matrix>;

  RgpeNumbers() = default;  // No draws.
  RgpeNumbers(const RgpeOptions& options, size_t sources, uint64_t seed, Index points)
      : is_bootstrap_(options.loss == RgpeLoss::kBootstrap),
        seed_(seed),
        draws_(RgpeDraws(options, sources)),
        points_(points) {
    if (draws_ > kRgpeBlock) return;
    (is_bootstrap_ ? counts_ : common_) =
        is_bootstrap_ ? Counts(0) : Normals(kRgpeCommonLane, 0);
    if (!is_bootstrap_) own_ = Normals(kRgpeOwnLane, 0);
  }

  Index draws() const { return draws_; }
  bool is_bootstrap() const { return is_bootstrap_; }
  // The blocks that begin with draw `first`: standard normals of all models, ...
  Block CommonFrom(Index first) const {
    return common_ != nullptr ? common_ : Normals(kRgpeCommonLane, first);
  }
  // ... standard normals of the target's left-out results, ...
  Block OwnFrom(Index first) const {
    return own_ != nullptr ? own_ : Normals(kRgpeOwnLane, first);
  }
  // ... or how often a bootstrap sample holds each result.
  Block CountsFrom(Index first) const { return counts_ != nullptr ? counts_ : Counts(first); }

  // The losses of all draws, from what `losses_from(first)` gives for the blocks.
  template <typename LossesFrom>
  absl::StatusOr<Vector> Losses(const Deadline& deadline, const LossesFrom& losses_from) const {
    Vector losses(draws_);
    for (Index first = 0; first < draws_; first += kRgpeBlock) {
      SLIPSTREAM_RETURN_IF_ERROR(deadline.Check("no time for the sources"));
      losses.segment(first, BlockSize(first)) = losses_from(first);
    }
    return losses;
  }

 private:
  Index BlockSize(Index first) const { return std::min(kRgpeBlock, draws_ - first); }
  Block Normals(uint64_t lane, Index first) const {
    return std::make_shared<const Matrix>(
        StandardNormals(CounterRandomBits(seed_, 0, lane), first, BlockSize(first), points_));
  }
  Block Counts(Index first) const {
    return std::make_shared<const Matrix>(RgpeBootstrap(
        CounterRandomBits(seed_, 0, kRgpeResamplingLane), first, BlockSize(first), points_));
  }

  bool is_bootstrap_ = false;
  uint64_t seed_ = 0;
  Index draws_ = 0;
  Index points_ = 0;
  // Null where there are several blocks, or none of that kind.
  Block common_;
  Block own_;
  Block counts_;
};

// The losses of one source; its draws take the common numbers from row `shift`
// on, then from the first.
absl::StatusOr<Vector> RgpeSourceLosses(const SourceModel& source, const TrainingData& target,
                                        const CachedPoints& results, const RgpeNumbers& numbers,
                                        Index shift, const Deadline& deadline) {
  const Vector means = source.cache->Means(results);
  if (numbers.is_bootstrap()) {
    const Matrix misranked = MisrankedPairs(means, means, target.y);
    return numbers.Losses(deadline, [&](Index first) {
      return BootstrapLosses(misranked, *numbers.CountsFrom(first));
    });
  }
  Matrix covariance = source.cache->Covariance(results, results);
  const double least = kLeastVariancePart * source.kernel->Variance(source.hyperparameters.kernel);
  covariance.diagonal() = covariance.diagonal().cwiseMax(least);
  SLIPSTREAM_ASSIGN_OR_RETURN(const Matrix root, RootOfPosteriorCovariance(std::move(covariance)));
  SLIPSTREAM_ASSIGN_OR_RETURN(const Vector losses, numbers.Losses(deadline, [&](Index first) {
    Matrix drawn = *numbers.CommonFrom(first) * root.transpose();
    drawn.rowwise() += means.transpose();
    return RankingLosses(drawn, target.y);
  }));
  // A draw has the same loss wherever it stands.
  shift %= losses.size();
  Vector shifted(losses.size());
  shifted << losses.tail(losses.size() - shift), losses.head(shift);
  return shifted;
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
    weighted.weights = RankingWeights(losses);
    return weighted;
  }

  absl::StatusOr<Vector> TargetLosses(const GaussianProcess& process) const {
    SLIPSTREAM_ASSIGN_OR_RETURN(const LeftOut left_out, LeaveEachOut(process));
    const Deadline infinite = Deadline::Infinite();
    if (options_.loss == RgpeLoss::kCorrect) {
      return numbers_.Losses(infinite, [&](Index first) {
        return LeftOutLosses(left_out, target_.y, *numbers_.CommonFrom(first),
                             *numbers_.OwnFrom(first));
      });
    }
    if (options_.loss == RgpeLoss::kSimplified) {
      return numbers_.Losses(infinite, [&](Index first) {
        return LeftOutLossesAgainstResults(left_out, target_.y, *numbers_.OwnFrom(first));
      });
    }
    const Matrix misranked = MisrankedPairs(left_out.means.diagonal(), target_.y, target_.y);
    return numbers_.Losses(infinite, [&](Index first) {
      return BootstrapLosses(misranked, *numbers_.CountsFrom(first));
    });
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
      numbers = RgpeNumbers(options_, chosen.size(), input.seed, results);
      losses.resize(numbers.draws(), static_cast<Index>(chosen.size()));
      const CachedPoints points(input.target.x);
      for (Index i = 0; i < losses.cols(); ++i) {
        SLIPSTREAM_ASSIGN_OR_RETURN(
            losses.col(i), RgpeSourceLosses(*chosen[static_cast<size_t>(i)], input.target, points,
                                            numbers, i + 1, input.deadline));
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

Index RgpeDraws(const RgpeOptions& options, size_t sources) {
  const Index wanted = options.draws.value_or(options.loss == RgpeLoss::kBootstrap ? 1000 : 256);
  const Index most = kMostRgpeLosses / std::max<Index>(1, static_cast<Index>(sources));
  return std::min(wanted, std::max(kFewestLimitedDraws, most));
}

std::unique_ptr<Prior> MakeRgpe(const RgpeOptions& options) {
  return std::make_unique<Rgpe>(options);
}

namespace {

constexpr Option<RgpeOptions> kRgpeOptions[] = {
    OptionAt<&RgpeOptions::loss>(
        {"rgpe_loss", "", 0, 2, true,
         "How rgpe counts pairs of results that the study's own process misorders. Its "
         "leave-one-out draw at one of the two is compared with 0: the same draw at the other, 1: "
         "the other result; 2: as 1, but with means instead of draws, the sources' too, on "
         "bootstrap samples of the results"}),
    OptionAt<&RgpeOptions::dilution>(
        {"rgpe_dilution", "", 0, 2, true,
         "rgpe 0: keeps all sources, 1: drops sources by percentile, 2: drops them "
         "probabilistically"}),
    OptionAt<&RgpeOptions::most_sources>(
        {"rgpe_sources", "sources", 0, 1000, true,
         "The most sources that rgpe weighs, those that rank the results best; 0: no limit"}),
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
