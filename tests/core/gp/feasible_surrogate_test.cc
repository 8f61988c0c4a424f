#include "core/gp/feasible_surrogate.h"

#include <cmath>
#include <vector>

#include "core/gp/normal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"

namespace slipstream {
namespace {

const CoordinateKinds& Mixed() {
  static const auto& kinds =
      *new CoordinateKinds{CoordinateKind::kNumber, CoordinateKind::kWord, CoordinateKind::kNumber};
  return kinds;
}

std::shared_ptr<const FeasibilityModel> Feasibility(const PointMatrix& feasible,
                                                    const PointMatrix& infeasible,
                                                    const PointMatrix& failed = PointMatrix(0, 3)) {
  auto process = FitFeasibility(Mixed(), feasible, infeasible, failed);
  EXPECT_TRUE(process.ok()) << process.status();
  return std::move(process).value();  // Throws, which fails the test.
}

struct Parts {
  PointMatrix feasible;
  PointMatrix infeasible;
  std::shared_ptr<const GaussianProcess> objective;
  std::shared_ptr<const FeasibilityModel> feasibility;
  double incumbent = 1.5;
  double worst = -2.5;
  std::unique_ptr<Surrogate> whole;
};

Parts MakeParts() {
  Parts parts;
  const Believed believed =
      BelievedOf(StationaryRecipe(Smoothness::kMatern52, Mixed(), Lengthscales::kEach), 0.3, 1);
  const Observations data = RandomObservations(Mixed(), 12, 2);
  parts.feasible = data.x;
  parts.infeasible = RandomPoints(Mixed(), 6, 3);
  parts.objective = std::make_shared<GaussianProcess>(Fitted(believed.prior, data));
  parts.feasibility = Feasibility(parts.feasible, parts.infeasible);
  parts.whole = MakeFeasibleSurrogate(std::make_unique<GaussianProcess>(*parts.objective),
                                      parts.feasibility, parts.incumbent, parts.worst);
  return parts;
}

Vector Chances(const FeasibilityModel& feasibility, const PointMatrix& x) {
  Vector chances = feasibility.Means(x);
  for (double& chance : chances) chance = StandardNormalDistribution(2 * chance);
  return chances;
}

// The part of the way from the incumbent to the worst that is expected to be lost.
double LossAt(double p) { return p < 0.5 ? std::pow(1 - 2 * p, 2) : 0; }

TEST(FeasibleSurrogate, WhatIsHopedForBeyondTheIncumbentIsLessByTheSquaredChanceOfAValue) {
  const Parts parts = MakeParts();
  const PointMatrix x = RandomPoints(Mixed(), 20, 11);
  const Vector p = Chances(*parts.feasibility, x);
  const Vector w = p.cwiseAbs2();
  const Predictions objective = parts.objective->Predict(x);
  const Predictions whole = parts.whole->Predict(x);
  for (Index i = 0; i < x.rows(); ++i) {
    const double hope = objective.mean[i] - parts.incumbent;
    const double loss = LossAt(p[i]) * (parts.incumbent - parts.worst);
    EXPECT_NEAR(whole.mean[i] - parts.incumbent, w[i] * hope - loss, 1e-13);
    EXPECT_NEAR(whole.variance[i], w[i] * w[i] * objective.variance[i], 1e-13);
  }
  const Matrix covariance = parts.whole->JointCovariance(x);
  const Matrix expected = w.asDiagonal() * parts.objective->JointCovariance(x) * w.asDiagonal();
  EXPECT_LE((covariance - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(FeasibleSurrogate, WhereMeasuredIsItsObjective) {
  const Parts parts = MakeParts();
  const PointMatrix x = RandomPoints(Mixed(), 20, 11);
  EXPECT_EQ(WhereMeasured(*parts.whole).PredictMean(x), parts.objective->PredictMean(x));
  EXPECT_EQ(&WhereMeasured(*parts.objective), parts.objective.get());
}

TEST(FeasibleSurrogate, TellsTheChanceOfAValue) {
  const Parts parts = MakeParts();
  const PointMatrix x = RandomPoints(Mixed(), 20, 11);
  EXPECT_EQ(ChancesOfValue(*parts.whole, x), Chances(*parts.feasibility, x));
  EXPECT_EQ(ChancesOfValue(*parts.objective, x), std::nullopt);
}

TEST(FeasibleSurrogate, OutcomesThatProbablyHaveNoValueAreTheWorst) {
  const Parts parts = MakeParts();
  const PointMatrix x = RandomPoints(Mixed(), 20, 11);
  const Vector p = Chances(*parts.feasibility, x);
  const Vector means = parts.objective->PredictMean(x);
  const Vector outcomes = MeanOutcomes(*parts.whole, x);
  for (Index i = 0; i < x.rows(); ++i) {
    const double worst = LossAt(p[i]);  // The part of it.
    EXPECT_NEAR(outcomes[i], (1 - worst) * means[i] + worst * parts.worst, 1e-13);
  }
  EXPECT_LT(p.minCoeff(), 0.3);
  EXPECT_GT(p.maxCoeff(), 0.9);
  EXPECT_EQ(MeanOutcomes(*parts.objective, x), means);
}

TEST(FeasibleSurrogate, TheChanceIsHighFarFromEverythingAndLowWhereThereWasNoValue) {
  PointMatrix feasible(1, 3);
  feasible << 0, 1, 0;
  PointMatrix infeasible(1, 3);
  infeasible << 1, 1, 1;
  const auto feasibility = Feasibility(feasible, infeasible);
  PointMatrix x(3, 3);
  x << feasible, infeasible, 40, 1, -40;
  const Vector p = Chances(*feasibility, x);
  EXPECT_NEAR(p[0], 0.98, 0.01);
  EXPECT_NEAR(p[1], 0.02, 0.02);
  EXPECT_NEAR(p[2], StandardNormalDistribution(2), 1e-9);
}

// Three words, of which the first alone decides.
TEST(FeasibleSurrogate, TheChanceIsLowForAWordThatHadNoValueInOtherCombinations) {
  const CoordinateKinds words(3, CoordinateKind::kWord);
  PointMatrix feasible(6, 3);
  feasible << 0, 0, 0, 0, 1, 1, 0, 2, 2, 1, 0, 1, 1, 1, 2, 1, 2, 0;
  PointMatrix infeasible(4, 3);
  infeasible << 2, 0, 0, 2, 1, 1, 2, 2, 2, 2, 3, 3;
  const auto process = FitFeasibility(words, feasible, infeasible, PointMatrix(0, 3)).value();
  PointMatrix unseen(4, 3);
  unseen << 2, 0, 1, 2, 2, 0, 1, 0, 0, 0, 2, 1;
  const Vector chances = Chances(*process, unseen);
  EXPECT_LT(chances.head(2).maxCoeff(), 0.3);
  EXPECT_GT(chances.tail(2).minCoeff(), 0.9);
}

// Points whose first number is `first`.
PointMatrix PointsAt(double first, const CoordinateKinds& kinds, Index count, unsigned seed) {
  PointMatrix points = RandomPoints(kinds, count, seed);
  points.col(0).setConstant(first);
  return points;
}

// An example is a program that fails only if it asks for all memory. Other points, however close,
// have a value.
TEST(FeasibleSurrogate, ABoundThatAloneHasNoValueIsLearntFromAFewPoints) {
  const CoordinateKinds kinds(8, CoordinateKind::kNumber);
  PointMatrix feasible(20, 8);
  feasible << RandomPoints(kinds, 12, 51), PointsAt(0.97, kinds, 8, 52);
  feasible.col(0) = feasible.col(0).cwiseMin(0.97);
  const PointMatrix infeasible = PointsAt(1, kinds, 4, 53);
  const auto process = FitFeasibility(kinds, feasible, infeasible, PointMatrix(0, 8)).value();
  EXPECT_LT(Chances(*process, PointsAt(1, kinds, 20, 54)).maxCoeff(), 0.3);
  EXPECT_GT(Chances(*process, PointsAt(0.9, kinds, 20, 55)).mean(), 0.7);
}

TEST(FeasibleSurrogate, BeyondAnEdgeThatIsLearntTheChanceStaysLow) {
  const CoordinateKinds kinds(3, CoordinateKind::kNumber);
  PointMatrix feasible(24, 3);
  PointMatrix infeasible(24, 3);
  for (int i = 0; i < 4; ++i) {
    const auto part = 6 * i;
    feasible.middleRows(part, 6) = PointsAt(0.5 - 0.01 * i, kinds, 6, 61 + i);
    infeasible.middleRows(part, 6) = PointsAt(0.51 + 0.01 * i, kinds, 6, 71 + i);
  }
  const auto process = FitFeasibility(kinds, feasible, infeasible, PointMatrix(0, 3)).value();
  EXPECT_LT(Chances(*process, PointsAt(0.54, kinds, 20, 81)).maxCoeff(), 0.2);
  EXPECT_LT(Chances(*process, PointsAt(0.65, kinds, 20, 82)).maxCoeff(), 0.3);
  EXPECT_GT(Chances(*process, PointsAt(0.2, kinds, 20, 83)).minCoeff(), 0.9);
}

TEST(FeasibleSurrogate, HasTheSlopesOfItsPredictions) {
  const Parts parts = MakeParts();
  const PointMatrix points = RandomPoints(Mixed(), 5, 21);
  for (Index i = 0; i < points.rows(); ++i) {
    const Vector x = points.row(i).transpose();
    const PointPrediction prediction = parts.whole->PredictPoint(x);
    const Predictions same = parts.whole->Predict(points.row(i));
    EXPECT_NEAR(prediction.mean, same.mean[0], 1e-13);
    EXPECT_NEAR(prediction.variance, same.variance[0], 1e-13);
    for (Index j = 0; j < 3; ++j) {
      if (Mixed()[static_cast<size_t>(j)] == CoordinateKind::kWord) {
        EXPECT_EQ(prediction.mean_gradient[j], 0);
        EXPECT_EQ(prediction.variance_gradient[j], 0);
        continue;
      }
      const auto at = [&](long double coordinate) {
        PointMatrix moved = x.transpose();
        moved(0, j) = static_cast<double>(coordinate);
        return parts.whole->Predict(moved);
      };
      const auto mean = [&](long double coordinate) -> long double {
        return at(coordinate).mean[0];
      };
      const auto variance = [&](long double coordinate) -> long double {
        return at(coordinate).variance[0];
      };
      EXPECT_NEAR(prediction.mean_gradient[j], Derivative(mean, x[j], 1e-3L), 1e-7);
      EXPECT_NEAR(prediction.variance_gradient[j], Derivative(variance, x[j], 1e-3L), 1e-7);
    }
  }
}

TEST(FeasibleSurrogate, ExpectsNearlyTheWorstWhereThereWasNoValue) {
  const Parts parts = MakeParts();
  const Predictions infeasible = parts.whole->Predict(parts.infeasible);
  const Predictions objective = parts.objective->Predict(parts.infeasible);
  for (Index i = 0; i < parts.infeasible.rows(); ++i) {
    EXPECT_NEAR(infeasible.mean[i], parts.worst, 0.25 * (parts.incumbent - parts.worst));
    EXPECT_LT(infeasible.variance[i], 0.05 * objective.variance[i]);
  }
}

TEST(FeasibleSurrogate, DoubtsWhereAWorkerFailedAndMoreWhereSeveralDid) {
  PointMatrix failed(1, 3);
  failed << 0.5, 0.5, 0.5;
  const PointMatrix none(0, 3);
  EXPECT_NEAR(Chances(*Feasibility(none, none, failed), failed)[0], 0.66, 0.01);
  const PointMatrix thrice = failed.replicate(3, 1);
  EXPECT_LT(Chances(*Feasibility(none, none, thrice), failed)[0], 0.3);
  // A result there says that the failures were chance.
  EXPECT_GT(Chances(*Feasibility(failed, none, thrice), failed)[0], 0.95);
}

TEST(FeasibleSurrogate, FailuresThatTheirPlacesTellCountAsInfeasible) {
  const PointMatrix x = RandomPoints(Mixed(), 40, 5);
  std::vector<Index> below;
  std::vector<Index> above;
  for (Index i = 0; i < x.rows(); ++i) (x(i, 0) < 0.6 ? below : above).push_back(i);
  const PointMatrix good = x(below, Eigen::all);
  const PointMatrix bad = x(above, Eigen::all);
  const PointMatrix none(0, 3);
  const Vector as_failed = Chances(*Feasibility(good, none, bad), bad);
  const Vector as_infeasible = Chances(*Feasibility(good, bad), bad);
  EXPECT_LT((as_failed - as_infeasible).cwiseAbs().maxCoeff(), 1e-3);
}

// Where most trials fail, that is so far from all results, too.
TEST(FeasibleSurrogate, FailuresFarFromAllElseSayNothingOfChanceOrPattern) {
  const PointMatrix far_apart = 10 * PointMatrix(Vector::LinSpaced(23, 0, 22).replicate(1, 3));
  const PointMatrix none(0, 3);
  const auto process = Feasibility(far_apart.topRows(3), none, far_apart.bottomRows(20));
  const Vector chances = Chances(*process, far_apart.bottomRows(20));
  EXPECT_NEAR(chances.minCoeff(), 0.66, 0.01);  // As of a failure that is the only outcome.
  EXPECT_NEAR(chances.maxCoeff(), 0.66, 0.01);
}

TEST(FeasibleSurrogate, FailuresAreJudgedAlikeByManyResults) {
  const PointMatrix x = RandomPoints(Mixed(), 1200, 5);
  std::vector<Index> below;
  std::vector<Index> above;
  std::vector<Index> some_above;
  for (Index i = 0; i < x.rows(); ++i) (x(i, 0) < 0.6 ? below : above).push_back(i);
  for (size_t i = 0; i < above.size(); i += 40) some_above.push_back(above[i]);
  const PointMatrix none(0, 3);
  // Whoever fails at one end does not do so by chance.
  const PointMatrix bad = x(some_above, Eigen::all);
  const PointMatrix good = x(below, Eigen::all);
  const Vector as_failed = Chances(*Feasibility(good, none, bad), bad);
  const Vector as_infeasible = Chances(*Feasibility(good, bad), bad);
  EXPECT_LT((as_failed - as_infeasible).cwiseAbs().maxCoeff(), 1e-3);
  const auto by_chance = Feasibility(x.bottomRows(1180), none, x.topRows(20));
  EXPECT_GT(Chances(*by_chance, x.topRows(20)).minCoeff(), 0.5);
}

TEST(FeasibleSurrogate, FailuresByChanceKeepNobodyAwayFromResults) {
  const PointMatrix x = RandomPoints(Mixed(), 40, 5);
  const PointMatrix failed = x.topRows(10);  // Of points that have nothing to do with each other.
  const PointMatrix measured = x.bottomRows(30);
  const auto process = Feasibility(measured, PointMatrix(0, 3), failed);
  EXPECT_GT(Chances(*process, failed).minCoeff(), 0.5);
  EXPECT_GT(Chances(*process, measured).minCoeff(), 0.9);
}

// Of a normal result beyond the incumbent.
double ExpectedImprovement(double mean, double variance, double incumbent) {
  const double deviation = std::sqrt(variance);
  const double z = (mean - incumbent) / deviation;
  return deviation * (StandardNormalDensity(z) + z * StandardNormalDistribution(z));
}

TEST(FeasibleSurrogate, ExpectedImprovementIsLessByTheSquaredChanceOfAValue) {
  const Parts parts = MakeParts();
  const PointMatrix x = RandomPoints(Mixed(), 20, 12);
  const Vector p = Chances(*parts.feasibility, x);
  const Vector w = p.cwiseAbs2();
  const Predictions objective = parts.objective->Predict(x);
  const Predictions whole = parts.whole->Predict(x);
  ASSERT_GT((p.array() >= 0.5).count(), 5);
  for (Index i = 0; i < x.rows(); ++i) {
    if (p[i] < 0.5) continue;
    const double improvement =
        ExpectedImprovement(objective.mean[i], objective.variance[i], parts.incumbent);
    EXPECT_NEAR(ExpectedImprovement(whole.mean[i], whole.variance[i], parts.incumbent),
                w[i] * improvement, 1e-13);
  }
}

TEST(FeasibleSurrogate, AnUpperBoundHardlyLeadsBackToAnInfeasiblePoint) {
  // The objective would be best just where it has no value.
  const Believed believed =
      BelievedOf(StationaryRecipe(Smoothness::kMatern52, Mixed(), Lengthscales::kEach), 0, 31);
  Observations data = RandomObservations(Mixed(), 20, 32);
  PointMatrix infeasible(1, 3);
  infeasible << 0.5, 0.5, 0.5;
  data.y = -(data.x.rowwise() - infeasible.row(0)).rowwise().squaredNorm();
  const GaussianProcess objective = Fitted(believed.prior, data);
  const double incumbent = data.y.maxCoeff();
  const auto whole = MakeFeasibleSurrogate(std::make_unique<GaussianProcess>(objective),
                                           Feasibility(data.x, infeasible), incumbent,
                                           data.y.minCoeff());
  const auto hope = [&](const Surrogate& surrogate) {
    const Predictions there = surrogate.Predict(infeasible);
    return there.mean[0] + 2 * std::sqrt(there.variance[0]) - incumbent;
  };
  ASSERT_GT(hope(objective), 0);
  EXPECT_LT(hope(*whole), 0.05 * hope(objective));
}

// Many points on both sides of an edge, as where the best is at the edge, teach
// g to fall so steeply that it comes out far below -1 beyond them.
TEST(FeasibleSurrogate, VariancesStayPositiveBeyondASharpEdge) {
  constexpr Index kCount = 60;
  PointMatrix feasible = PointMatrix::Constant(kCount, 3, 0.5);
  PointMatrix infeasible = feasible;
  for (Index i = 0; i < kCount; ++i) {
    feasible(i, 0) -= 1e-3 + 1e-5 * static_cast<double>(i);
    infeasible(i, 0) += 1e-3 + 1e-5 * static_cast<double>(i);
  }
  const auto feasibility = Feasibility(feasible, infeasible);
  const Believed believed =
      BelievedOf(StationaryRecipe(Smoothness::kMatern52, Mixed(), Lengthscales::kEach), 0.3, 41);
  const Observations data{feasible, RandomVector(kCount, 0, 1, 42), Vector::Constant(kCount, 1e-4)};
  const auto whole = MakeFeasibleSurrogate(
      std::make_unique<GaussianProcess>(Fitted(believed.prior, data)), feasibility, -1, -2);
  double least = 0;
  for (double edge = 0; edge <= 1; edge += 0.01) {
    PointMatrix x = PointMatrix::Constant(1, 3, 0.5);
    x(0, 0) = edge;
    least = std::min(least, feasibility->Means(x)[0]);
    EXPECT_GT(whole->Predict(x).variance[0], 0) << edge;
    const PointPrediction point = whole->PredictPoint(x.row(0).transpose());
    EXPECT_GT(point.variance, 0) << edge;
    EXPECT_EQ(point.variance, whole->Predict(x).variance[0]) << edge;
    EXPECT_TRUE(point.mean_gradient.allFinite() && point.variance_gradient.allFinite()) << edge;
  }
  EXPECT_LT(least, -14);  // Else this would test nothing: Phi(-28)^2 is no double.
}

// Closely mixed points with and without a value, and an objective without doubt.
TEST(FeasibleSurrogate, VariancesStayPositiveAtExtremes) {
  const Believed believed =
      BelievedOf(StationaryRecipe(Smoothness::kMatern52, Mixed(), Lengthscales::kEach), 0.3, 41);
  Observations data = RandomObservations(Mixed(), 30, 42);
  data.noise_variance.setZero();
  // Close infeasible points around feasible ones make the mean of g swing.
  PointMatrix infeasible = data.x.topRows(15);
  for (Index i = 0; i < infeasible.rows(); ++i) infeasible(i, 0) += 1e-4 * (i % 2 == 0 ? 1 : -1);
  const auto feasibility = Feasibility(data.x, infeasible);
  const auto whole = MakeFeasibleSurrogate(
      std::make_unique<GaussianProcess>(Fitted(believed.prior, data)), feasibility, -1, -2);
  PointMatrix x(75, 3);
  x << data.x, infeasible, infeasible + 50 * (infeasible - data.x.topRows(15)),
      data.x.topRows(15) - 50 * (infeasible - data.x.topRows(15));
  const Predictions there = whole->Predict(x);
  EXPECT_GT(there.variance.minCoeff(), 0) << Chances(*feasibility, x).transpose();
  EXPECT_TRUE(there.mean.allFinite());
  for (Index i = 0; i < x.rows(); ++i) {
    const PointPrediction point = whole->PredictPoint(x.row(i).transpose());
    EXPECT_GT(point.variance, 0);
    EXPECT_TRUE(point.mean_gradient.allFinite());
    EXPECT_TRUE(point.variance_gradient.allFinite());
  }
}

TEST(FeasibleSurrogate, FantasizesTheObjectiveOnly) {
  const Parts parts = MakeParts();
  const PointMatrix pending = RandomPoints(Mixed(), 2, 51);
  const PointMatrix x = RandomPoints(Mixed(), 9, 52);
  const auto fantasy = parts.whole->Fantasize(pending);
  ASSERT_TRUE(fantasy.ok()) << fantasy.status();
  const Predictions before = parts.whole->Predict(x);
  const Predictions after = (*fantasy)->Predict(x);
  EXPECT_LE((after.mean - before.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_TRUE((after.variance.array() <= before.variance.array() + 1e-12).all());
  EXPECT_LE((*fantasy)->Predict(pending).variance.maxCoeff(), 1e-6);
}

TEST(FeasibleSurrogate, LearnsFromOneKindOfPointsOnly) {
  const PointMatrix some = RandomPoints(Mixed(), 4, 61);
  const PointMatrix none(0, 3);
  EXPECT_GT(Chances(*Feasibility(some, none), some).minCoeff(), 0.95);
  EXPECT_LT(Chances(*Feasibility(none, some), some).maxCoeff(), 0.1);
}

TEST(FeasibleSurrogate, BearsPointsThatWereBothFeasibleAndNot) {
  const PointMatrix both = RandomPoints(Mixed(), 3, 71).replicate(4, 1);
  const Vector chances = Chances(*Feasibility(both, both), both);
  EXPECT_GT(chances.minCoeff(), 0.2);
  EXPECT_LT(chances.maxCoeff(), 0.8);
}

TEST(FeasibleSurrogate, AbsorbsAndRemembersAsItsObjectiveDoes) {
  const Parts parts = MakeParts();
  const PointMatrix screen = RandomPoints(Mixed(), 30, 71);
  const PointMatrix pending = RandomPoints(Mixed(), 4, 72);
  const auto fantasy = parts.whole->Fantasize(pending);
  ASSERT_TRUE(fantasy.ok());
  EXPECT_EQ(parts.whole->PredictMean(screen), parts.whole->Predict(screen).mean);
  parts.whole->Remember(screen);
  const auto absorbed = parts.whole->Absorb(pending);
  ASSERT_TRUE(absorbed.ok());
  EXPECT_TRUE(*absorbed);
  const Predictions expected = (*fantasy)->Predict(screen);
  const Predictions remembered = parts.whole->Predict(screen);
  EXPECT_LE((remembered.mean - expected.mean).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LE((remembered.variance - expected.variance).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_EQ(parts.whole->Near(screen.row(0).transpose()), nullptr) << "the objective has none";
}

}  // namespace
}  // namespace slipstream
