#include "core/prior/pretrained/shared_prior.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

CoordinateKinds NumbersAndAWord() {
  return {CoordinateKind::kNumber, CoordinateKind::kWord, CoordinateKind::kNumber};
}

TaskGroup RandomGroup(const CoordinateKinds& kinds, Index rows, Index tasks, uint64_t seed) {
  TaskGroup group{RandomPoints(kinds, rows, seed), Matrix(rows, tasks),
                  RandomVector(rows, 0.2, 1, seed + 1), RandomVector(rows, 0, 0.1, seed + 2)};
  for (Index k = 0; k < tasks; ++k) {
    group.values.col(k) = RandomVector(rows, -2, 2, seed + 3 + static_cast<uint64_t>(k));
  }
  return group;
}

Matrix NaiveSharedCovariance(const CoordinateKinds& kinds, const Hyperparameters& own,
                             const TaskGroup& group) {
  const Index size = group.x.rows();
  Matrix k(size, size);
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      double squares = 0;
      for (Index d = 0; d < group.x.cols(); ++d) {
        double difference = group.x(i, d) - group.x(j, d);
        if (kinds[static_cast<size_t>(d)] == CoordinateKind::kWord) difference = difference != 0;
        squares += std::pow(difference / std::exp(own.kernel[1 + d]), 2);
      }
      const double a = std::sqrt(5 * squares);
      k(i, j) = std::exp(2 * own.kernel[0]) * (1 + a + a * a / 3) * std::exp(-a);
    }
    k(i, i) += std::exp(own.log_noise_variance) * group.inverse_repeats[i] + group.known_noise[i];
  }
  return k;
}

// One task after the other.
double NaiveMeanLogLikelihood(const CoordinateKinds& kinds, const std::vector<TaskGroup>& groups,
                              const Hyperparameters& own) {
  double sum = 0;
  double tasks = 0;
  for (const TaskGroup& group : groups) {
    const Matrix k = NaiveSharedCovariance(kinds, own, group);
    for (Index task = 0; task < group.values.cols(); ++task) {
      Vector residual = group.values.col(task);
      for (Index i = 0; i < residual.size(); ++i) {
        residual[i] -= own.mean;
        for (Index d = 0; d < own.weights.size(); ++d) {
          residual[i] -= own.weights[d] * (group.x(i, d) - 0.5);
        }
      }
      sum -= residual.dot(DenseSolve(k, residual)) / 2 + DenseLogDeterminant(k) / 2 +
             static_cast<double>(residual.size()) * std::log(2 * M_PI) / 2;
      tasks += 1;
    }
  }
  return sum / tasks;
}

struct SharedCase {
  CoordinateKinds kinds = NumbersAndAWord();
  std::unique_ptr<Kernel> kernel =
      MakeStationary(Smoothness::kMatern52, kinds, Lengthscales::kEach);
  std::vector<TaskGroup> groups = {RandomGroup(kinds, 7, 3, 10), RandomGroup(kinds, 1, 1, 20),
                                   RandomGroup(kinds, 12, 1, 30)};
  Hyperparameters own{Vector{{0.2, -0.7, 0.1, -1.1}}, std::log(0.05), 0.3,
                      Vector{{0.4, 0.0, -0.9}}};
};

TEST(MeanLogLikelihood, IsTheMeanOverAllTasks) {
  SharedCase shared;
  for (const bool is_linear : {true, false}) {
    if (!is_linear) shared.own.weights.resize(0);
    const auto actual = MeanLogLikelihood(*shared.kernel, shared.groups, shared.own);
    ASSERT_TRUE(actual.ok()) << actual.status();
    EXPECT_NEAR(actual->value, NaiveMeanLogLikelihood(shared.kinds, shared.groups, shared.own),
                1e-10);
  }
}

TEST(MeanLogLikelihood, ItsGradientIsThatOfDifferences) {
  constexpr double kStep = 1e-5;
  const SharedCase shared;
  const auto actual = MeanLogLikelihood(*shared.kernel, shared.groups, shared.own).value();
  const Vector packed = shared.own.Packed();
  ASSERT_EQ(actual.gradient.size(), packed.size());
  for (Index i = 0; i < packed.size(); ++i) {
    Vector more = packed;
    Vector less = packed;
    more[i] += kStep;
    less[i] -= kStep;
    const double difference =
        NaiveMeanLogLikelihood(shared.kinds, shared.groups, Hyperparameters::Unpacked(more, 3)) -
        NaiveMeanLogLikelihood(shared.kinds, shared.groups, Hyperparameters::Unpacked(less, 3));
    EXPECT_NEAR(actual.gradient[i], difference / (2 * kStep), 1e-7) << i;
  }
}

