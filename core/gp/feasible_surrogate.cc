#include "core/gp/feasible_surrogate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/even_parts.h"
#include "core/base/status.h"
#include "core/gp/correlation.h"
#include "core/gp/normal.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

constexpr double kSteepness = 2;

// Beyond a sharp edge g falls so low that p would be zero, and the deviation with it.
constexpr double kLeastChance = 1e-6;

double ChanceOf(double g) {
  return std::max(StandardNormalDistribution(kSteepness * g), kLeastChance);
}

// dp/dg: none where p is held.
double ChanceSlope(double g) {
  return ChanceOf(g) > kLeastChance ? kSteepness * StandardNormalDensity(kSteepness * g) : 0;
}

// Where p is less, a loss is expected as well.
constexpr double kHardlyAnyChance = 0.5;

// The part of the way from the incumbent to the worst result that is expected to be lost where p is
// so small, and its slope by p. Without it, what surely has no value would be preferred to what is
// surely worse than the incumbent.
double LossOf(double chance) { return std::pow(std::max(0.0, 1 - chance / kHardlyAnyChance), 2); }
double LossSlope(double chance) {
  return -2 * std::max(0.0, 1 - chance / kHardlyAnyChance) / kHardlyAnyChance;
}

// The noise variance of the labels 1 and -1.
constexpr double kLabelNoise = 1e-2;
// The same of the label of a failure that was chance, as far as anyone can tell.
constexpr double kChanceNoise = 3;
// The log odds that configurations decide which trials fail, before any outcome is known.
constexpr double kLogOddsOfPattern = -2;
// An outcome is given no smaller chance: one that is surprising does not decide alone.
constexpr double kLeastChanceOfOutcome = 0.02;
// Whether failures are chance is judged by so many results at most, spread evenly over all: more
// of them cost the cube and say the same.
constexpr Index kMostJudgedBy = 400;
// Whether one number alone decides is learnt from so many results, infeasible points and failures
// each at most. Its lengthscale is tried as the usual one times these factors, with those of all
// others longer by kFactorOfNoMatter.
constexpr Index kMostLearntBy = 30;
constexpr double kLengthFactors[] = {1.0 / 36, 1.0 / 6, 1, 3};
constexpr double kFactorOfNoMatter = 6;
// Of more numbers, those that tell results from other trials best.
constexpr size_t kMostNumbersTried = 32;
// Places tell failures from this chance of a pattern on.
constexpr double kSure = 0.9;

// The process's means at its own points, each without the label there, as if the process were one
// around `centre` instead of 1. `precision` is the inverse of its labels' covariance.
Vector LeftOutMeans(const GaussianProcess& process, const Matrix& precision, double centre) {
  const Vector weights = process.weights() + (1 - centre) * precision.rowwise().sum();
  return process.observations().y - weights.cwiseQuotient(precision.diagonal());
}

// How probable it is that locations explain which trials fail. Failures stand last among the labels
// of `process`, as results do first. It compares two explanations by the chances that they give
// each outcome when it is left out: the rate of such outcomes alone, and the process. Far from all
// other outcomes the process is to expect that rate, too. Otherwise failures far from each other
// would be surprises to it where most trials fail, and speak for chance.
double ChanceOfPattern(const GaussianProcess& process, Index results, Index failures) {
  const Matrix precision = process.factor().Inverse();
  const auto outcomes = static_cast<double>(results + failures);
  const auto log_chance = [](double g) {
    return std::log(std::clamp(StandardNormalDistribution(kSteepness * g), kLeastChanceOfOutcome,
                               1 - kLeastChanceOfOutcome));
  };
  // Of those at `first` and after it, which are alike. `sign` is their label.
  const auto evidence_of = [&](Index first, Index alike, double sign) {
    if (alike == 0) return 0.0;
    const double rate = (static_cast<double>(alike) - 0.5) / outcomes;  // Without one of them.
    const double centre = sign * StandardNormalQuantile(rate) / kSteepness;
    const Vector means = sign * LeftOutMeans(process, precision, centre).segment(first, alike);
    double evidence = 0;
    for (const double mean : means) evidence += log_chance(mean) - std::log(rate);
    return evidence;
  };
  const double evidence =
      evidence_of(0, results, 1) + evidence_of(process.size() - failures, failures, -1);
  return 1 / (1 + std::exp(-kLogOddsOfPattern - evidence));
}

