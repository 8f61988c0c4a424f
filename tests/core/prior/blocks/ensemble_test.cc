#include "core/prior/blocks/ensemble.h"

#include <cmath>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

constexpr EnsembleErrors kBoth[] = {EnsembleErrors::kIndependent, EnsembleErrors::kAligned};

std::shared_ptr<const GaussianProcess> Process(const TestFunction& function, Index count,
                                               uint64_t seed) {
  return SourceOf("member", function, 2, count, seed)->process;
}

std::vector<EnsembleMember> Three() {
  return {{Process(Wave, 12, 1), 0.5, 1.0},
          {Process(Bowl, 8, 2), 0.2, 1.7},
          {Process(Wave, 3, 3), 0.3, 0.4}};
}

// Entry by entry, as the header has it.
double NaiveEnsembleCovariance(const std::vector<EnsembleMember>& members, EnsembleErrors errors,
                               const PointMatrix& a, const PointMatrix& b) {
  double independent = 0;
  double deviation_a = 0;
  double deviation_b = 0;
  for (const EnsembleMember& m : members) {
    const double factor = m.weight * m.deviation_factor;
    independent += factor * factor * m.process->CrossCovariance(a, b)(0, 0);
    deviation_a += factor * std::sqrt(m.process->CrossCovariance(a, a)(0, 0));
    deviation_b += factor * std::sqrt(m.process->CrossCovariance(b, b)(0, 0));
  }
  if (errors == EnsembleErrors::kIndependent) return independent;
  double correlation = 0;
  for (const EnsembleMember& m : members) {
    const double factor = m.weight * m.deviation_factor;
    const double at_a = std::sqrt(m.process->CrossCovariance(a, a)(0, 0));
    const double at_b = std::sqrt(m.process->CrossCovariance(b, b)(0, 0));
    const double parts =
        std::sqrt(factor * at_a / deviation_a) * std::sqrt(factor * at_b / deviation_b);
    correlation += parts * m.process->CrossCovariance(a, b)(0, 0) / (at_a * at_b);
  }
  return deviation_a * correlation * deviation_b;
}

TEST(Ensemble, IsTheWeightedSumOfItsMembersPointByPoint) {
  const std::vector<EnsembleMember> members = Three();
  const PointMatrix a = RandomPoints(Numbers(2), 6, 4);
  const PointMatrix b = RandomPoints(Numbers(2), 5, 5);
  for (const EnsembleErrors errors : kBoth) {
    const auto ensemble = MakeEnsemble(members, errors);
    const Predictions there = ensemble->Predict(a);
    const Matrix covariance = ensemble->Covariance(a, b);
    for (Index i = 0; i < a.rows(); ++i) {
      double mean = 0;
      for (const EnsembleMember& m : members) {
        mean += m.weight * m.process->Predict(a.row(i)).mean[0];
      }
      EXPECT_NEAR(there.mean[i], mean, 1e-12);
      EXPECT_NEAR(there.variance[i], NaiveEnsembleCovariance(members, errors, a.row(i), a.row(i)),
                  1e-10);
      for (Index j = 0; j < b.rows(); ++j) {
        EXPECT_NEAR(covariance(i, j), NaiveEnsembleCovariance(members, errors, a.row(i), b.row(j)),
                    1e-10);
      }
    }
  }
}

TEST(Ensemble, AlignedHasTheWeightedUpperBoundsOfItsMembers) {
  constexpr double kMultiplier = 1.3;
  const std::vector<EnsembleMember> members = Three();
  const auto ensemble = MakeEnsemble(members, EnsembleErrors::kAligned);
  const PointMatrix at = RandomPoints(Numbers(2), 20, 4);
  const Predictions there = ensemble->Predict(at);
  Vector expected = Vector::Zero(20);
  for (const EnsembleMember& m : members) {
    const Predictions of_member = m.process->Predict(at);
    expected += m.weight * (of_member.mean +
                            kMultiplier * m.deviation_factor * of_member.variance.cwiseSqrt());
  }
  EXPECT_LT(
      (there.mean + kMultiplier * there.variance.cwiseSqrt() - expected).cwiseAbs().maxCoeff(),
      1e-12);
}

