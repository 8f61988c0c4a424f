#include "core/gp/remembered_points.h"

#include "gtest/gtest.h"
#include "tests/core/gp/gaussian_fixtures.h"

namespace slipstream {
namespace {

TEST(RememberedPoints, AreWhatTheProcessPredictsWhilePointsAreAbsorbed) {
  for (const Believed& believed : BelievedOfEachKind()) {
    SCOPED_TRACE(believed.name);
    GaussianProcess process = Fitted(believed.prior, RandomObservations(believed.kinds, 25, 3));
    const PointMatrix screen = RandomPoints(believed.kinds, 300, 4);
    const PointMatrix pending = RandomPoints(believed.kinds, 40, 5);
    process.Remember(screen);
    // In parts of many sizes, one at a time at last.
    for (Index first = 0; first < pending.rows();) {
      const Index count = std::max<Index>(1, (pending.rows() - first) / 2);
      const absl::StatusOr<bool> absorbed = process.Absorb(pending.middleRows(first, count));
      ASSERT_TRUE(absorbed.ok()) << absorbed.status();
      ASSERT_TRUE(*absorbed);
      first += count;
      const Predictions remembered = process.Predict(screen);
      // Other points than those remembered are worked out anew.
      const Predictions halves = process.Predict(screen.topRows(150));
      EXPECT_LE((remembered.mean.head(150) - halves.mean).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LE((remembered.variance.head(150) - halves.variance).cwiseAbs().maxCoeff(), 1e-9);
    }
    EXPECT_EQ(process.size(), 65);
  }
}

TEST(RememberedPoints, AreOnlyThoseInTheirOrder) {
  const PointMatrix x = PointMatrix::Random(5, 2);
  const RememberedPoints points(x, Vector::Zero(5), Vector::Ones(5));
  EXPECT_TRUE(points.Are(x));
  EXPECT_FALSE(points.Are(x.topRows(4)));
  EXPECT_FALSE(points.Are(x.colwise().reverse()));
  EXPECT_FALSE(RememberedPoints().Are(PointMatrix(0, 2)));
}

TEST(RememberedPoints, KeepTheLeastVarianceWhereAllIsKnown) {
  const Believed believed = BelievedOfEachKind().front();
  GaussianProcess process = Fitted(believed.prior, RandomObservations(believed.kinds, 5, 3));
  const PointMatrix screen = RandomPoints(believed.kinds, 6, 4);
  process.Remember(screen);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(process.Absorb(screen).ok());
  const Predictions known = process.Predict(screen);
  EXPECT_GT(known.variance.minCoeff(), 0);
  EXPECT_LT(known.variance.maxCoeff(), 1e-6 * believed.prior->Variance(screen).maxCoeff());
}

}  // namespace
}  // namespace slipstream