// The noise of the labels of failures.
double FailureNoise(const GaussianProcess& process, Index results, Index failures) {
  const double told = ChanceOfPattern(process, results, failures);
  return std::pow(kLabelNoise, told) * std::pow(kChanceNoise, 1 - told);
}

// Configurations with a value are 1, others -1.
Observations LabelsOf(const PointMatrix& feasible, const PointMatrix& infeasible,
                      const PointMatrix& failed, double failure_noise = kLabelNoise) {
  const Index count = feasible.rows() + infeasible.rows() + failed.rows();
  Observations labels{PointMatrix(count, feasible.cols()), Vector::Ones(count),
                      Vector::Constant(count, kLabelNoise)};
  labels.x << feasible, infeasible, failed;
  labels.y.tail(count - feasible.rows()).setConstant(-1);
  labels.noise_variance.tail(failed.rows()).setConstant(failure_noise);
  return labels;
}

std::shared_ptr<const KernelPrior> PriorWith(const CoordinateKinds& kinds,
                                             const Vector& log_lengths) {
  Vector parameters = Vector::Zero(1 + log_lengths.size());
  parameters.tail(log_lengths.size()) = log_lengths;
  return std::make_shared<KernelPrior>(
      MakeStationary(Smoothness::kMatern52, kinds, Lengthscales::kEach), parameters, 1.0);
}

// Another word counts as two numbers apart by as much as they are on average, so that words without
// a value are found as fast as ranges of numbers.
Vector UsualLogLengths(const CoordinateKinds& kinds) {
  constexpr double kLength = 0.2;
  const double kLengthOfWords = kLength * std::sqrt(6.0);
  Vector lengths(static_cast<Index>(kinds.size()));
  for (size_t i = 0; i < kinds.size(); ++i) {
    const double length = kinds[i] == CoordinateKind::kWord ? kLengthOfWords : kLength;
    lengths[static_cast<Index>(i)] =
        std::log(length * std::sqrt(static_cast<double>(kinds.size())));
  }
  return lengths;
}

PointMatrix SomeOf(const PointMatrix& points, Index most = kMostJudgedBy) {
  return points(FirstOfParts(points.rows(), most), Eigen::all);
}

// Of the points' places in one coordinate, or 0 and 1 for equal and other words.
Matrix SquaredDifferences(const PointMatrix& x, CoordinateKind kind, Index coordinate) {
  const auto column = x.col(coordinate);
  Matrix differences(x.rows(), x.rows());
  for (Index j = 0; j < x.rows(); ++j) {
    differences.col(j) = (column.array() - column[j]).square();
  }
  if (kind == CoordinateKind::kWord) {
    differences = (differences.array() > 0).select(Matrix::Ones(x.rows(), x.rows()), 0.0);
  }
  return differences;
}

// The log density of the labels, but for a constant, given their points' squared distances in
// lengthscales.
absl::StatusOr<double> LogEvidence(Matrix distances, const Observations& labels) {
  Eigen::Map<Eigen::ArrayXd> all(distances.data(), distances.size());
  all = all.max(0);  // Where rounding left less.
  Correlate(Smoothness::kMatern52, all);
  distances.diagonal() += labels.noise_variance;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(distances)));
  const Vector residuals = labels.y.array() - 1;
  return -0.5 * (residuals.dot(factor.Solve(residuals)) + factor.LogDeterminant());
}

