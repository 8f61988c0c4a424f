#include "core/prior/blocks/ensemble.h"

#include <cassert>
#include <cmath>
#include <utility>

namespace slipstream {
namespace {

// A member's covariance, in half the time where both sets of points are one.
Matrix MemberCovariance(const GaussianProcess& process, const PointMatrix& a,
                        const PointMatrix& b) {
  return &a == &b ? process.JointCovariance(a) : process.CrossCovariance(a, b);
}

// The members' predictions; those of sources come from their expansions, which is faster, or from
// the cache of these.
std::vector<Predictions> MembersPredict(const std::vector<EnsembleMember>& members,
                                        const PointMatrix& x, bool is_cached) {
  const CachedPoints points = is_cached ? CachedPoints(x) : CachedPoints();
  std::vector<Predictions> all;
  for (const EnsembleMember& member : members) {
    if (member.source == nullptr) {
      all.push_back(member.process->Predict(x));
    } else {
      all.push_back(is_cached ? member.source->cache->Predict(points)
                              : member.source->expansion->Predict(x));
    }
  }
  return all;
}

PointPrediction MemberAtPoint(const EnsembleMember& member, ConstVectorView x) {
  return member.source != nullptr ? member.source->expansion->PredictPoint(x)
                                  : member.process->PredictPoint(x);
}

// What all ensembles have: members, whose predictions are added up.
class Ensemble : public TransferSurrogate {
 public:
  explicit Ensemble(std::vector<EnsembleMember> members)
      : TransferSurrogate(members.front().process->dimension()), members_(std::move(members)) {}

 protected:
  std::vector<EnsembleMember> members_;

 private:
  // One of `all` for each member.
  virtual Predictions Added(const std::vector<Predictions>& all, Index points) const = 0;

  Predictions DoPredict(const PointMatrix& x) const final {
    return Added(MembersPredict(members_, x, AreExpected(x)), x.rows());
  }

  JointPredictions DoPredictJointly(const PointMatrix& x) const final {
    return {Added(MembersPredict(members_, x, false), x.rows()), Covariance(x, x)};
  }
};

class IndependentEnsemble final : public Ensemble {
 public:
  using Ensemble::Ensemble;

  std::unique_ptr<TransferSurrogate> Clone() const override {
    return std::make_unique<IndependentEnsemble>(*this);
  }

 private:
  // w_i^2 a_i^2.
  static double VarianceFactor(const EnsembleMember& member) {
    return std::pow(member.weight * member.deviation_factor, 2);
  }

  Predictions Added(const std::vector<Predictions>& all, Index points) const override {
    Predictions result{Vector::Zero(points), Vector::Zero(points)};
    for (size_t i = 0; i < members_.size(); ++i) {
      result.mean += members_[i].weight * all[i].mean;
      result.variance += VarianceFactor(members_[i]) * all[i].variance;
    }
    return result;
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    PointPrediction result{0, 0, Vector::Zero(dimension()), Vector::Zero(dimension())};
    for (const EnsembleMember& member : members_) {
      const PointPrediction there = MemberAtPoint(member, x);
      const double factor = VarianceFactor(member);
      result.mean += member.weight * there.mean;
      result.mean_gradient += member.weight * there.mean_gradient;
      result.variance += factor * there.variance;
      result.variance_gradient += factor * there.variance_gradient;
    }
    return result;
  }

  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override {
    Matrix covariance = Matrix::Zero(a.rows(), b.rows());
    for (const EnsembleMember& member : members_) {
      covariance += VarianceFactor(member) * MemberCovariance(*member.process, a, b);
    }
    return covariance;
  }

  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override {
    for (const EnsembleMember& member : members_) {
      member.process->AddCovarianceGradient(x, b, VarianceFactor(member) * weights, gradient);
    }
  }
};

// A member at some points: L^-1 k(X, x), one column a point, and its deviations.
struct MemberAtPoints {
  MemberAtPoints(const GaussianProcess& process, const PointMatrix& x)
      : solved(process.prior().Covariance(process.observations().x, x)) {
    process.factor().SolveLower(solved);
    const Vector before = process.prior().Variance(x);
    const Vector after = before - solved.colwise().squaredNorm().transpose();
    deviations = after.cwiseMax(kLeastVariancePart * before).cwiseSqrt();
  }

  Matrix solved;
  Vector deviations;
};

// Below, cov(x, x') = sqrt(d(x) d(x')) sum_i u_i c_i(x, x')/sqrt(s_i(x) s_i(x'))
// with u_i = w_i a_i, which is the header's with q_i put in.
class AlignedEnsemble final : public Ensemble {
 public:
  using Ensemble::Ensemble;

  std::unique_ptr<TransferSurrogate> Clone() const override {
    return std::make_unique<AlignedEnsemble>(*this);
  }

 private:
  // u_i.
  static double DeviationFactor(const EnsembleMember& member) {
    return member.weight * member.deviation_factor;
  }

  std::vector<MemberAtPoints> MembersAt(const PointMatrix& x) const {
    std::vector<MemberAtPoints> all;
    for (const EnsembleMember& member : members_) all.emplace_back(*member.process, x);
    return all;
  }

  // sqrt(d(x_j)).
  Vector Roots(const std::vector<MemberAtPoints>& all) const {
    Vector deviations = Vector::Zero(all.front().deviations.size());
    for (size_t i = 0; i < members_.size(); ++i) {
      deviations += DeviationFactor(members_[i]) * all[i].deviations;
    }
    return deviations.cwiseSqrt();
  }

