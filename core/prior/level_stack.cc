#include "core/prior/level_stack.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/base/status.h"
#include "core/gp/remembered_points.h"
#include "core/linalg/cholesky.h"

namespace slipstream {

absl::Status LevelStack::Add(StackedLevel level, const Observations& observations) {
  const Index below = size();
  const Index count = observations.y.size();
  assert(count > 0);
  Matrix cross = Cross(observations.x);
  SolveLower(cross);
  Matrix block =
      level.factor * level.kernel->Covariance(level.parameters, observations.x, observations.x);
  if (!levels_.empty()) block += PriorCovariance(observations.x, observations.x);
  block.noalias() -= cross.transpose() * cross;
  block.diagonal() += observations.noise_variance;
  SLIPSTREAM_ASSIGN_OR_RETURN(const Cholesky factor, Cholesky::Of(std::move(block)));
  Vector residual = observations.y.array() - mean_;
  residual.noalias() -= cross.transpose() * whitened_;
  factor.SolveLower(residual);
  if (!residual.allFinite()) {
    return absl::FailedPreconditionError("the regression's weights overflow");
  }
  points_.conservativeResize(below + count, observations.x.cols());
  points_.bottomRows(count) = observations.x;
  factor_.conservativeResize(below + count, below + count);
  factor_.topRightCorner(below, count).setZero();
  factor_.bottomLeftCorner(count, below) = cross.transpose();
  factor_.bottomRightCorner(count, count) = factor.lower();
  whitened_.conservativeResize(below + count);
  whitened_.tail(count) = residual;
  weights_ = whitened_;
  SolveLowerTransposed(weights_);
  levels_.push_back(std::move(level));
  first_.push_back(below);
  return absl::OkStatus();
}

KnownTerm LevelStack::At(const PointMatrix& x) const {
  Matrix cross = Cross(x);
  KnownTerm known{cross.transpose() * weights_, PriorCovariance(x, x)};
  known.mean.array() += mean_;
  SolveLower(cross);
  known.covariance.noalias() -= cross.transpose() * cross;
  known.covariance.diagonal() =
      known.covariance.diagonal().cwiseMax(kLeastVariancePart * PriorVariance());
  return known;
}

double LevelStack::PriorVariance() const {
  double variance = 0;
  for (const StackedLevel& level : levels_) {
    variance += level.factor * level.kernel->Variance(level.parameters);
  }
  return variance;
}

Matrix LevelStack::PriorCovariance(const PointMatrix& a, const PointMatrix& b) const {
  Matrix covariance = Matrix::Zero(a.rows(), b.rows());
  for (const StackedLevel& level : levels_) {
    covariance += level.factor * level.kernel->Covariance(level.parameters, a, b);
  }
  return covariance;
}

Matrix LevelStack::Cross(const PointMatrix& x) const {
  Matrix cross = Matrix::Zero(size(), x.rows());
  for (size_t l = 0; l < levels_.size(); ++l) {
    const Index above = size() - first_[l];
    cross.bottomRows(above) +=
        levels_[l].factor *
        levels_[l].kernel->Covariance(levels_[l].parameters, points_.bottomRows(above), x);
  }
  return cross;
}

void LevelStack::SolveLower(MatrixView b) const {
  if (b.size() > 0) factor_.triangularView<Eigen::Lower>().solveInPlace(b);
}

void LevelStack::SolveLowerTransposed(MatrixView b) const {
  if (b.size() > 0) factor_.triangularView<Eigen::Lower>().transpose().solveInPlace(b);
}

void LevelStack::AddPriorGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                                  VectorView gradient) const {
  for (const StackedLevel& level : levels_) {
    level.kernel->AddPointGradient(level.parameters, x, b, level.factor * weights, gradient);
  }
}

void LevelStack::AddCrossGradient(ConstVectorView x, const Vector& weights,
                                  VectorView gradient) const {
  for (size_t l = 0; l < levels_.size(); ++l) {
    const Index above = size() - first_[l];
    levels_[l].kernel->AddPointGradient(levels_[l].parameters, x, points_.bottomRows(above),
                                        levels_[l].factor * weights.tail(above), gradient);
  }
}

namespace {

// The parts that are the same for all points.
struct FittedOnStack {
  std::shared_ptr<const LevelStack> stack;
  OwnPart own;
  PointMatrix x;  // The observations', and what was absorbed.
  Matrix pulled;  // L^-1 c(P, X).
  Cholesky factor;
  Vector alpha;
  Vector mean_weights;  // The weights of c(P, x) in the mean.

  double own_variance() const { return own.kernel->Variance(own.parameters); }

  // cov(f(a), f(b)) without any data.
  Matrix PriorCovariance(const PointMatrix& a, const PointMatrix& b) const {
    return own.kernel->Covariance(own.parameters, a, b) + stack->PriorCovariance(a, b);
  }

  // cov(f(X), f(at)) given the stack's data; `solved` is L^-1 c(P, at).
  Matrix ToObservations(const PointMatrix& at, const Matrix& solved) const {
    Matrix covariance = PriorCovariance(x, at);
    covariance.noalias() -= pulled.transpose() * solved;
    return covariance;
  }

