#include "core/prior/blocks/added_process.h"

#include <algorithm>
#include <utility>

#include "core/base/status.h"
#include "core/gp/remembered_points.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

// So many points are predicted at a time: a source's covariances with them fit into the
// processor's cache.
constexpr Index kAddedBlock = 64;

// The parts that are the same for all points.
struct Fitted {
  std::vector<AddedTerm> terms;
  OwnPart own;
  SourceErrors errors = SourceErrors::kCorrelated;
  bool has_caches = true;  // Whether each term has one.
  CachedPoints results;
  PointMatrix x;  // The results', too.
  // The kernels between X and other points: d's own, and those of correlated terms.
  std::shared_ptr<const KernelAt> own_at_results;
  std::vector<std::shared_ptr<const KernelAt>> at_results;
  // R_i k_i(P_i, X), by term; empty for terms without a covariance or without correlated errors.
  std::vector<Matrix> reduced_cross;
  Cholesky factor;
  Vector alpha;
  // The mean's weights at each term's points; times the term's kernel, also at X.
  std::vector<Vector> term_weights;

  bool has_correlated_terms() const { return errors == SourceErrors::kCorrelated; }
  // Whether the results inform about the term's errors.
  bool is_learnt(size_t term) const {
    return has_correlated_terms() && x.rows() > 0 && terms[term].covariance_factor != 0;
  }
};

// The kernels between the results and other points.
void PrepareKernels(Fitted& fitted) {
  fitted.own_at_results = fitted.own.kernel->At(fitted.own.parameters, fitted.x);
  fitted.at_results.clear();
  for (size_t i = 0; i < fitted.terms.size(); ++i) {
    const KernelExpansion& process = *fitted.terms[i].process;
    fitted.at_results.push_back(
        fitted.is_learnt(i) ? process.kernel->At(process.parameters, fitted.x) : nullptr);
  }
}

class AddedProcess final : public TransferSurrogate {
 public:
  explicit AddedProcess(std::shared_ptr<Fitted> fitted)
      : TransferSurrogate(fitted->own.kernel->dimension()), fitted_(std::move(fitted)) {}

  std::unique_ptr<TransferSurrogate> Clone() const override {
    auto clone = std::make_unique<AddedProcess>(*this);
    clone->remembered_ = {};
    return clone;
  }

 private:
  // c(X, x), one column a point; `crosses` are k_i(P_i, x) of all that is learnt about.
  Matrix CrossCovariance(const PointMatrix& x, const std::vector<Matrix>& crosses) const {
    const Fitted& f = *fitted_;
    Matrix covariance = f.own_at_results->Covariance(x);
    for (size_t i = 0; i < f.terms.size(); ++i) {
      if (!f.is_learnt(i)) continue;
      Matrix part = f.at_results[i]->Covariance(x);
      part.noalias() -= f.reduced_cross[i].transpose() * crosses[i];
      covariance += f.terms[i].covariance_factor * part;
    }
    return covariance;
  }

  // k_i(P_i, x) by term; empty where a term does not need them.
  std::vector<Matrix> CrossesAt(const PointMatrix& x) const {
    std::vector<Matrix> crosses;
    for (const AddedTerm& term : fitted_->terms) {
      const bool is_needed = fitted_->has_correlated_terms() && term.covariance_factor != 0;
      crosses.push_back(is_needed ? term.process->Cross(x) : Matrix());
    }
    return crosses;
  }

  Predictions DoPredict(const PointMatrix& x) const override {
    if (remembered_.Are(x)) return remembered_.Predict();
    const bool is_cached = fitted_->has_caches && AreExpected(x);
    return is_cached ? PredictFromCaches(x) : PredictAnew(x);
  }

  JointPredictions DoPredictJointly(const PointMatrix& x) const override {
    return {PredictAnew(x), DoCovariance(x, x)};
  }

  Predictions PredictAnew(const PointMatrix& x) const {
    Predictions result{Vector(x.rows()), Vector(x.rows())};
    for (Index first = 0; first < x.rows(); first += kAddedBlock) {
      const Index count = std::min(kAddedBlock, x.rows() - first);
      PredictBlock(x.middleRows(first, count), result.mean.segment(first, count),
                   result.variance.segment(first, count));
    }
    return result;
  }

  // The predictions before conditioning on the results, but with the mean learnt from them.
  struct BeforeResults {
    Predictions predictions;
    Matrix covariance;  // c(X, x), one column a point.
    double most = 0;    // The variance before all data.
  };

