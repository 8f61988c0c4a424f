#include "core/prior/pooled_sources.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/prior/blocks/source_points.h"

namespace slipstream {
namespace {

Model PooledModel(const PriorInput& input, PooledKernel kernel) {
  if (kernel == PooledKernel::kTargets) return DefaultModel(input.kinds, input.model);
  ModelOptions options = input.model;
  options.smoothness = Smoothness::kSquaredExponential;
  options.lengthscales = Lengthscales::kShared;
  Model model = DefaultModel(input.kinds, options);
  if (!options.given.amplitude.has_value()) model.beliefs.front() = {0, 1, 0, 0};
  if (!options.given.mean.has_value()) model.beliefs.back() = {0, 1, 0, 0};
  return model;
}

// What the results tell about each source.
struct Envelopes {
  Vector variances;         // sigma_s^2.
  std::vector<bool> drops;  // Whether it is left out.

  Index dropped() const { return std::count(drops.begin(), drops.end(), true); }
};

// sum_i (y_i - yhat_i^s)^2 over single results: a y that is the mean of several counts as these do.
double SquaredErrors(const TrainingData& results, const Vector& predicted) {
  const double of_means = results.repeats.dot((results.y - predicted).cwiseAbs2());
  return of_means + results.spreads.cwiseMax(0).sum();
}

// From what each source predicts of them, one a column.
Envelopes EnvelopesOf(const PooledOptions& options, const TrainingData& results,
                      const Matrix& predicted) {
  const Vector& y = results.y;
  const double count = results.repeats.sum();
  const double about_mean = y.size() == 0 ? 0 : (y.array() - y.mean()).square().sum();
  Envelopes envelopes{Vector(predicted.cols()), {}};
  for (Index s = 0; s < predicted.cols(); ++s) {
    const double errors = SquaredErrors(results, predicted.col(s));
    envelopes.variances[s] = options.noise == PooledNoise::kFixed
                                 ? options.fixed_variance
                                 : (options.scale + errors / 2) / (options.shape + count / 2 + 1);
    const double missed = (y - predicted.col(s)).squaredNorm();
    envelopes.drops.push_back(options.drop_misleading && missed > about_mean &&
                              y.size() >= options.least_results_to_drop);
  }
  return envelopes;
}

// Results and points with the noise that the sources' have.
struct Pool {
  SourcePoints points;  // Without those of sources left out.
  TrainingData data;
};

Pool PoolOf(const SourceModels& sources, const Envelopes& envelopes, const TrainingData& results,
            Index most) {
  SourceModels kept;
  std::vector<size_t> places;
  for (size_t s = 0; s < sources.size(); ++s) {
    if (envelopes.drops[s]) continue;
    kept.push_back(sources[s]);
    places.push_back(s);
  }
  Pool pool;
  pool.points = CollectPoints(kept, std::max<Index>(0, most - results.y.size()));
  std::vector<Index> counts(sources.size(), 0);
  Index first = 0;
  for (size_t k = 0; k < kept.size(); ++k) {
    const Index count = pool.points.counts[k];
    pool.points.data.known_noise.segment(first, count)
        .setConstant(envelopes.variances[static_cast<Index>(places[k])]);
    counts[places[k]] = count;
    first += count;
  }
  // As if each were the mean of infinitely many: they have no part in the results' noise.
  pool.points.data.repeats.setConstant(std::numeric_limits<double>::infinity());
  pool.points.counts = std::move(counts);
  pool.data = Joined(results, pool.points);
  return pool;
}

class PooledTransfer final : public Transfer {
 public:
  PooledTransfer(Model model, TrainingData data, Pool pool, Envelopes envelopes)
      : Transfer(std::move(model), std::move(data)),
        pool_(std::move(pool)),
        envelopes_(std::move(envelopes)) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                                FitProcess(model().kernel, pool_.data, hyperparameters));
    return std::make_unique<GaussianProcess>(std::move(process));
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    return PartsOf(pool_.points,
                   NoiseOf(pool_.data, hyperparameters.log_noise_variance).cwiseInverse());
  }

