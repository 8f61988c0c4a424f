#include "core/prior/empirical.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/memo.h"
#include "core/base/status.h"
#include "core/prior/blocks/source_identities.h"
#include "core/prior/blocks/source_points.h"
#include "core/prior/source_sum.h"

namespace slipstream {
namespace {

// Sources and target have variance 1, so that neither weight is far above 1.
constexpr double kMostFactor = 5;
constexpr HyperparameterBelief kCommonBelief = {1, 1, -kMostFactor, kMostFactor};
constexpr HyperparameterBelief kDifferencesBelief = {1, 0.5, 0, kMostFactor};
// Fewer points are predicted without a source's cache: the steps of a search do not come again.
constexpr Index kLeastCached = 28;
// Sources are compared with each other at so many places.
constexpr Index kScreenPlaces = 64;
constexpr size_t kMostCachedScreens = 16;

// Each source's mean at the points, one source a column.
Matrix SourceMeans(const SourceModels& sources, const PointMatrix& x) {
  if (x.rows() >= kLeastCached) return MeansOf(sources, x);
  Matrix means(x.rows(), static_cast<Index>(sources.size()));
  for (size_t k = 0; k < sources.size(); ++k) {
    means.col(static_cast<Index>(k)) = sources[k]->expansion->Means(x);
  }
  return means;
}

Matrix AroundTheirMean(Matrix means) {
  const Index count = means.cols();
  if (count < 2) return Matrix(means.rows(), 0);
  means.colwise() -= Vector(means.rowwise().mean());
  return means / std::sqrt(static_cast<double>(count - 1));
}

PointMatrix RowOf(ConstVectorView x) { return x.transpose(); }

}  // namespace

// The covariances with points that stay.
class EmpiricalProcess::Kept final : public KernelAt {
 public:
  Kept(const EmpiricalProcess& process, std::unique_ptr<KernelAt> own, const Matrix& differences)
      : KernelAt(own->size(), own->slope_columns()),
        process_(process),
        own_(std::move(own)),
        scaled_(process.difference_weight_ * process.difference_weight_ * differences) {}

 private:
  void DoCovariance(const PointMatrix& x, MatrixView out) const override {
    own_->Covariance(x, out);
    out.noalias() += scaled_ * process_.At(x)->differences.transpose();
  }
  void DoAtPoint(ConstVectorView x, VectorView values, MatrixView slopes) const override {
    own_->AtPoint(x, values, slopes);
    values += scaled_ * process_.At(RowOf(x))->differences.row(0).transpose();
  }
  void DoAddGradients(ConstVectorView x, ConstMatrixView slopes, ConstMatrixView weights,
                      MatrixView gradients) const override {
    own_->AddGradients(x, slopes, weights, gradients);
    const Matrix by_source = scaled_.transpose() * weights;
    for (Index j = 0; j < weights.cols(); ++j) {
      process_.AddDifferencesGradient(x, by_source.col(j), gradients.col(j));
    }
  }