  Predictions PredictFromCaches(const PointMatrix& x) const {
    BeforeResults before = FromCaches(CachedPoints(x));
    TakeLearnt(std::move(before.covariance), before.most, before.predictions.variance);
    return std::move(before.predictions);
  }

  BeforeResults FromCaches(const CachedPoints& points) const {
    const Fitted& f = *fitted_;
    const PointMatrix& x = points.x;
    const double own = f.own.kernel->Variance(f.own.parameters);
    Predictions result{Vector::Constant(x.rows(), f.own.mean), Vector::Constant(x.rows(), own)};
    Matrix covariance = f.own_at_results->Covariance(x);
    double most = own;
    for (size_t i = 0; i < f.terms.size(); ++i) {
      const AddedTerm& term = f.terms[i];
      if (term.covariance_factor == 0) {
        result.mean += term.mean_factor * term.cache->Means(points);
        continue;
      }
      most += term.covariance_factor * term.process->kernel->Variance(term.process->parameters);
      PredictionCache::Covariances there;
      if (f.is_learnt(i)) {
        there = term.cache->Between(f.results, points);
        covariance += term.covariance_factor * there.between;
      } else {
        there.at_points = term.cache->Predict(points);
      }
      result.mean += term.mean_factor * there.at_points.mean;
      result.variance += term.covariance_factor * there.at_points.variance;
    }
    if (f.x.rows() > 0) result.mean.noalias() += covariance.transpose() * f.alpha;
    return {std::move(result), std::move(covariance), most};
  }

  void DoRemember(const PointMatrix& x) override {
    remembered_ = {};
    remembered_points_ = CachedPoints(x);
    if (!CanAbsorb()) return;
    BeforeResults before = FromCaches(remembered_points_);
    remembered_ = RememberedPoints(x, std::move(before.predictions.mean),
                                   std::move(before.predictions.variance));
    if (fitted_->x.rows() > 0) remembered_.Grow(fitted_->factor, 0, std::move(before.covariance));
  }

  bool CanAbsorb() const { return fitted_->has_caches && fitted_->has_correlated_terms(); }

  absl::StatusOr<bool> DoAbsorb(const PointMatrix& x) override;

  // c(x, y) of the points and those that are remembered, of the processes before the results.
  Matrix CovarianceWithRemembered(const PointMatrix& x) const {
    const Fitted& f = *fitted_;
    const CachedPoints points(x);
    Matrix covariance = f.own.kernel->Covariance(f.own.parameters, x, remembered_points_.x);
    for (const AddedTerm& term : f.terms) {
      if (term.covariance_factor == 0) continue;
      covariance += term.covariance_factor * term.cache->Covariance(points, remembered_points_);
    }
    return covariance;
  }

  // Subtracts from the variance before the results what these, of covariances c(X, x), explain.
  void TakeLearnt(Matrix covariance, double most, VectorView variance) const {
    if (covariance.rows() > 0) {
      fitted_->factor.SolveLower(covariance);
      variance -= covariance.colwise().squaredNorm().transpose();
    }
    variance = variance.cwiseMax(kLeastVariancePart * most);
  }

