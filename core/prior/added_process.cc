#include "core/prior/added_process.h"

#include <algorithm>
#include <utility>

#include "core/base/status.h"
#include "core/linalg/cholesky.h"

namespace slipstream {
namespace {

// Points at a time: a source's covariances with them stay in cache.
constexpr Index kAddedBlock = 64;

// What stays the same whichever point is asked for.
struct Fitted {
  std::vector<AddedTerm> terms;
  OwnPart own;
  SourceErrors errors = SourceErrors::kCorrelated;
  PointMatrix x;  // The observations'.
  // R_i k_i(P_i, X), by term: of those with a covariance, and correlated errors.
  std::vector<Matrix> pulled;
  Cholesky factor;
  Vector alpha;
  // Of the mean: at each term's points and, times the term's kernel, at X.
  std::vector<Vector> term_weights;

  bool has_correlated_terms() const { return errors == SourceErrors::kCorrelated; }
};

class AddedProcess final : public TransferSurrogate {
 public:
  explicit AddedProcess(std::shared_ptr<const Fitted> fitted)
      : TransferSurrogate(fitted->own.kernel->dimension()), fitted_(std::move(fitted)) {}

  std::unique_ptr<TransferSurrogate> Clone() const override {
    return std::make_unique<AddedProcess>(*this);
  }

 private:
  // c(X, x), one column a point; `crosses` are k_i(P_i, x).
  Matrix CrossCovariance(const PointMatrix& x, const std::vector<Matrix>& crosses) const {
    const Fitted& f = *fitted_;
    Matrix covariance = f.own.kernel->Covariance(f.own.parameters, f.x, x);
    if (!f.has_correlated_terms()) return covariance;
    for (size_t i = 0; i < f.terms.size(); ++i) {
      if (f.terms[i].covariance_factor == 0) continue;
      const KernelExpansion& process = *f.terms[i].process;
      Matrix part = process.kernel->Covariance(process.parameters, f.x, x);
      part.noalias() -= f.pulled[i].transpose() * crosses[i];
      covariance += f.terms[i].covariance_factor * part;
    }
    return covariance;
  }

  std::vector<Matrix> CrossesAt(const PointMatrix& x) const {
    std::vector<Matrix> crosses;
    for (const AddedTerm& term : fitted_->terms) crosses.push_back(term.process->Cross(x));
    return crosses;
  }

  Predictions DoPredict(const PointMatrix& x) const override {
    Predictions result{Vector(x.rows()), Vector(x.rows())};
    for (Index first = 0; first < x.rows(); first += kAddedBlock) {
      const Index count = std::min(kAddedBlock, x.rows() - first);
      PredictBlock(x.middleRows(first, count), result.mean.segment(first, count),
                   result.variance.segment(first, count));
    }
    return result;
  }

  // Source by source, so that only one's covariances are there at a time.
  void PredictBlock(const PointMatrix& x, VectorView mean, VectorView variance) const {
    const Fitted& f = *fitted_;
    mean.setConstant(f.own.mean);
    variance.setConstant(f.own.kernel->Variance(f.own.parameters));
    Matrix covariance = f.own.kernel->Covariance(f.own.parameters, f.x, x);
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
      if (!f.has_correlated_terms() || f.x.rows() == 0) continue;
      Matrix part = process.kernel->Covariance(process.parameters, f.x, x);
      mean.noalias() += term.covariance_factor * (part.transpose() * f.alpha);
      part.noalias() -= f.pulled[i].transpose() * cross;
      covariance += term.covariance_factor * part;
    }
    if (f.x.rows() > 0) {
      f.factor.SolveLower(covariance);
      variance -= covariance.colwise().squaredNorm().transpose();
    }
    variance = variance.cwiseMax(kLeastVariancePart * most);
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
      const Vector pull = -factor * (f.pulled[i] * weights);
      process.kernel->AddPointGradient(process.parameters, x, process.points, pull, gradient);
    }
  }

  std::shared_ptr<const Fitted> fitted_;
};