  const EmpiricalProcess& process_;
  const std::unique_ptr<KernelAt> own_;
  const Matrix scaled_;  // The differences at the points that stay, times their variance.
};

EmpiricalProcess::EmpiricalProcess(SourceModels sources, std::shared_ptr<const Kernel> kernel,
                                   Vector parameters, double mean, double mean_weight,
                                   double difference_weight)
    : GaussianPrior(kernel->dimension()),
      sources_(std::move(sources)),
      kernel_(std::move(kernel)),
      parameters_(std::move(parameters)),
      mean_(mean),
      mean_weight_(mean_weight),
      difference_weight_(difference_weight) {}

std::shared_ptr<const EmpiricalProcess::There> EmpiricalProcess::At(const PointMatrix& x) const {
  const PointsKey key = {x};
  if (std::shared_ptr<const There> found = there_.Find(key)) return found;
  auto made = std::make_shared<const There>(MakeThere(x));
  const auto numbers = static_cast<size_t>(x.size() + made->means.size() +
                                           made->differences.size() + made->slopes.size());
  there_.Put(key, made, std::max(sizeof(double) * numbers, kMostBytesThere / kMostThere));
  return made;
}

EmpiricalProcess::There EmpiricalProcess::MakeThere(const PointMatrix& x) const {
  There there;
  if (x.rows() != 1) {
    there.means = SourceMeans(sources_, x);
  } else {
    const auto count = static_cast<Index>(sources_.size());
    there.means.resize(1, count);
    there.slopes = Matrix::Zero(dimension(), count);
    for (Index k = 0; k < count; ++k) {
      const KernelExpansion& process = *sources_[static_cast<size_t>(k)]->expansion;
      there.means(0, k) = process.MeanAt(x.row(0).transpose(), there.slopes.col(k));
    }
  }
  there.differences = AroundTheirMean(there.means);
  return there;
}

Vector EmpiricalProcess::DoMean(const PointMatrix& x) const {
  return (mean_weight_ * At(x)->means.rowwise().mean()).array() + mean_;
}

Matrix EmpiricalProcess::DoCovariance(const PointMatrix& a, const PointMatrix& b) const {
  Matrix covariance = kernel_->Covariance(parameters_, a, b);
  covariance.noalias() += difference_weight_ * difference_weight_ * At(a)->differences *
                          At(b)->differences.transpose();
  return covariance;
}

Vector EmpiricalProcess::DoVariance(const PointMatrix& x) const {
  Vector variance =
      difference_weight_ * difference_weight_ * At(x)->differences.rowwise().squaredNorm();
  variance.array() += kernel_->Variance(parameters_);
  return variance;
}

void EmpiricalProcess::DoAddMeanGradient(ConstVectorView x, double weight,
                                         VectorView gradient) const {
  gradient += weight * mean_weight_ * At(RowOf(x))->slopes.rowwise().mean();
}

void EmpiricalProcess::AddDifferencesGradient(ConstVectorView x, const Vector& weights,
                                              VectorView gradient) const {
  if (weights.size() == 0) return;
  const double root = std::sqrt(static_cast<double>(sources_.size() - 1));
  const Vector around = (weights.array() - weights.mean()) / root;
  gradient.noalias() += At(RowOf(x))->slopes * around;
}

void EmpiricalProcess::DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                               ConstVectorView weights, VectorView gradient) const {
  kernel_->AddPointGradient(parameters_, x, b, weights, gradient);
  const double variance = difference_weight_ * difference_weight_;
  AddDifferencesGradient(x, variance * (At(b)->differences.transpose() * weights), gradient);
}

void EmpiricalProcess::DoAddVarianceGradient(ConstVectorView x, double weight,
                                             VectorView gradient) const {
  const double variance = difference_weight_ * difference_weight_;
  const Vector here = At(RowOf(x))->differences.row(0).transpose();
  AddDifferencesGradient(x, 2 * weight * variance * here, gradient);
}

std::unique_ptr<KernelAt> EmpiricalProcess::DoAt(const PointMatrix& points) const {
  return std::make_unique<Kept>(*this, kernel_->At(parameters_, points), At(points)->differences);
}

namespace {

// The common mean and the differences as terms of a likelihood.
std::vector<KnownTerm> EmpiricalTerms(const SourceModels& sources, const PointMatrix& x) {
  const Matrix means = SourceMeans(sources, x);
  std::vector<KnownTerm> terms(1);
  terms[0].mean = means.rowwise().mean();
  terms[0].variance = Vector::Zero(x.rows());
  if (sources.size() < 2) return terms;
  const Matrix differences = AroundTheirMean(means);
  terms.push_back({Vector::Zero(x.rows()), differences * differences.transpose()});
  return terms;
}

class EmpiricalTransfer final : public Transfer {
 public:
  EmpiricalTransfer(Model model, TrainingData data, TrainingData target, SourceModels kept,
                    SourceScreen screen)
      : Transfer(std::move(model), std::move(data)),
        target_(std::move(target)),
        sources_(std::move(kept)),
        screen_(std::move(screen)) {}

  absl::StatusOr<std::unique_ptr<Surrogate>> Fit(
      const Hyperparameters& hyperparameters) const override {
    auto prior = std::make_shared<EmpiricalProcess>(
        sources_, model().kernel, hyperparameters.kernel, hyperparameters.mean,
        hyperparameters.weights[0], DifferenceWeight(hyperparameters));
    SLIPSTREAM_ASSIGN_OR_RETURN(
        GaussianProcess process,
        GaussianProcess::Fit(
            std::move(prior),
            {target_.x, target_.y, NoiseOf(target_, hyperparameters.log_noise_variance)}));
    return std::make_unique<GaussianProcess>(std::move(process));
  }

  // All that are kept count the same; what the common mean lacks to 1 is the target's own.
  Vector Shares(const Hyperparameters& hyperparameters) const override {
    const auto count = static_cast<double>(sources_.size());
    const double all =
        std::max(std::abs(hyperparameters.weights[0]), DifferenceWeight(hyperparameters));
    Vector shares = Vector::Zero(static_cast<Index>(screen_.sources));
    for (size_t place : screen_.kept) {
      shares[static_cast<Index>(place)] = std::min(1.0, all) / count;
    }
    return shares;
  }