  Predictions Added(const std::vector<Predictions>& all, Index points) const override {
    Predictions result{Vector::Zero(points), Vector::Zero(points)};
    for (size_t i = 0; i < members_.size(); ++i) {
      result.mean += members_[i].weight * all[i].mean;
      result.variance += DeviationFactor(members_[i]) * all[i].variance.cwiseSqrt();
    }
    result.variance = result.variance.cwiseAbs2();
    return result;
  }

  std::vector<PointPrediction> MembersAtPoint(ConstVectorView x) const {
    std::vector<PointPrediction> all;
    for (const EnsembleMember& member : members_) all.push_back(MemberAtPoint(member, x));
    return all;
  }

  PointPrediction Together(const std::vector<PointPrediction>& all) const {
    PointPrediction result{0, 0, Vector::Zero(dimension()), Vector::Zero(dimension())};
    double deviation = 0;
    for (size_t i = 0; i < members_.size(); ++i) {
      const double of_member = std::sqrt(all[i].variance);
      const double factor = DeviationFactor(members_[i]);
      result.mean += members_[i].weight * all[i].mean;
      result.mean_gradient += members_[i].weight * all[i].mean_gradient;
      deviation += factor * of_member;
      result.variance_gradient += factor / of_member * all[i].variance_gradient;
    }
    result.variance = deviation * deviation;
    result.variance_gradient *= deviation;
    return result;
  }

  PointPrediction DoPredictPoint(ConstVectorView x) const override {
    return Together(MembersAtPoint(x));
  }

  Matrix DoCovariance(const PointMatrix& a, const PointMatrix& b) const override {
    const bool is_same = &a == &b;
    const std::vector<MemberAtPoints> at_a = MembersAt(a);
    const std::vector<MemberAtPoints> at_b = is_same ? std::vector<MemberAtPoints>() : MembersAt(b);
    const std::vector<MemberAtPoints>& other = is_same ? at_a : at_b;
    Matrix sum = Matrix::Zero(a.rows(), b.rows());
    for (size_t i = 0; i < members_.size(); ++i) {
      Matrix covariance = members_[i].process->prior().Covariance(a, b);
      covariance.noalias() -= at_a[i].solved.transpose() * other[i].solved;
      sum += DeviationFactor(members_[i]) *
             (at_a[i].deviations.cwiseSqrt().cwiseInverse().asDiagonal() * covariance *
              other[i].deviations.cwiseSqrt().cwiseInverse().asDiagonal());
    }
    return Roots(at_a).asDiagonal() * sum * Roots(other).asDiagonal();
  }

  void DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b, ConstVectorView weights,
                               VectorView gradient) const override;
};

// With S_i = sum_j v_ij c_i(x, b_j), v_ij = u_i weights_j sqrt(d(b_j)/s_i(b_j)), the
// sum is sqrt(d(x)) sum_i S_i/sqrt(s_i(x)), and d log sqrt(s) = d s^2/(4 s^2).
void AlignedEnsemble::DoAddCovarianceGradient(ConstVectorView x, const PointMatrix& b,
                                              ConstVectorView weights, VectorView gradient) const {
  const PointMatrix point = x.transpose();
  const std::vector<MemberAtPoints> at_b = MembersAt(b);
  const Vector weighted_roots = weights.cwiseProduct(Roots(at_b));
  const std::vector<PointPrediction> at_x = MembersAtPoint(x);
  const PointPrediction together = Together(at_x);
  const double root = std::pow(together.variance, 0.25);  // sqrt(d(x)).
  double sum = 0;
  for (size_t i = 0; i < members_.size(); ++i) {
    const GaussianProcess& process = *members_[i].process;
    const PointMatrix& results = process.observations().x;
    const PointPrediction& there = at_x[i];
    const double part = root / std::pow(there.variance, 0.25);  // sqrt(d(x)/s_i(x)).
    // part v_i, and what it comes to at the results, K^-1 k(X, b) part v_i.
    const Vector pull = part * DeviationFactor(members_[i]) *
                        weighted_roots.cwiseQuotient(at_b[i].deviations.cwiseSqrt());
    Vector pulled = at_b[i].solved * pull;
    process.factor().SolveLowerTransposed(pulled);
    const double term = process.prior().Covariance(point, b).row(0).dot(pull) -
                        process.prior().Covariance(point, results).row(0).dot(pulled);
    sum += term;
    process.prior().AddCovarianceGradient(x, b, pull, gradient);
    process.prior().AddCovarianceGradient(x, results, -pulled, gradient);
    gradient -= term / (4 * there.variance) * there.variance_gradient;
  }
  gradient += sum / (4 * together.variance) * together.variance_gradient;
}

}  // namespace

std::unique_ptr<TransferSurrogate> MakeEnsemble(std::vector<EnsembleMember> members,
                                                EnsembleErrors errors) {
  std::erase_if(members, [](const EnsembleMember& member) { return !(member.weight > 0); });
  assert(!members.empty());
  if (errors == EnsembleErrors::kIndependent) {
    return std::make_unique<IndependentEnsemble>(std::move(members));
  }
  return std::make_unique<AlignedEnsemble>(std::move(members));
}

}  // namespace slipstream