  std::vector<Remark> Remarks(const Hyperparameters& /*hyperparameters*/) const override {
    std::vector<Remark> remarks;
    if (envelopes_.variances.size() == 1) {
      remarks.emplace_back("source_noise_variance", envelopes_.variances[0]);
    } else {
      remarks.emplace_back("least_source_noise_variance", envelopes_.variances.minCoeff());
      remarks.emplace_back("largest_source_noise_variance", envelopes_.variances.maxCoeff());
    }
    if (envelopes_.dropped() > 0) {
      remarks.emplace_back("sources_left_out", static_cast<double>(envelopes_.dropped()));
    }
    if (pool_.points.size() < pool_.points.all) {
      remarks.emplace_back("source_points", CountOf(pool_.points));
    }
    return remarks;
  }

 private:
  Pool pool_;
  Envelopes envelopes_;
};

class PooledSources final : public Prior {
 public:
  explicit PooledSources(const PooledOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    const Matrix predicted = MeansOf(input.sources, input.target.x);
    // The calibration's data depends on its results only, so that it can be
    // found again when others have come.
    const TrainingData part = input.CalibrationPart();
    Pool shown =
        PoolOf(input.sources, EnvelopesOf(options_, part, predicted.topRows(part.y.size())), part,
               options_.most_calibrated_points);
    Envelopes envelopes = EnvelopesOf(options_, input.target, predicted);
    Pool pool = PoolOf(input.sources, envelopes, input.target, options_.most_points);
    return std::make_unique<PooledTransfer>(PooledModel(input, options_.kernel),
                                            std::move(shown.data), std::move(pool),
                                            std::move(envelopes));
  }

 private:
  PooledOptions options_;
};

}  // namespace

std::unique_ptr<Prior> MakePooledSources(const PooledOptions& options) {
  return std::make_unique<PooledSources>(options);
}

namespace {

constexpr Option<PooledOptions> kPooledOptions[] = {
    OptionAt<&PooledOptions::fixed_variance>(
        {"source_noise", "variances of the results", 1e-6, 100, false,
         "The noise variance of sources' points in env_gp; unless given, a tenth of the results' "
         "variance, as no paper names a value"}),
    OptionAt<&PooledOptions::updates>(
        {"update_noise", "", 0, 1, true,
         "1: the noise of sources' points in env_gp follows their errors, as in envelope"}),
    OptionAt<&PooledOptions::shape>(
        {"envelope_shape", "", 1e-3, 1000, false,
         "tau_0 of the prior of the sources' points' noise, where that follows their errors"}),
    OptionAt<&PooledOptions::scale>(
        {"envelope_scale", "variances of the results", 1e-6, 1000, false,
         "v_0 of the prior of the sources' points' noise, where that follows their errors"}),
    OptionAt<&PooledOptions::drop_misleading>(
        {"drop_misleading", "", 0, 1, true,
         "1: envelope and env_gp leave out sources that predict worse than the results' mean"}),
    OptionAt<&PooledOptions::most_points>(kPooledPointsOption),
};

OptionSet PooledOptionSet() { return OptionSet(PooledOptions(), kPooledOptions); }

}  // namespace

const PriorRow kEnvelopePrior = {
    .about = {.name = "envelope",
              .summary = "The sources' points as results, with a noise estimated from their errors",
              .source = "Envelope-BO: Joy et al. 2019, algorithm 2",
              .options = PooledOptionSet},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakePooledSources(options.As<PooledOptions>());
        },
    .scale = TaskScale::kShared,
};

const PriorRow kEnvGpPrior = {
    .about = {.name = "env_gp",
              .summary = "The sources' points as results, with a fixed extra noise",
              .source = "Env-GP: Joy et al. 2016",
              .options = PooledOptionSet},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          PooledOptions pooled = options.As<PooledOptions>();
          pooled.noise = pooled.updates ? PooledNoise::kEnvelope : PooledNoise::kFixed;
          pooled.kernel = PooledKernel::kTargets;
          return MakePooledSources(pooled);
        },
    .scale = TaskScale::kShared,
};

}  // namespace slipstream
