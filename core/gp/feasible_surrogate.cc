#include "core/gp/feasible_surrogate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status.h"
#include "core/gp/normal.h"

namespace slipstream {
namespace {

constexpr double kSteepness = 2;

// Beyond a sharp edge g falls so low that p would be zero, and the deviation p s
// with it.
constexpr double kLeastChance = 1e-6;

double ChanceOf(double g) {
  return std::max(StandardNormalDistribution(kSteepness * g), kLeastChance);
}

// dp/dg: none where p is held.
double ChanceSlope(double g) {
  return ChanceOf(g) > kLeastChance ? kSteepness * StandardNormalDensity(kSteepness * g) : 0;
}

class FeasibleSurrogate : public Surrogate {
 public:
  FeasibleSurrogate(std::unique_ptr<Surrogate> objective,
                    std::shared_ptr<const GaussianProcess> feasibility, double worst)
      : Surrogate(objective->dimension()),
        objective_(std::move(objective)),
        feasibility_(std::move(feasibility)),
        worst_(worst) {}

 private:
  Vector Chances(const PointMatrix& x) const {
    if (remembered_.rows() > 0 && AreEqual(remembered_, x)) return remembered_chances_;
    return feasibility_->PredictMean(x).unaryExpr(&ChanceOf);
  }

  Vector DoPredictMean(const PointMatrix& x) const override {
    return worst_ + Chances(x).array() * (objective_->PredictMean(x).array() - worst_);
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
    return MakeFeasibleSurrogate(std::move(objective), feasibility_, worst_);
  }

  Predictions DoPredict(const PointMatrix& x) const override {
    return Blended(objective_->Predict(x), Chances(x));
  }

  JointPredictions DoPredictJointly(const PointMatrix& x) const override {
    const Vector chances = Chances(x);
    JointPredictions joint = objective_->PredictJointly(x);
    return {Blended(std::move(joint.at_points), chances),
            chances.asDiagonal() * joint.covariance * chances.asDiagonal()};
  }

  Predictions Blended(Predictions result, const Vector& chances) const {
    result.mean = worst_ + chances.array() * (result.mean.array() - worst_);
    result.variance.array() *= chances.array().square();
    return result;
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    PointPrediction result = objective_->PredictPoint(x);
    const PointPrediction there = feasibility_->PredictPoint(x);
    const double chance = ChanceOf(there.mean);
    const Vector slope = ChanceSlope(there.mean) * there.mean_gradient;
    result.mean_gradient = chance * result.mean_gradient + (result.mean - worst_) * slope;
    result.variance_gradient =
        chance * chance * result.variance_gradient + 2 * chance * result.variance * slope;
    result.mean = worst_ + chance * (result.mean - worst_);
    result.variance *= chance * chance;
    return result;
  }

  Matrix DoJointCovariance(const PointMatrix& x) const override {
    const Vector chances = Chances(x);
    return chances.asDiagonal() * objective_->JointCovariance(x) * chances.asDiagonal();
  }

  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& x) const override {
    SLIPSTREAM_ASSIGN_OR_RETURN(std::unique_ptr<Surrogate> objective, objective_->Fantasize(x));
    return MakeFeasibleSurrogate(std::move(objective), feasibility_, worst_);
  }

  std::unique_ptr<Surrogate> objective_;
  std::shared_ptr<const GaussianProcess> feasibility_;
  double worst_;
  PointMatrix remembered_ = {};
  Vector remembered_chances_ = {};
};

}  // namespace

absl::StatusOr<std::shared_ptr<const GaussianProcess>> FitFeasibility(
    const CoordinateKinds& kinds, const PointMatrix& feasible, const PointMatrix& infeasible) {
  constexpr double kNoise = 1e-2;
  constexpr double kLength = 0.2;
  const Index count = feasible.rows() + infeasible.rows();
  PointMatrix x(count, static_cast<Index>(kinds.size()));
  x << feasible, infeasible;
  Vector labels = Vector::Ones(count);
  labels.tail(infeasible.rows()).setConstant(-1);
  Vector parameters(2);
  parameters << 0, std::log(kLength * std::sqrt(static_cast<double>(kinds.size())));
  auto prior = std::make_shared<KernelPrior>(
      MakeStationary(Smoothness::kMatern52, kinds, Lengthscales::kShared), parameters, 1.0);
  SLIPSTREAM_ASSIGN_OR_RETURN(
      GaussianProcess process,
      GaussianProcess::Fit(std::move(prior),
                           {std::move(x), labels, Vector::Constant(count, kNoise)}));
  return std::make_shared<const GaussianProcess>(std::move(process));
}

std::unique_ptr<Surrogate> MakeFeasibleSurrogate(std::unique_ptr<Surrogate> objective,
                                                 std::shared_ptr<const GaussianProcess> feasibility,
                                                 double worst) {
  return std::make_unique<FeasibleSurrogate>(std::move(objective), std::move(feasibility), worst);
}

}  // namespace slipstream