  // Source by source, so that only one's covariances are there at a time.
  void PredictBlock(const PointMatrix& x, VectorView mean, VectorView variance) const {
    const Fitted& f = *fitted_;
    mean.setConstant(f.own.mean);
    variance.setConstant(f.own.kernel->Variance(f.own.parameters));
    Matrix covariance = f.own_at_results->Covariance(x);
    if (f.x.rows() > 0) mean.noalias() += covariance.transpose() * f.alpha;
    double most = variance[0];
    Matrix reduced;
    for (size_t i = 0; i < f.terms.size(); ++i) {
      const AddedTerm& term = f.terms[i];
      const KernelExpansion& process = *term.process;
      const Matrix cross = process.Cross(x);
      mean.array() += term.mean_factor * process.mean;
      mean.noalias() += cross.transpose() * f.term_weights[i];
      if (term.covariance_factor == 0) continue;
      const double own = process.kernel->Variance(process.parameters);
      most += term.covariance_factor * own;
      reduced.noalias() = process.reduction * cross;
      const Vector taken = cross.cwiseProduct(reduced).colwise().sum();
      variance.array() +=
          term.covariance_factor * (own - taken.array()).max(kLeastVariancePart * own);
      if (!f.is_learnt(i)) continue;
      Matrix part = f.at_results[i]->Covariance(x);
      mean.noalias() += term.covariance_factor * (part.transpose() * f.alpha);
      part.noalias() -= f.reduced_cross[i].transpose() * cross;
      covariance += term.covariance_factor * part;
    }
    TakeLearnt(std::move(covariance), most, variance);
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override;

  // With cov(a, b) - c(a, X) K^-1 c(X, b); where errors are independent, those
  // at different points still are correlated with each other, as they are.
  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override {
    const Fitted& f = *fitted_;
    Matrix covariance = f.own.kernel->Covariance(f.own.parameters, a, b);
    for (const AddedTerm& term : f.terms) {
      if (term.covariance_factor == 0) continue;
      covariance += term.covariance_factor * term.process->Covariance(a, b);
    }
    if (f.x.rows() == 0) return covariance;
    Matrix left = CrossCovariance(a, CrossesAt(a));
    Matrix right = CrossCovariance(b, CrossesAt(b));
    f.factor.SolveLower(left);
    f.factor.SolveLower(right);
    covariance.noalias() -= left.transpose() * right;
    return covariance;
  }

  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override;

  // Adds sum_j weights[j] dc(X_j, x)/dx.
  void AddCrossGradient(ConstVectorView x, const Vector& weights, VectorView gradient) const {
    const Fitted& f = *fitted_;
    f.own.kernel->AddPointGradient(f.own.parameters, x, f.x, weights, gradient);
    if (!f.has_correlated_terms()) return;
    for (size_t i = 0; i < f.terms.size(); ++i) {
      const double factor = f.terms[i].covariance_factor;
      if (factor == 0) continue;
      const KernelExpansion& process = *f.terms[i].process;
      process.kernel->AddPointGradient(process.parameters, x, f.x, factor * weights, gradient);
      const Vector pull = -factor * (f.reduced_cross[i] * weights);
      process.kernel->AddPointGradient(process.parameters, x, process.points, pull, gradient);
    }
  }

  std::shared_ptr<Fitted> fitted_;  // Changed by Absorb alone, and then not shared.
  RememberedPoints remembered_;
  CachedPoints remembered_points_;
};

// A kernel between points that stay and one that comes.
struct KernelAtPoint {
  KernelAtPoint(const KernelAt& kernel, ConstVectorView x)
      : values(kernel.size()), slopes(kernel.size(), kernel.slope_columns()) {
    kernel.AtPoint(x, values, slopes);
  }