  void AddOwnAndPriorGradient(ConstVectorView at, const PointMatrix& b, ConstVectorView weights,
                              VectorView gradient) const {
    own.kernel->AddPointGradient(own.parameters, at, b, weights, gradient);
    stack->AddPriorGradient(at, b, weights, gradient);
  }
};

class OnStack final : public TransferSurrogate {
 public:
  explicit OnStack(std::shared_ptr<FittedOnStack> fitted)
      : TransferSurrogate(fitted->own.kernel->dimension()), fitted_(std::move(fitted)) {}

  std::unique_ptr<TransferSurrogate> Clone() const override {
    return std::make_unique<OnStack>(*this);
  }

 private:
  Predictions DoPredict(const PointMatrix& x) const override {
    if (remembered_.Are(x)) return remembered_.Predict();
    Predictions result{Vector(x.rows()), Vector(x.rows())};
    for (Index first = 0; first < x.rows(); first += kPredictionBlock) {
      const Index count = std::min(kPredictionBlock, x.rows() - first);
      PredictBlock(x.middleRows(first, count), result.mean.segment(first, count),
                   result.variance.segment(first, count));
    }
    return result;
  }

  void PredictBlock(const PointMatrix& x, VectorView mean, VectorView variance) const {
    const FittedOnStack& f = *fitted_;
    Matrix solved;
    Matrix covariance = BeforeResults(x, solved, mean, variance);
    if (f.x.rows() > 0) {
      f.factor.SolveLower(covariance);
      variance -= covariance.colwise().squaredNorm().transpose();
    }
    const double most = f.stack->PriorVariance() + f.own_variance();
    variance = variance.cwiseMax(kLeastVariancePart * most);
  }

  // The predictions before conditioning on the results, but with the mean learnt from them, and
  // cov(f(X), f(x)). `solved` becomes L^-1 c(P, x).
  Matrix BeforeResults(const PointMatrix& x, Matrix& solved, VectorView mean,
                       VectorView variance) const {
    const FittedOnStack& f = *fitted_;
    const double of_stack = f.stack->PriorVariance();
    solved = f.stack->Cross(x);
    mean.noalias() = solved.transpose() * f.stack->weights();
    mean.array() += f.own.mean + f.stack->mean();
    f.stack->SolveLower(solved);
    variance = (of_stack - solved.colwise().squaredNorm().transpose().array())
                   .max(kLeastVariancePart * of_stack) +
               f.own_variance();
    if (f.x.rows() == 0) return {};
    Matrix covariance = f.ToObservations(x, solved);
    mean.noalias() += covariance.transpose() * f.alpha;
    return covariance;
  }

  void DoRemember(const PointMatrix& x) override {
    const FittedOnStack& f = *fitted_;
    const Index size = x.rows();
    remembered_solved_.resize(f.stack->size(), size);
    Predictions before{Vector(size), Vector(size)};
    Matrix covariance(f.x.rows(), size);
    Matrix solved;
    for (Index first = 0; first < size; first += kPredictionBlock) {
      const Index count = std::min(kPredictionBlock, size - first);
      const Matrix to_results =
          BeforeResults(x.middleRows(first, count), solved, before.mean.segment(first, count),
                        before.variance.segment(first, count));
      if (f.x.rows() > 0) covariance.middleCols(first, count) = to_results;
      remembered_solved_.middleCols(first, count) = solved;
    }
    remembered_ = RememberedPoints(x, std::move(before.mean), std::move(before.variance));
    if (f.x.rows() > 0) remembered_.Grow(f.factor, 0, std::move(covariance));
  }

