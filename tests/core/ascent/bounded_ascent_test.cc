#include "core/ascent/bounded_ascent.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/deadline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/linalg/dense.h"

namespace slipstream {
namespace {

Vector Numbers(std::initializer_list<double> values) {
  return Eigen::Map<const Vector>(values.begin(), static_cast<Index>(values.size()));
}

Matrix Curvature() {
  Matrix curvature(3, 3);
  curvature << 4, 1, 0.5, 1, 3, -0.7, 0.5, -0.7, 2;
  return curvature;
}

// 5 - (x - top)^T C (x - top) / 2.
SmoothFunction Hill(const Vector& top) {
  return [top, curvature = Curvature()](ConstVectorView x, VectorView gradient) {
    const Vector slope = curvature * (top - x);
    gradient = slope;
    return std::optional<double>(5 - (top - x).dot(slope) / 2);
  };
}

// Rosenbrock's valley, upside down; its maximum is at (1, 1, ...).
std::optional<double> Rosenbrock(ConstVectorView x, VectorView gradient) {
  double value = 0;
  gradient.setZero();
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double bend = x[i + 1] - x[i] * x[i];
    value -= 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
    gradient[i] += 400 * bend * x[i] + 2 * (1 - x[i]);
    gradient[i + 1] -= 200 * bend;
  }
  return value;
}

// Records the evaluations of an ascent and whether it stayed within the bounds.
struct Trace {
  std::vector<Vector> points;
  std::vector<std::optional<double>> values;
};

SmoothFunction Traced(SmoothFunction function, Trace& trace) {
  return [function = std::move(function), &trace](ConstVectorView x, VectorView gradient) {
    const std::optional<double> value = function(x, gradient);
    trace.points.emplace_back(x);
    trace.values.push_back(value);
    return value;
  };
}

void ExpectTheBestOf(const Trace& trace, const AscentResult& result) {
  std::optional<double> best;
  Vector where;
  for (size_t i = 0; i < trace.points.size(); ++i) {
    if (!trace.values[i].has_value() || (best.has_value() && *trace.values[i] <= *best)) continue;
    best = trace.values[i];
    where = trace.points[i];
  }
  EXPECT_EQ(result.value, best);
  if (best.has_value()) {
    EXPECT_EQ(result.x, where);
  }
  EXPECT_EQ(static_cast<size_t>(result.evaluations), trace.points.size());
}

TEST(BoundedAscent, ClimbsAConcaveQuadraticInsideTheBounds) {
  const Vector top = Numbers({0.3, 0.6, 0.45});
  const AscentResult result =
      AscendWithinBounds(Hill(top), Numbers({0, 1, 0.9}), Vector::Zero(3), Vector::Ones(3));
  ASSERT_TRUE(result.value.has_value());
  EXPECT_NEAR(*result.value, 5, 1e-8);
  EXPECT_LE((result.x - top).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_FALSE(result.deadline_passed);
  EXPECT_LE(result.evaluations, 40);
}

TEST(BoundedAscent, StopsAtTheBoundsIfTheMaximumIsBeyondThem) {
  // With the first coordinate at its bound 1, the maximum over the other two solves
  // their part of the curvature.
  const Vector top = Numbers({1.4, 0.5, 0.5});
  const Matrix curvature = Curvature();
  const Vector push = curvature.block(1, 0, 2, 1) * (top[0] - 1);
  const Vector rest = top.tail(2) + DenseSolve(curvature.bottomRightCorner(2, 2), push);
  ASSERT_TRUE((rest.array() > 0).all() && (rest.array() < 1).all());
  const AscentResult result =
      AscendWithinBounds(Hill(top), Vector::Constant(3, 0.1), Vector::Zero(3), Vector::Ones(3));
  EXPECT_EQ(result.x[0], 1);
  EXPECT_LE((result.x.tail(2) - rest).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(BoundedAscent, FindsACornerFromTheOppositeOne) {
  const auto plane = [](ConstVectorView x, VectorView gradient) {
    gradient = Numbers({1, -2, 3});
    return std::optional<double>(x[0] - 2 * x[1] + 3 * x[2]);
  };
  const Vector lower = Numbers({-5, 0.25, 10});
  const Vector upper = Numbers({-4, 0.5, 1000});
  const AscentResult result = AscendWithinBounds(plane, Numbers({-5, 0.5, 10}), lower, upper);
  EXPECT_EQ(result.x, Numbers({-4, 0.25, 1000}));
  EXPECT_EQ(result.value, -4 - 0.5 + 3000);
}

TEST(BoundedAscent, FollowsRosenbrocksValley) {
  for (const Index dimension : {2, 5, 10}) {
    AscentOptions options;
    options.max_evaluations = 500;
    const AscentResult result = AscendWithinBounds(Rosenbrock, Vector::Constant(dimension, -1.0),
                                                   Vector::Constant(dimension, -2.0),
                                                   Vector::Constant(dimension, 2.0), options);
    ASSERT_TRUE(result.value.has_value());
    // In ten dimensions there is another local maximum near x[0] = -1.
    EXPECT_GE(*result.value, dimension == 2 ? -1e-6 : -4.0) << dimension;
    EXPECT_LE(result.evaluations, 500);
  }
}

TEST(BoundedAscent, StaysWithinTheBoundsAndReturnsTheBestItSaw) {
  for (const double where : {-3.0, 0.2, 0.7, 5.0}) {
    Trace trace;
    const Vector lower = Numbers({0, -1, 0.5});
    const Vector upper = Numbers({1, 2, 0.5});  // The last coordinate is fixed.
    const AscentResult result = AscendWithinBounds(Traced(Hill(Vector::Constant(3, where)), trace),
                                                   Numbers({0.5, 0.5, 0.5}), lower, upper);
    for (const Vector& point : trace.points) {
      EXPECT_TRUE((point.array() >= lower.array()).all() && (point.array() <= upper.array()).all())
          << point.transpose();
    }
    ExpectTheBestOf(trace, result);
    EXPECT_EQ(result.x[2], 0.5);
  }
}

TEST(BoundedAscent, ClampsTheStartToTheBounds) {
  Trace trace;
  AscendWithinBounds(Traced(Hill(Vector::Constant(3, 0.5)), trace), Numbers({-7, 0.5, 9}),
                     Vector::Zero(3), Vector::Ones(3));
  ASSERT_FALSE(trace.points.empty());
  EXPECT_EQ(trace.points.front(), Numbers({0, 0.5, 1}));
}

TEST(BoundedAscent, AvoidsPointsWhereTheFunctionCannotBeComputed) {
  // The maximum lies just before a region without values, into which the first long
  // step leads.
  const auto cliff = [](ConstVectorView x, VectorView gradient) -> std::optional<double> {
    if (x[0] > 0.62) return std::nullopt;
    gradient[0] = -20 * (x[0] - 0.6);
    return -10 * (x[0] - 0.6) * (x[0] - 0.6);
  };
  for (const double start : {0.0, 0.3, 0.55, 0.61}) {
    Trace trace;
    const AscentResult result =
        AscendWithinBounds(Traced(cliff, trace), Numbers({start}), Numbers({0}), Numbers({1}));
    ASSERT_TRUE(result.value.has_value()) << start;
    EXPECT_GE(*result.value, -1e-4) << start;
    ExpectTheBestOf(trace, result);
  }
}

TEST(BoundedAscent, ReturnsTheStartIfNothingCanBeComputed) {
  const auto nowhere = [](ConstVectorView, VectorView) { return std::optional<double>(); };
  const AscentResult result =
      AscendWithinBounds(nowhere, Numbers({0.25, 2}), Vector::Zero(2), Vector::Ones(2));
  EXPECT_EQ(result.value, std::nullopt);
  EXPECT_EQ(result.x, Numbers({0.25, 1}));
  EXPECT_LE(result.evaluations, AscentOptions().max_evaluations);
}

TEST(BoundedAscent, SurvivesValuesAndGradientsThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto broken = [bad](ConstVectorView x, VectorView gradient) {
      gradient[0] = x[0] > 0.5 ? bad : 1;
      return std::optional<double>(x[0] > 0.5 ? bad : x[0]);
    };
    const AscentResult result =
        AscendWithinBounds(broken, Numbers({0.1}), Numbers({0}), Numbers({1}));
    EXPECT_TRUE(result.x.allFinite());
    ASSERT_TRUE(result.value.has_value());
    EXPECT_FALSE(std::isnan(*result.value));
    EXPECT_LE(result.evaluations, AscentOptions().max_evaluations);
  }
}

TEST(BoundedAscent, JustEvaluatesWithoutCoordinates) {
  const auto constant = [](ConstVectorView, VectorView) { return std::optional<double>(7); };
  const AscentResult result = AscendWithinBounds(constant, Vector(0), Vector(0), Vector(0));
  EXPECT_EQ(result.x.size(), 0);
  EXPECT_EQ(result.value, 7);
  EXPECT_EQ(result.evaluations, 1);
}

TEST(BoundedAscent, MakesNoMoreEvaluationsThanAllowed) {
  for (const int most : {1, 2, 7}) {
    Trace trace;
    AscentOptions options;
    options.max_evaluations = most;
    const AscentResult result =
        AscendWithinBounds(Traced(Rosenbrock, trace), Vector::Constant(6, -1.0),
                           Vector::Constant(6, -2.0), Vector::Constant(6, 2.0), options);
    EXPECT_LE(result.evaluations, most);
    EXPECT_GE(result.evaluations, 1);
    ExpectTheBestOf(trace, result);
  }
}

TEST(BoundedAscent, StopsSoonAfterADeadlineThatPassesMeanwhile) {
  AscentOptions options;
  options.deadline = Deadline::In(absl::Milliseconds(5));
  int calls = 0;
  const auto slow = [&](ConstVectorView x, VectorView gradient) {
    while (++calls == 3 && !options.deadline.has_passed()) --calls;
    return Rosenbrock(x, gradient);
  };
  Trace trace;
  const AscentResult result =
      AscendWithinBounds(Traced(slow, trace), Vector::Constant(6, -1.0), Vector::Constant(6, -2.0),
                         Vector::Constant(6, 2.0), options);
  EXPECT_TRUE(result.deadline_passed);
  EXPECT_EQ(result.evaluations, 3);
  ExpectTheBestOf(trace, result);
}

TEST(BoundedAscent, HasAPointEvenIfTheDeadlineHasLongPassed) {
  AscentOptions options;
  options.deadline = Deadline::Passed();
  Trace trace;
  const AscentResult result = AscendWithinBounds(Traced(Rosenbrock, trace), Numbers({5, 0.5}),
                                                 Vector::Zero(2), Vector::Ones(2), options);
  EXPECT_TRUE(result.deadline_passed);
  EXPECT_LE(result.evaluations, 1);
  EXPECT_EQ(result.x, Numbers({1, 0.5}));
  ExpectTheBestOf(trace, result);
}

TEST(BoundedAscent, TakesTheSamePathEachTime) {
  Trace first;
  Trace second;
  for (Trace* trace : {&first, &second}) {
    AscendWithinBounds(Traced(Rosenbrock, *trace), Numbers({-1.2, 1, 0.3}),
                       Vector::Constant(3, -2.0), Vector::Constant(3, 2.0));
  }
  EXPECT_EQ(first.points, second.points);
  EXPECT_EQ(first.values, second.values);
}

}  // namespace
}  // namespace slipstream