  Vector values;
  Matrix slopes;
};

// The gradient of the mean is in the first column, that of the variance in the second, and so are
// the weights that they are made with.
PointPrediction AddedProcess::DoPredictPoint(ConstVectorView x) const {
  const Fitted& f = *fitted_;
  PointPrediction result;
  result.mean = f.own.mean;
  result.variance = f.own.kernel->Variance(f.own.parameters);
  double most = result.variance;
  const KernelAtPoint own(*f.own_at_results, x);
  Vector covariance = own.values;  // c(X, x).
  std::vector<KernelAtPoint> at_points;
  std::vector<KernelAtPoint> at_results;  // For terms that are learnt about.
  std::vector<Matrix> pulls;              // At each term's points.
  for (size_t i = 0; i < f.terms.size(); ++i) {
    const AddedTerm& term = f.terms[i];
    const KernelExpansion& process = *term.process;
    at_points.emplace_back(*process.at_points, x);
    const Vector& cross = at_points.back().values;
    result.mean += term.mean_factor * (process.mean + cross.dot(process.weights));
    const bool is_certain = term.covariance_factor == 0;
    pulls.emplace_back(cross.size(), is_certain ? 1 : 2);
    pulls.back().col(0) = f.term_weights[i];
    if (is_certain) continue;
    const double of_term = process.kernel->Variance(process.parameters);
    most += term.covariance_factor * of_term;
    auto reduced = pulls.back().col(1);
    reduced = process.Reduced(cross);
    const double left = of_term - cross.dot(reduced);
    result.variance += term.covariance_factor * std::max(left, kLeastVariancePart * of_term);
    reduced *= left > kLeastVariancePart * of_term ? -2 * term.covariance_factor : 0;
    if (!f.is_learnt(i)) continue;
    at_results.emplace_back(*f.at_results[i], x);
    covariance += term.covariance_factor * at_results.back().values;
    covariance.noalias() -= term.covariance_factor * (f.reduced_cross[i].transpose() * cross);
  }
  Matrix pull(f.x.rows(), 2);  // alpha and -2 K^-1 c(X, x).
  if (f.x.rows() > 0) {
    result.mean += covariance.dot(f.alpha);
    f.factor.SolveLower(covariance);
    result.variance -= covariance.squaredNorm();
    f.factor.SolveLowerTransposed(covariance);
    pull << f.alpha, -2 * covariance;
  }
  const bool is_flat = !(result.variance > kLeastVariancePart * most);
  if (is_flat) result.variance = kLeastVariancePart * most;
  Matrix gradients = Matrix::Zero(dimension(), 2);
  f.own_at_results->AddGradients(x, own.slopes, pull, gradients);
  size_t learnt = 0;
  for (size_t i = 0; i < f.terms.size(); ++i) {
    const double factor = f.terms[i].covariance_factor;
    if (f.is_learnt(i)) {
      f.at_results[i]->AddGradients(x, at_results[learnt++].slopes, factor * pull, gradients);
      pulls[i].col(1).noalias() -= factor * (f.reduced_cross[i] * pull.col(1));
    }
    f.terms[i].process->at_points->AddGradients(x, at_points[i].slopes, pulls[i],
                                                gradients.leftCols(pulls[i].cols()));
  }
  result.mean_gradient = gradients.col(0);
  result.variance_gradient = is_flat ? Vector::Zero(dimension()) : Vector(gradients.col(1));
  return result;
}

// The mean stays as it is, as what is absorbed gave what was expected: its weights are 0.
absl::StatusOr<bool> AddedProcess::DoAbsorb(const PointMatrix& x) {
  if (!CanAbsorb()) return false;
  if (fitted_.use_count() > 1) fitted_ = std::make_shared<Fitted>(*fitted_);
  Fitted& f = *fitted_;
  const Index earlier = f.x.rows();
  const std::vector<Matrix> crosses = CrossesAt(x);
  Matrix solved = CrossCovariance(x, crosses);
  f.factor.SolveLower(solved);
  Matrix corner = f.own.kernel->Covariance(f.own.parameters, x, x);
  for (const AddedTerm& term : f.terms) {
    if (term.covariance_factor == 0) continue;
    corner += term.covariance_factor * term.process->Covariance(x, x);
  }
  corner.diagonal() *= 1 + kPendingNoisePart;
  if (!f.factor.AppendBlock(solved, std::move(corner)).ok()) return false;
  if (!remembered_.empty()) remembered_.Grow(f.factor, earlier, CovarianceWithRemembered(x));
  f.x.conservativeResize(earlier + x.rows(), Eigen::NoChange);
  f.x.bottomRows(x.rows()) = x;
  f.results = CachedPoints(f.x);
  f.alpha.conservativeResize(f.x.rows());
  f.alpha.tail(x.rows()).setZero();
  for (size_t i = 0; i < f.terms.size(); ++i) {
    if (f.terms[i].covariance_factor == 0) continue;
    Matrix& reduced = f.reduced_cross[i];
    reduced.conservativeResize(f.terms[i].process->points.rows(), f.x.rows());
    reduced.rightCols(x.rows()).noalias() = f.terms[i].process->reduction * crosses[i];
  }
  PrepareKernels(f);
  return true;
}

void AddedProcess::DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                           ConstVectorView weights, VectorView gradient) const {
  const Fitted& f = *fitted_;
  f.own.kernel->AddPointGradient(f.own.parameters, x, b, weights, gradient);
  for (const AddedTerm& term : f.terms) {
    if (term.covariance_factor == 0) continue;
    const KernelExpansion& process = *term.process;
    process.kernel->AddPointGradient(process.parameters, x, b, term.covariance_factor * weights,
                                     gradient);
    const Vector pull =
        -term.covariance_factor * (process.reduction * (process.Cross(b) * weights));
    process.kernel->AddPointGradient(process.parameters, x, process.points, pull, gradient);
  }
  if (f.x.rows() == 0) return;
  const Vector pull = -f.factor.Solve(CrossCovariance(b, CrossesAt(b)) * weights);
  AddCrossGradient(x, pull, gradient);
}

Predictions TermAt(const AddedTerm& term, const CachedPoints& x) {
  if (term.cache != nullptr) return term.cache->Predict(x);
  return term.process->Predict(x.x);
}

Vector TermMeansAt(const AddedTerm& term, const CachedPoints& x) {
  return term.cache != nullptr ? term.cache->Means(x) : term.process->Means(x.x);
}

// The covariance of the term's process at the points; into `reduced_cross`, unless it is
// null, R_i k_i(P_i, x).
Matrix TermCovarianceAt(const AddedTerm& term, const CachedPoints& x, Matrix* reduced_cross) {
  const KernelExpansion& process = *term.process;
  if (term.cache != nullptr) {
    if (reduced_cross != nullptr) *reduced_cross = term.cache->ReducedCross(x);
    return term.cache->Covariance(x, x);
  }
  const Matrix cross = process.Cross(x.x);
  Matrix reduced = process.reduction * cross;
  Matrix covariance = process.kernel->Covariance(process.parameters, x.x, x.x);
  covariance.noalias() -= cross.transpose() * reduced;
  if (reduced_cross != nullptr) *reduced_cross = std::move(reduced);
  return covariance;
}