PointPrediction AddedProcess::DoPredictPoint(ConstVectorView x) const {
  const Fitted& f = *fitted_;
  const PointMatrix point = x.transpose();
  PointPrediction result;
  result.mean = f.own.mean;
  result.variance = f.own.kernel->Variance(f.own.parameters);
  result.mean_gradient = Vector::Zero(dimension());
  result.variance_gradient = Vector::Zero(dimension());
  double most = result.variance;
  const std::vector<Matrix> crosses = CrossesAt(point);
  std::vector<Vector> of_variance;  // Weights of k_i(P_i, x) in the variance's gradient.
  for (size_t i = 0; i < f.terms.size(); ++i) {
    const AddedTerm& term = f.terms[i];
    const KernelExpansion& process = *term.process;
    const auto cross = crosses[i].col(0);
    result.mean += term.mean_factor * (process.mean + cross.dot(process.weights));
    process.kernel->AddPointGradient(process.parameters, x, process.points, f.term_weights[i],
                                     result.mean_gradient);
    of_variance.emplace_back(Vector::Zero(process.points.rows()));
    if (term.covariance_factor == 0) continue;
    const double own = process.kernel->Variance(process.parameters);
    most += term.covariance_factor * own;
    const Vector reduced = process.reduction * cross;
    const double left = own - cross.dot(reduced);
    result.variance += term.covariance_factor * std::max(left, kLeastVariancePart * own);
    if (left > kLeastVariancePart * own) {
      of_variance.back() = -2 * term.covariance_factor * reduced;
    }
  }
  Vector pull;  // -2 K^-1 c(X, x).
  if (f.x.rows() > 0) {
    Vector covariance = CrossCovariance(point, crosses).col(0);
    result.mean += covariance.dot(f.alpha);
    f.factor.SolveLower(covariance);
    result.variance -= covariance.squaredNorm();
    f.factor.SolveLowerTransposed(covariance);
    pull = -2 * covariance;
  } else {
    pull = Vector::Zero(0);
  }
  const bool is_flat = !(result.variance > kLeastVariancePart * most);
  if (is_flat) result.variance = kLeastVariancePart * most;
  if (f.x.rows() > 0) {
    f.own.kernel->AddPointGradient(f.own.parameters, x, f.x, f.alpha, result.mean_gradient);
    if (!is_flat) {
      f.own.kernel->AddPointGradient(f.own.parameters, x, f.x, pull, result.variance_gradient);
    }
  }
  for (size_t i = 0; i < f.terms.size(); ++i) {
    const double factor = f.terms[i].covariance_factor;
    if (factor == 0) continue;
    const KernelExpansion& process = *f.terms[i].process;
    const bool is_pulled = f.has_correlated_terms() && f.x.rows() > 0;
    if (is_pulled) {
      process.kernel->AddPointGradient(process.parameters, x, f.x, factor * f.alpha,
                                       result.mean_gradient);
    }
    if (is_flat) continue;
    if (is_pulled) {
      process.kernel->AddPointGradient(process.parameters, x, f.x, factor * pull,
                                       result.variance_gradient);
      of_variance[i].noalias() -= factor * (f.pulled[i] * pull);
    }
    process.kernel->AddPointGradient(process.parameters, x, process.points, of_variance[i],
                                     result.variance_gradient);
  }
  return result;
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

// And R_i k_i(P_i, x) by term, as Fitted has it.
KnownTerm KnownPartWith(const std::vector<AddedTerm>& terms, SourceErrors errors,
                        const PointMatrix& x, std::vector<Matrix>& pulled) {
  KnownTerm known{Vector::Zero(x.rows()), Matrix(), Vector()};
  if (errors == SourceErrors::kIndependent) {
    known.variance = Vector::Zero(x.rows());
    for (const AddedTerm& term : terms) {
      const Predictions there = term.process->Predict(x);
      known.mean += term.mean_factor * there.mean;
      known.variance += term.covariance_factor * there.variance;
    }
    return known;
  }
  known.covariance = Matrix::Zero(x.rows(), x.rows());
  for (const AddedTerm& term : terms) {
    const KernelExpansion& process = *term.process;
    const Matrix cross = process.Cross(x);
    const Vector mean = (cross.transpose() * process.weights).array() + process.mean;
    known.mean += term.mean_factor * mean;
    pulled.emplace_back();
    if (term.covariance_factor == 0) continue;
    pulled.back().noalias() = process.reduction * cross;
    Matrix covariance = process.kernel->Covariance(process.parameters, x, x);
    covariance.noalias() -= cross.transpose() * pulled.back();
    const double least = kLeastVariancePart * process.kernel->Variance(process.parameters);
    covariance.diagonal() = covariance.diagonal().cwiseMax(least);
    known.covariance += term.covariance_factor * covariance;
  }
  return known;
}

}  // namespace

KnownTerm KnownPartAt(const std::vector<AddedTerm>& terms, SourceErrors errors,
                      const PointMatrix& x) {
  std::vector<Matrix> pulled;
  return KnownPartWith(terms, errors, x, pulled);
}

absl::StatusOr<std::unique_ptr<TransferSurrogate>> FitAddedProcess(
    std::vector<AddedTerm> terms, OwnPart own, SourceErrors errors,
    const Observations& observations) {
  auto fitted = std::make_shared<Fitted>();
  const KnownTerm known = KnownPartWith(terms, errors, observations.x, fitted->pulled);
  fitted->terms = std::move(terms);
  fitted->own = std::move(own);
  fitted->errors = errors;
  fitted->x = observations.x;
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
      weights.noalias() -= term.covariance_factor * (fitted->pulled[i] * fitted->alpha);
    }
    fitted->term_weights.push_back(std::move(weights));
  }
  if (!fitted->alpha.allFinite()) {
    return absl::FailedPreconditionError("the regression's weights overflow");
  }
  return std::unique_ptr<TransferSurrogate>(std::make_unique<AddedProcess>(std::move(fitted)));
}

}  // namespace slipstream