// HyperBO's objective for values at the same points, as it is published.
TEST(MeanLogLikelihood, OfMatchingTasksIsHalfTheEmpiricalDivergence) {
  const SharedCase shared;
  const TaskGroup group = RandomGroup(shared.kinds, 9, 6, 40);
  Vector u = Vector::Zero(9);
  for (Index k = 0; k < 6; ++k) u += group.values.col(k) / 6;
  Matrix s = Matrix::Zero(9, 9);
  for (Index k = 0; k < 6; ++k) {
    const Vector off = group.values.col(k) - u;
    s += off * off.transpose() / 6;
  }
  const Matrix k = NaiveSharedCovariance(shared.kinds, shared.own, group);
  Vector off = u;
  for (Index i = 0; i < 9; ++i) {
    off[i] -= shared.own.mean + shared.own.weights[0] * (group.x(i, 0) - 0.5) +
              shared.own.weights[2] * (group.x(i, 2) - 0.5);
  }
  const double divergence =
      DenseSolve(k, s).trace() + off.dot(DenseSolve(k, off)) + DenseLogDeterminant(k);
  const auto actual = MeanLogLikelihood(*shared.kernel, {group}, shared.own).value();
  EXPECT_NEAR(-2 * actual.value - 9 * std::log(2 * M_PI), divergence, 1e-9);
}

TEST(MeanLogLikelihood, SaysWhatIsNotFinite) {
  const SharedCase shared;
  TaskGroup group = RandomGroup(shared.kinds, 5, 1, 50);
  group.values(2, 0) = std::nan("");
  EXPECT_EQ(MeanLogLikelihood(*shared.kernel, {group}, shared.own).status().code(),
            absl::StatusCode::kFailedPrecondition);
  const Model model = DefaultModel(shared.kinds, ModelOptions());
  EXPECT_EQ(LearnSharedPrior(model, {group}, {model.Location()}, {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(ThinnedRows, TakesOneRowOfEachStretch) {
  for (const Index size : {1, 5, 99, 100, 101, 150, 1000}) {
    const std::vector<Index> rows = ThinnedRows(size, 100);
    ASSERT_EQ(static_cast<Index>(rows.size()), std::min<Index>(size, 100));
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), rows.size());
    EXPECT_GE(rows.front(), 0);
    EXPECT_LT(rows.back(), size);
  }
  // In a table whose last column has a period of ten, all ten are seen.
  std::set<Index> seen;
  for (const Index row : ThinnedRows(1000, 100)) seen.insert(row % 10);
  EXPECT_EQ(seen.size(), 10U);
}

TEST(GroupedResults, PutsTasksWithTheSamePointsTogether) {
  const TrainingData shared = Sampled(Wave, 2, 150, 1);
  TrainingData other = shared;
  other.y = -other.y;
  TrainingData repeated = shared;
  repeated.repeats[ThinnedRows(150, 100)[3]] = 2;
  const auto groups = GroupedResults({SourceOf("a", shared), SourceOf("b", Wave, 2, 20, 2),
                                      SourceOf("c", other), SourceOf("d", repeated)},
                                     100);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].values.rows(), 100);
  ASSERT_EQ(groups[0].task_count(), 2);
  EXPECT_EQ(groups[0].values.col(0), -groups[0].values.col(1));
  EXPECT_EQ(groups[1].values.rows(), 20);
  EXPECT_EQ(groups[2].inverse_repeats[3], 0.5);
}

TEST(MatchingResults, FindsTheSamePointsInAnyOrder) {
  const TrainingData first = Sampled(Wave, 2, 30, 1);
  TrainingData second = Sampled(Bowl, 2, 30, 1);
  std::vector<Index> shuffled;
  for (Index i = 0; i < 30; ++i) shuffled.push_back(i * 7 % 30);
  const auto group =
      MatchingResults({SourceOf("a", first), SourceOf("b", RowsOf(second, shuffled))}, 100);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->x, first.x);
  EXPECT_EQ(group->values.col(0), first.y);
  EXPECT_EQ(group->values.col(1), second.y);
  second.x(3, 1) += 1e-9;
  EXPECT_FALSE(MatchingResults({SourceOf("a", first), SourceOf("b", second)}, 100).has_value());
  EXPECT_FALSE(
      MatchingResults({SourceOf("a", first), SourceOf("b", FirstOf(first, 29))}, 100).has_value());
}

}  // namespace
}  // namespace slipstream
