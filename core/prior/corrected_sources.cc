#include "core/prior/corrected_sources.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"
#include "core/prior/blocks/source_points.h"

namespace slipstream {
namespace {

// A kernel, and the places and the noise of the observed differences.
struct DifferenceProcess {
  const Kernel& kernel;
  ConstVectorView parameters;
  const PointMatrix& x;
  const Vector& noise;
};

// mu_d and var_d at `points`, of which counts[s] belong to column s of the
// differences.
absl::StatusOr<Predictions> CorrectionsAt(const DifferenceProcess& process, Matrix differences,
                                          const PointMatrix& points,
                                          const std::vector<Index>& counts) {
  const double most = process.kernel.Variance(process.parameters);
  Predictions corrections{Vector::Zero(points.rows()), Vector::Constant(points.rows(), most)};
  if (process.x.rows() == 0) return corrections;
  Matrix covariance = process.kernel.LowerCovariance(process.parameters, process.x);
  covariance.diagonal() += process.noise;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(covariance)));
  factor.SolveLower(differences);
  Matrix cross = process.kernel.Covariance(process.parameters, process.x, points);
  factor.SolveLower(cross);
  Index first = 0;
  for (size_t s = 0; s < counts.size(); ++s) {
    corrections.mean.segment(first, counts[s]).noalias() =
        cross.middleCols(first, counts[s]).transpose() * differences.col(static_cast<Index>(s));
    first += counts[s];
  }
  corrections.variance -= cross.colwise().squaredNorm().transpose();
  corrections.variance = corrections.variance.cwiseMax(kLeastVariancePart * most);
  return corrections;
}

// sigma_s^2 of each point.
Vector OwnNoiseOf(const SourceModels& sources, const SourcePoints& points) {
  Vector noise = points.data.known_noise;
  Index first = 0;
  for (size_t s = 0; s < sources.size(); ++s) {
    const Index count = points.counts[s];
    noise.segment(first, count) += std::exp(sources[s]->hyperparameters.log_noise_variance) *
                                   points.data.repeats.segment(first, count).cwiseInverse();
    first += count;
  }
  return noise;
}

// Results and corrected points. All noise of the points is known: as if each
// were the mean of infinitely many, they have no part in the target's.
TrainingData JoinedCorrected(const TrainingData& results, SourcePoints points,
                             const Vector& own_noise, const Predictions& corrections,
                             bool inflate) {
  points.data.y += corrections.mean;
  points.data.known_noise = own_noise;
  if (inflate) points.data.known_noise += corrections.variance;
  points.data.repeats.setConstant(std::numeric_limits<double>::infinity());
  return Joined(results, points);
}

// The data that a calibration sees: each source's points corrected under its kernel.
absl::StatusOr<TrainingData> ShownData(const CorrectedOptions& options, const SourceModels& sources,
                                       const TrainingData& results, const Matrix& differences) {
  SourcePoints points =
      CollectPoints(sources, std::max<Index>(0, options.most_calibrated_points - results.y.size()));
  Predictions corrections{Vector(points.size()), Vector(points.size())};
  Index first = 0;
  for (size_t s = 0; s < sources.size(); ++s) {
    const Index count = points.counts[s];
    if (count == 0) continue;
    const Hyperparameters& own = sources[s]->hyperparameters;
    const Vector noise = NoiseOf(results, own.log_noise_variance);
    SLIPSTREAM_ASSIGN_OR_RETURN(const Predictions part,
                                CorrectionsAt({*sources[s]->kernel, own.kernel, results.x, noise},
                                              differences.col(static_cast<Index>(s)),
                                              points.data.x.middleRows(first, count), {count}));
    corrections.mean.segment(first, count) = part.mean;
    corrections.variance.segment(first, count) = part.variance;
    first += count;
  }
  const Vector own_noise = OwnNoiseOf(sources, points);
  return JoinedCorrected(results, std::move(points), own_noise, corrections, options.inflate);
}