// The numbers by which the first `results` points differ most from the others, on average, at most
// kMostNumbersTried of them, in order.
std::vector<Index> NumbersToTry(const CoordinateKinds& kinds, const PointMatrix& x, Index results) {
  const Vector apart = (x.topRows(results).colwise().mean() -
                        x.bottomRows(x.rows() - results).colwise().mean())
                           .cwiseAbs();
  std::vector<Index> numbers;
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i] == CoordinateKind::kNumber) numbers.push_back(static_cast<Index>(i));
  }
  if (numbers.size() <= kMostNumbersTried) return numbers;
  std::stable_sort(numbers.begin(), numbers.end(),
                   [&apart](Index a, Index b) { return apart[a] > apart[b]; });
  numbers.resize(kMostNumbersTried);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Lengthscales with which one number alone decides the labels, of which the first `results` are 1,
// if they tell them better than the usual ones.
absl::StatusOr<Vector> LengthsOfOneNumber(const CoordinateKinds& kinds, const Observations& labels,
                                          Index results) {
  const Vector usual = UsualLogLengths(kinds);
  const Vector far = usual.array() + std::log(kFactorOfNoMatter);
  const std::vector<Index> numbers = NumbersToTry(kinds, labels.x, results);
  const auto in_lengths = [](double log_length) { return std::exp(-2 * log_length); };
  const auto differences_in = [&](Index i) {
    return SquaredDifferences(labels.x, kinds[static_cast<size_t>(i)], i);
  };
  Matrix usual_distances = Matrix::Zero(labels.y.size(), labels.y.size());
  Matrix far_distances = usual_distances;
  for (Index i = 0; i < usual.size(); ++i) {
    const Matrix differences = differences_in(i);
    usual_distances += in_lengths(usual[i]) * differences;
    far_distances += in_lengths(far[i]) * differences;
  }
  Vector best = usual;
  SLIPSTREAM_ASSIGN_OR_RETURN(double best_evidence,
                              LogEvidence(std::move(usual_distances), labels));
  // Of as many explanations, one gains as much by chance.
  best_evidence += std::log(static_cast<double>(numbers.size()) * std::size(kLengthFactors));
  for (const Index i : numbers) {
    const Matrix differences = differences_in(i);
    for (const double factor : kLengthFactors) {
      const double log_length = usual[i] + std::log(factor);
      SLIPSTREAM_ASSIGN_OR_RETURN(
          const double evidence,
          LogEvidence(
              far_distances + (in_lengths(log_length) - in_lengths(far[i])) * differences, labels));
      if (evidence <= best_evidence) continue;
      best_evidence = evidence;
      best = far;
      best[i] = log_length;
    }
  }
  return best;
}

// The usual lengthscales where there are too few labels: one cannot tell which number decides.
absl::StatusOr<Vector> LearntLogLengths(const CoordinateKinds& kinds, const PointMatrix& feasible,
                                        const PointMatrix& infeasible, const PointMatrix& failed,
                                        double failure_noise) {
  if (std::min(feasible.rows(), infeasible.rows() + failed.rows()) < 2) {
    return UsualLogLengths(kinds);
  }
  const PointMatrix results = SomeOf(feasible, kMostLearntBy);
  const Observations labels = LabelsOf(results, SomeOf(infeasible, kMostLearntBy),
                                       SomeOf(failed, kMostLearntBy), failure_noise);
  return LengthsOfOneNumber(kinds, labels, results.rows());
}

}  // namespace

FeasibilityModel::FeasibilityModel(std::vector<GaussianProcess> processes)
    : processes_(std::move(processes)) {}

Vector FeasibilityModel::Means(const PointMatrix& x) const {
  Vector means = processes_.front().PredictMean(x);
  for (size_t i = 1; i < processes_.size(); ++i) {
    means = means.cwiseMin(processes_[i].PredictMean(x));
  }
  return means;
}