TEST(Ensemble, HasGradientsAndFantasiesThatAgreeWithItsPredictions) {
  const PointMatrix at = RandomPoints(Numbers(2), 8, 4);
  const PointMatrix pending = RandomPoints(Numbers(2), 3, 6);
  for (const EnsembleErrors errors : kBoth) {
    const auto ensemble = MakeEnsemble(Three(), errors);
    ExpectConsistent(*ensemble, at);
    std::unique_ptr<Surrogate> fantasy = ensemble->Fantasize(pending.topRows(1)).value();
    fantasy = fantasy->Fantasize(pending.bottomRows(2)).value();
    ExpectConsistent(*fantasy, at);
    EXPECT_LT(fantasy->Predict(pending).variance.maxCoeff(), 1e-4);
    EXPECT_LT((fantasy->Predict(at).mean - ensemble->Predict(at).mean).cwiseAbs().maxCoeff(),
              1e-12);
    EXPECT_TRUE(
        (fantasy->Predict(at).variance.array() <= ensemble->Predict(at).variance.array() + 1e-12)
            .all());
  }
}

TEST(Ensemble, HasThePointGradientOfItsCovariance) {
  constexpr double kStep = 1e-6;
  const PointMatrix b = RandomPoints(Numbers(2), 7, 8);
  const Vector weights = RandomVector(7, -1, 1, 9);
  const Vector x = RandomVector(2, 0.1, 0.9, 10);
  for (const EnsembleErrors errors : kBoth) {
    const auto ensemble = MakeEnsemble(Three(), errors);
    Vector gradient = Vector::Constant(2, 5.0);  // Added to.
    ensemble->AddCovarianceGradient(x, b, weights, gradient);
    for (Index k = 0; k < 2; ++k) {
      PointMatrix near(2, 2);
      near << x.transpose(), x.transpose();
      near(0, k) += kStep;
      near(1, k) -= kStep;
      const Vector moved = ensemble->Covariance(near, b) * weights;
      EXPECT_NEAR(gradient[k] - 5, (moved[0] - moved[1]) / (2 * kStep), 1e-6);
    }
  }
}

TEST(Ensemble, HasAPositiveSemidefiniteCovariance) {
  const PointMatrix at = RandomPoints(Numbers(2), 60, 11);
  for (const EnsembleErrors errors : kBoth) {
    const Matrix joint = MakeEnsemble(Three(), errors)->JointCovariance(at);
    EXPECT_LT((joint - joint.transpose()).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_GT(LeastEigenvalue(joint), -1e-9);
    EXPECT_TRUE(DrawJointly(*MakeEnsemble(Three(), errors), at, 3, 1).ok());
  }
}

TEST(Ensemble, OfOneMemberIsThatMember) {
  const auto process = Process(Wave, 10, 1);
  const PointMatrix a = RandomPoints(Numbers(2), 9, 4);
  const PointMatrix b = RandomPoints(Numbers(2), 4, 5);
  for (const EnsembleErrors errors : kBoth) {
    // The one without weight is not there.
    const auto ensemble = MakeEnsemble({{process, 1}, {Process(Bowl, 5, 2), 0}}, errors);
    EXPECT_LT((ensemble->Predict(a).mean - process->Predict(a).mean).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((ensemble->Predict(a).variance - process->Predict(a).variance).cwiseAbs().maxCoeff(),
              1e-13);
    EXPECT_LT((ensemble->Covariance(a, b) - process->CrossCovariance(a, b)).cwiseAbs().maxCoeff(),
              1e-12);
  }
}

// Where a member is sure and another is not, and on top of data.
TEST(Ensemble, StaysFiniteOnTopOfExactResults) {
  TrainingData data = Sampled(Wave, 2, 9, 1);
  const auto exact = SourceOf("exact", data, 1e-8)->process;
  const PointMatrix at = data.x;
  for (const EnsembleErrors errors : kBoth) {
    const auto ensemble = MakeEnsemble({{exact, 0.5}, {Process(Bowl, 4, 2), 1e-9, 3.0}}, errors);
    EXPECT_TRUE(ensemble->JointCovariance(at).allFinite());
    EXPECT_GT(ensemble->Predict(at).variance.minCoeff(), 0);
    for (Index i = 0; i < at.rows(); ++i) {
      const PointPrediction there = ensemble->PredictPoint(at.row(i).transpose());
      EXPECT_TRUE(there.mean_gradient.allFinite());
      EXPECT_TRUE(there.variance_gradient.allFinite());
    }
    EXPECT_TRUE(DrawJointly(*ensemble, at, 2, 3)->allFinite());
    const auto fantasy = ensemble->Fantasize(at.topRows(2));
    ASSERT_TRUE(fantasy.ok()) << fantasy.status();
    EXPECT_TRUE((*fantasy)->Predict(at).variance.allFinite());
  }
}

}  // namespace
}  // namespace slipstream