  // The mean stays as it is, as what is absorbed gave what was expected: its weights are 0.
  absl::StatusOr<bool> DoAbsorb(const PointMatrix& x) override {
    if (fitted_.use_count() > 1) fitted_ = std::make_shared<FittedOnStack>(*fitted_);
    FittedOnStack& f = *fitted_;
    const Index earlier = f.x.rows();
    Matrix solved = f.stack->Cross(x);
    f.stack->SolveLower(solved);
    Matrix corner = f.PriorCovariance(x, x);
    corner.noalias() -= solved.transpose() * solved;
    corner.diagonal() *= 1 + kPendingNoisePart;
    Matrix rows = f.ToObservations(x, solved);
    f.factor.SolveLower(rows);
    if (!f.factor.AppendBlock(rows, std::move(corner)).ok()) return false;
    if (!remembered_.empty()) {
      Matrix cross = f.PriorCovariance(x, remembered_.x());
      cross.noalias() -= solved.transpose() * remembered_solved_;
      remembered_.Grow(f.factor, earlier, std::move(cross));
    }
    f.x.conservativeResize(earlier + x.rows(), Eigen::NoChange);
    f.x.bottomRows(x.rows()) = x;
    f.pulled.conservativeResize(Eigen::NoChange, f.x.rows());
    f.pulled.rightCols(x.rows()) = solved;
    f.alpha.conservativeResize(f.x.rows());
    f.alpha.tail(x.rows()).setZero();
    return true;
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    const FittedOnStack& f = *fitted_;
    const PointMatrix point = x.transpose();
    const double of_stack = f.stack->PriorVariance();
    const double least = kLeastVariancePart * (of_stack + f.own_variance());
    PointPrediction result;
    Vector solved = f.stack->Cross(point).col(0);
    result.mean = f.own.mean + f.stack->mean() + solved.dot(f.stack->weights());
    f.stack->SolveLower(solved);
    const double left = of_stack - solved.squaredNorm();
    const bool stack_is_flat = !(left > kLeastVariancePart * of_stack);
    result.variance = std::max(left, kLeastVariancePart * of_stack) + f.own_variance();
    Vector pull = Vector::Zero(f.x.rows());  // -2 K^-1 cov(X, x).
    if (f.x.rows() > 0) {
      Vector covariance = f.ToObservations(point, solved).col(0);
      result.mean += covariance.dot(f.alpha);
      f.factor.SolveLower(covariance);
      result.variance -= covariance.squaredNorm();
      f.factor.SolveLowerTransposed(covariance);
      pull = -2 * covariance;
    }
    const bool is_flat = !(result.variance > least);
    result.variance = std::max(result.variance, least);
    result.mean_gradient = Vector::Zero(dimension());
    result.variance_gradient = Vector::Zero(dimension());
    f.stack->AddCrossGradient(x, f.mean_weights, result.mean_gradient);
    if (f.x.rows() > 0) f.AddOwnAndPriorGradient(x, f.x, f.alpha, result.mean_gradient);
    if (is_flat) return result;
    if (f.x.rows() > 0) f.AddOwnAndPriorGradient(x, f.x, pull, result.variance_gradient);
    // -2 C^T dC of the stack's own, -(pulled pull)^T dC through the observations.
    Vector of_variance = -(f.pulled * pull);
    if (!stack_is_flat) of_variance -= 2 * solved;
    f.stack->SolveLowerTransposed(of_variance);
    f.stack->AddCrossGradient(x, of_variance, result.variance_gradient);
    return result;
  }

  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override {
    const FittedOnStack& f = *fitted_;
    Matrix left = f.stack->Cross(a);
    Matrix right = f.stack->Cross(b);
    f.stack->SolveLower(left);
    f.stack->SolveLower(right);
    Matrix covariance = f.PriorCovariance(a, b);
    covariance.noalias() -= left.transpose() * right;
    if (f.x.rows() == 0) return covariance;
    left = f.ToObservations(a, left);
    right = f.ToObservations(b, right);
    f.factor.SolveLower(left);
    f.factor.SolveLower(right);
    covariance.noalias() -= left.transpose() * right;
    return covariance;
  }

  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override {
    const FittedOnStack& f = *fitted_;
    f.AddOwnAndPriorGradient(x, b, weights, gradient);
    Matrix solved = f.stack->Cross(b);
    f.stack->SolveLower(solved);
    Vector of_cross = -(solved * weights);
    if (f.x.rows() > 0) {
      const Vector pull = -f.factor.Solve(f.ToObservations(b, solved) * weights);
      f.AddOwnAndPriorGradient(x, f.x, pull, gradient);
      of_cross.noalias() -= f.pulled * pull;
    }
    f.stack->SolveLowerTransposed(of_cross);
    f.stack->AddCrossGradient(x, of_cross, gradient);
  }

  std::shared_ptr<FittedOnStack> fitted_;  // Changed by Absorb alone, and then not shared.
  RememberedPoints remembered_;
  Matrix remembered_solved_;  // L^-1 c(P, x) at the points that are remembered.
};

}  // namespace

absl::StatusOr<std::unique_ptr<TransferSurrogate>> FitOnStack(
    std::shared_ptr<const LevelStack> stack, OwnPart own, const Observations& observations) {
  auto fitted = std::make_shared<FittedOnStack>();
  fitted->stack = std::move(stack);
  fitted->own = std::move(own);
  fitted->x = observations.x;
  fitted->pulled = fitted->stack->Cross(observations.x);
  Vector residual = observations.y.array() - (fitted->own.mean + fitted->stack->mean());
  residual.noalias() -= fitted->pulled.transpose() * fitted->stack->weights();
  fitted->stack->SolveLower(fitted->pulled);
  Matrix covariance = fitted->ToObservations(observations.x, fitted->pulled);
  covariance.diagonal() += observations.noise_variance;
  SLIPSTREAM_ASSIGN_OR_RETURN(fitted->factor, Cholesky::Of(std::move(covariance)));
  fitted->alpha = fitted->factor.Solve(residual);
  fitted->mean_weights = fitted->pulled * fitted->alpha;
  fitted->stack->SolveLowerTransposed(fitted->mean_weights);
  fitted->mean_weights = fitted->stack->weights() - fitted->mean_weights;
  if (!fitted->mean_weights.allFinite() || !fitted->alpha.allFinite()) {
    return absl::FailedPreconditionError("the regression's weights overflow");
  }
  return std::unique_ptr<TransferSurrogate>(std::make_unique<OnStack>(std::move(fitted)));
}

}  // namespace slipstream