PointPrediction FeasibilityModel::MeanAt(ConstVectorView x) const {
  PointPrediction least = processes_.front().PredictPoint(x);
  for (size_t i = 1; i < processes_.size(); ++i) {
    PointPrediction other = processes_[i].PredictPoint(x);
    if (other.mean < least.mean) least = std::move(other);
  }
  return least;
}

namespace {

class FeasibleSurrogate : public Surrogate {
 public:
  FeasibleSurrogate(std::unique_ptr<Surrogate> objective,
                    std::shared_ptr<const FeasibilityModel> feasibility, double incumbent,
                    double worst)
      : Surrogate(objective->dimension()),
        objective_(std::move(objective)),
        feasibility_(std::move(feasibility)),
        incumbent_(incumbent),
        worst_(worst) {}

  const Surrogate& objective() const { return *objective_; }

  Vector MeanOutcomes(const PointMatrix& x) const {
    return objective_->Predict(x).mean.binaryExpr(Chances(x), [this](double mean, double chance) {
      return mean - LossOf(chance) * (mean - worst_);
    });
  }

  Vector Chances(const PointMatrix& x) const {
    if (remembered_.rows() > 0 && AreEqual(remembered_, x)) return remembered_chances_;
    return feasibility_->Means(x).unaryExpr(&ChanceOf);
  }

 private:
  Vector DoPredictMean(const PointMatrix& x) const override {
    return BlendedMean(objective_->PredictMean(x), Chances(x));
  }

  absl::StatusOr<bool> DoAbsorb(const PointMatrix& x) override { return objective_->Absorb(x); }

  void DoRemember(const PointMatrix& x) override {
    remembered_chances_ = Chances(x);
    remembered_ = x;
    objective_->Remember(x);
  }

  std::unique_ptr<Surrogate> DoNear(ConstVectorView x) const override {
    std::unique_ptr<Surrogate> objective = objective_->Near(x);
    if (objective == nullptr) return nullptr;
    return MakeFeasibleSurrogate(std::move(objective), feasibility_, incumbent_, worst_);
  }

  Predictions DoPredict(const PointMatrix& x) const override {
    return Blended(objective_->Predict(x), Chances(x));
  }

  JointPredictions DoPredictJointly(const PointMatrix& x) const override {
    const Vector chances = Chances(x);
    const Vector weights = chances.cwiseAbs2();
    JointPredictions joint = objective_->PredictJointly(x);
    return {Blended(std::move(joint.at_points), chances),
            weights.asDiagonal() * joint.covariance * weights.asDiagonal()};
  }

  // The mean of the whole where the objective's is `mean`.
  double MeanBeside(double mean, double chance) const {
    return incumbent_ + chance * chance * (mean - incumbent_) -
           (incumbent_ - worst_) * LossOf(chance);
  }

  Vector BlendedMean(const Vector& mean, const Vector& chances) const {
    return mean.binaryExpr(chances, [this](double value, double chance) {
      return MeanBeside(value, chance);
    });
  }

  Predictions Blended(Predictions result, const Vector& chances) const {
    result.mean = BlendedMean(result.mean, chances);
    result.variance.array() *= chances.array().square().square();
    return result;
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    PointPrediction result = objective_->PredictPoint(x);
    const PointPrediction there = feasibility_->MeanAt(x);
    const double chance = ChanceOf(there.mean);
    const double weight = chance * chance;
    const Vector chance_slope = ChanceSlope(there.mean) * there.mean_gradient;
    const Vector slope = 2 * chance * chance_slope;
    result.mean_gradient = weight * result.mean_gradient + (result.mean - incumbent_) * slope -
                           (incumbent_ - worst_) * LossSlope(chance) * chance_slope;
    result.variance_gradient =
        weight * weight * result.variance_gradient + 2 * weight * result.variance * slope;
    result.mean = MeanBeside(result.mean, chance);
    result.variance *= weight * weight;
    return result;
  }