// The known part; into `reduced_cross`, unless it is null, R_i k_i(P_i, x) by term as in Fitted.
KnownTerm KnownPartWith(const std::vector<AddedTerm>& terms, SourceErrors errors,
                        const CachedPoints& x, std::vector<Matrix>* reduced_cross) {
  const Index size = x.x.rows();
  KnownTerm known{Vector::Zero(size), Matrix(), Vector()};
  if (errors == SourceErrors::kIndependent) {
    known.variance = Vector::Zero(size);
    for (const AddedTerm& term : terms) {
      const Predictions there = TermAt(term, x);
      known.mean += term.mean_factor * there.mean;
      known.variance += term.covariance_factor * there.variance;
    }
    return known;
  }
  known.covariance = Matrix::Zero(size, size);
  for (const AddedTerm& term : terms) {
    const KernelExpansion& process = *term.process;
    known.mean += term.mean_factor * TermMeansAt(term, x);
    Matrix* const reduced = reduced_cross == nullptr ? nullptr : &reduced_cross->emplace_back();
    if (term.covariance_factor == 0) continue;
    Matrix covariance = TermCovarianceAt(term, x, reduced);
    const double least = kLeastVariancePart * process.kernel->Variance(process.parameters);
    covariance.diagonal() = covariance.diagonal().cwiseMax(least);
    known.covariance += term.covariance_factor * covariance;
  }
  return known;
}

}  // namespace

size_t MostKnownParts(Index results) {
  constexpr double kMostBytes = 256 << 20;
  constexpr double kFewest = 16;
  const auto rows = static_cast<double>(std::max<Index>(1, results));
  // No more sources than anybody has.
  constexpr double kMost = 1e6;
  return static_cast<size_t>(
      std::clamp(kMostBytes / (rows * rows * sizeof(double)), kFewest, kMost));
}

KnownTerm KnownPartAt(const std::vector<AddedTerm>& terms, SourceErrors errors,
                      const PointMatrix& x) {
  return KnownPartWith(terms, errors, CachedPoints(x), nullptr);
}

absl::StatusOr<std::unique_ptr<TransferSurrogate>> FitAddedProcess(
    std::vector<AddedTerm> terms, OwnPart own, SourceErrors errors,
    const Observations& observations) {
  auto fitted = std::make_shared<Fitted>();
  fitted->results = CachedPoints(observations.x);
  const KnownTerm known = KnownPartWith(terms, errors, fitted->results, &fitted->reduced_cross);
  fitted->has_caches = std::all_of(terms.begin(), terms.end(),
                                   [](const AddedTerm& term) { return term.cache != nullptr; });
  fitted->terms = std::move(terms);
  fitted->own = std::move(own);
  fitted->errors = errors;
  fitted->x = observations.x;
  PrepareKernels(*fitted);
  Matrix covariance =
      fitted->own.kernel->Covariance(fitted->own.parameters, observations.x, observations.x);
  covariance.diagonal() += observations.noise_variance;
  if (errors == SourceErrors::kCorrelated) {
    covariance += known.covariance;
  } else {
    covariance.diagonal() += known.variance;
  }
  SLIPSTREAM_ASSIGN_OR_RETURN(fitted->factor, Cholesky::Of(std::move(covariance)));
  fitted->alpha =
      fitted->factor.Solve(Vector(observations.y.array() - fitted->own.mean) - known.mean);
  for (size_t i = 0; i < fitted->terms.size(); ++i) {
    const AddedTerm& term = fitted->terms[i];
    Vector weights = term.mean_factor * term.process->weights;
    if (errors == SourceErrors::kCorrelated && term.covariance_factor != 0) {
      weights.noalias() -= term.covariance_factor * (fitted->reduced_cross[i] * fitted->alpha);
    }
    fitted->term_weights.push_back(std::move(weights));
  }
  if (!fitted->alpha.allFinite()) {
    return absl::FailedPreconditionError("the regression's weights overflow");
  }
  auto process = std::make_unique<AddedProcess>(std::move(fitted));
  process->Expect(observations.x);
  return std::unique_ptr<TransferSurrogate>(std::move(process));
}

}  // namespace slipstream