  std::vector<Remark> Remarks(const Hyperparameters& hyperparameters) const override {
    std::vector<Remark> remarks = {{"common_mean_weight", hyperparameters.weights[0]},
                                   {"difference_amplitude", std::exp(hyperparameters.kernel[0])}};
    if (sources_.size() > 1) {
      remarks.emplace_back("task_difference_weight", DifferenceWeight(hyperparameters));
    }
    RemarkOnReversal(hyperparameters.weights[0], remarks);
    if (screen_.leaves_any_out()) remarks.emplace_back("screened", screen_.Text());
    return remarks;
  }

 private:
  static double DifferenceWeight(const Hyperparameters& hyperparameters) {
    return hyperparameters.weights.size() > 1 ? hyperparameters.weights[1] : 0;
  }

  TrainingData target_;
  SourceModels sources_;  // Those that are kept.
  SourceScreen screen_;
};

class Empirical final : public Prior {
 public:
  explicit Empirical(const EmpiricalOptions& options) : options_(options) {}

  absl::StatusOr<std::unique_ptr<Transfer>> Combine(const PriorInput& input) const override {
    if (input.sources.size() < options_.least_sources) return SumOfFew(input)->Combine(input);
    SLIPSTREAM_ASSIGN_OR_RETURN(SourceScreen screen, ScreenOf(input));
    SourceModels kept;
    for (size_t place : screen.kept) kept.push_back(input.sources[place]);
    Model model = DefaultModel(input.kinds, input.model);
    if (!input.model.given.amplitude.has_value()) model.beliefs.front() = kDifferenceAmplitude;
    TrainingData data = input.CalibrationPart();
    data.terms = EmpiricalTerms(kept, data.x);
    model.beliefs.push_back(kCommonBelief);
    if (data.terms.size() > 1) model.beliefs.push_back(kDifferencesBelief);
    return std::make_unique<EmpiricalTransfer>(std::move(model), std::move(data), input.target,
                                               std::move(kept), std::move(screen));
  }

  absl::Status Prepare(const PriorInput& input) const override {
    if (!NeedsScreen(input.sources, Limits())) return absl::OkStatus();
    return CachedStrangeness(input).status();
  }

 private:
  ScreenLimits Limits() const { return {options_.most_points, options_.least_sources}; }

  absl::StatusOr<SourceScreen> ScreenOf(const PriorInput& input) const {
    if (!NeedsScreen(input.sources, Limits())) return WithoutScreen(input.sources);
    SLIPSTREAM_ASSIGN_OR_RETURN(const std::shared_ptr<const Vector> strangeness,
                                CachedStrangeness(input));
    return ScreenSources(input.sources, input.target, *strangeness, Limits());
  }

  // The places are the same for all studies of the sources' space without candidates.
  absl::StatusOr<std::shared_ptr<const Vector>> CachedStrangeness(const PriorInput& input) const {
    PlacedSources key{SourceIdentities(input.sources), input.places.Get(kScreenPlaces)};
    const auto make = [&]() -> absl::StatusOr<std::shared_ptr<const Vector>> {
      return std::make_shared<const Vector>(Strangeness(input.sources, key.places));
    };
    return strangeness_.Get(key, make);
  }

  static std::unique_ptr<Prior> SumOfFew(const PriorInput& input) {
    SourceSumOptions options;
    options.weights = WeightLearning::kAlways;
    options.signs = WeightSigns::kEither;
    options.amplitude = input.model.given.amplitude;
    return MakeSourceSum(options);
  }

  EmpiricalOptions options_;
  mutable Memo<PlacedSources, const Vector> strangeness_{kMostCachedScreens};
};

constexpr Option<EmpiricalOptions> kEmpiricalOptions[] = {
    OptionAt<&EmpiricalOptions::least_sources>(
        {"empirical_sources", "sources", 2, 1000, true,
         "With fewer sources than this, empirical uses a weighted sum, as scaml does"}),
    OptionAt<&EmpiricalOptions::most_points>(
        {"empirical_points", "points", 100, 1000000, true,
         "If sources have more points in total than this, only the sources that rank the results "
         "best are used"}),
};

}  // namespace

std::unique_ptr<Prior> MakeEmpirical(const EmpiricalOptions& options) {
  return std::make_unique<Empirical>(options);
}

const PriorRow kEmpiricalPrior = {
    .about = {.name = "empirical",
              .summary = "The sources' mean and covariance, as draws of one process, plus a "
                         "process for the rest",
              .source = "after Empirical Gaussian processes (arXiv 2602.12082)",
              .options = [] { return OptionSet(EmpiricalOptions(), kEmpiricalOptions); }},
    .make =
        [](const OptionSet& options, const FollowedAcquisition&) {
          return MakeEmpirical(options.As<EmpiricalOptions>());
        },
    .ascents = 1,
};

}  // namespace slipstream