class CorrectedTransfer final : public Transfer {
 public:
  CorrectedTransfer(const CorrectedOptions& options, Model model, TrainingData data,
                    const SourceModels& sources, TrainingData target, Matrix differences)
      : Transfer(std::move(model), std::move(data)),
        options_(options),
        target_(std::move(target)),
        differences_(std::move(differences)),
        points_(CollectPoints(sources, std::max<Index>(0, options.most_points - target_.y.size()))),
        own_noise_(OwnNoiseOf(sources, points_)) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(const TrainingData all, AllUnder(hyperparameters));
    SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess process,
                                FitProcess(model().kernel, all, hyperparameters));
    return std::make_unique<GaussianProcess>(std::move(process));
  }

  Vector Shares(const Hyperparameters& hyperparameters) const override {
    const absl::StatusOr<TrainingData> all = AllUnder(hyperparameters);
    if (!all.ok()) return Vector::Zero(differences_.cols());
    return PartsOf(points_, NoiseOf(*all, hyperparameters.log_noise_variance).cwiseInverse());
  }

  std::vector<Remark> Remarks(const Hyperparameters& /*hyperparameters*/) const override {
    std::vector<Remark> remarks;
    if (differences_.rows() > 0) {
      const Vector deviations = differences_.colwise().squaredNorm().transpose().array().sqrt() /
                                std::sqrt(static_cast<double>(differences_.rows()));
      remarks.emplace_back("least_difference", deviations.minCoeff());
      remarks.emplace_back("largest_difference", deviations.maxCoeff());
    }
    if (points_.size() < points_.all) remarks.emplace_back("source_points", CountOf(points_));
    return remarks;
  }

 private:
  absl::StatusOr<TrainingData> AllUnder(const Hyperparameters& hyperparameters) const {
    const Vector noise = NoiseOf(target_, hyperparameters.log_noise_variance);
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const Predictions corrections,
        CorrectionsAt({*model().kernel, hyperparameters.kernel, target_.x, noise}, differences_,
                      points_.data.x, points_.counts));
    return JoinedCorrected(target_, points_, own_noise_, corrections, options_.inflate);
  }

  CorrectedOptions options_;
  TrainingData target_;
  Matrix differences_;  // At the target's results, one source a column.
  SourcePoints points_;
  Vector own_noise_;  // The points' noise variances.
};

class CorrectedSources final : public Prior {
 public:
  explicit CorrectedSources(const CorrectedOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    const TrainingData part = input.CalibrationPart();
    Matrix differences = -MeansOf(input.sources, input.target.x);
    differences.colwise() += input.target.y;
    SLIPSTREAM_ASSIGN_OR_RETURN(TrainingData shown, ShownData(options_, input.sources, part,
                                                              differences.topRows(part.y.size())));
    return std::make_unique<CorrectedTransfer>(options_, DefaultModel(input.kinds, input.model),
                                               std::move(shown), input.sources, input.target,
                                               std::move(differences));
  }

 private:
  CorrectedOptions options_;
};

}  // namespace

std::unique_ptr<Prior> MakeCorrectedSources(const CorrectedOptions& options) {
  return std::make_unique<CorrectedSources>(options);
}

namespace {

constexpr Option<CorrectedOptions> kCorrectedOptions[] = {
    OptionAt<&CorrectedOptions::inflate>(
        {"inflate_noise", "", 0, 1, true,
         "0: diff_gp does not add the correction's variance to the noise of corrected points"}),
    OptionAt<&CorrectedOptions::most_points>(kPooledPointsOption),
};

}  // namespace

const PriorRow kDiffGpPrior = {
    .about = {.name = "diff_gp",
              .summary = "The sources' points, corrected by a process for the difference",
              .source = "Diff-GP: Shilton et al. 2017",
              .options = [] { return OptionSet(CorrectedOptions(), kCorrectedOptions); }},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakeCorrectedSources(options.As<CorrectedOptions>());
        },
    .scale = TaskScale::kShared,
};

}  // namespace slipstream