  Matrix DoJointCovariance(const PointMatrix& x) const override {
    const Vector weights = Chances(x).cwiseAbs2();
    return weights.asDiagonal() * objective_->JointCovariance(x) * weights.asDiagonal();
  }

  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Surrogate> objective, objective_->Fantasize(x));
    return MakeFeasibleSurrogate(std::move(objective), feasibility_, incumbent_, worst_);
  }

  std::unique_ptr<Surrogate> objective_;
  std::shared_ptr<const FeasibilityModel> feasibility_;
  double incumbent_;
  double worst_;
  PointMatrix remembered_ = {};
  Vector remembered_chances_ = {};
};

}  // namespace

absl::StatusOr<std::shared_ptr<const FeasibilityModel>> FitFeasibility(
    const CoordinateKinds& kinds, const PointMatrix& feasible, const PointMatrix& infeasible,
    const PointMatrix& failed) {
  const Vector usual = UsualLogLengths(kinds);
  double failure_noise = kLabelNoise;
  if (failed.rows() > 0) {
    const PointMatrix some = SomeOf(feasible);
    SLIPSTREAM_ASSIGN_OR_RETURN(
        const GaussianProcess judge,
        GaussianProcess::Fit(PriorWith(kinds, usual), LabelsOf(some, infeasible, failed)));
    failure_noise = FailureNoise(judge, some.rows(), failed.rows());
  }
  Observations labels = LabelsOf(feasible, infeasible, failed, failure_noise);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const Vector lengths, LearntLogLengths(kinds, feasible, infeasible, failed, failure_noise));
  std::vector<GaussianProcess> processes;
  SLIPSTREAM_ASSIGN_OR_RETURN(GaussianProcess first,
                              GaussianProcess::Fit(PriorWith(kinds, usual), labels));
  processes.push_back(std::move(first));
  if (lengths != usual) {
    SLIPSTREAM_ASSIGN_OR_RETURN(
        GaussianProcess other,
        GaussianProcess::Fit(PriorWith(kinds, lengths), std::move(labels)));
    processes.push_back(std::move(other));
  }
  return std::make_shared<const FeasibilityModel>(std::move(processes));
}

absl::StatusOr<bool> PlacesTellFailures(const CoordinateKinds& kinds, const PointMatrix& feasible,
                                        const PointMatrix& infeasible, const PointMatrix& failed) {
  const PointMatrix some = SomeOf(feasible);
  const PointMatrix failures = SomeOf(failed);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      const GaussianProcess judge,
      GaussianProcess::Fit(PriorWith(kinds, UsualLogLengths(kinds)),
                           LabelsOf(some, SomeOf(infeasible), failures)));
  return ChanceOfPattern(judge, some.rows(), failures.rows()) > kSure;
}

std::unique_ptr<Surrogate> MakeFeasibleSurrogate(
    std::unique_ptr<Surrogate> objective, std::shared_ptr<const FeasibilityModel> feasibility,
    double incumbent, double worst) {
  return std::make_unique<FeasibleSurrogate>(std::move(objective), std::move(feasibility),
                                             incumbent, worst);
}

const Surrogate& WhereMeasured(const Surrogate& surrogate) {
  const auto* const feasible = dynamic_cast<const FeasibleSurrogate*>(&surrogate);
  return feasible == nullptr ? surrogate : feasible->objective();
}

Vector MeanOutcomes(const Surrogate& surrogate, const PointMatrix& x) {
  const auto* const feasible = dynamic_cast<const FeasibleSurrogate*>(&surrogate);
  return feasible == nullptr ? surrogate.Predict(x).mean : feasible->MeanOutcomes(x);
}

std::optional<Vector> ChancesOfValue(const Surrogate& surrogate, const PointMatrix& x) {
  const auto* const feasible = dynamic_cast<const FeasibleSurrogate*>(&surrogate);
  return feasible == nullptr ? std::nullopt : std::make_optional(feasible->Chances(x));
}

}  // namespace slipstream
