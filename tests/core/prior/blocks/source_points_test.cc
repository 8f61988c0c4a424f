#include "core/prior/blocks/source_points.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;

SourceModels SourcesOfSizes(const std::vector<Index>& sizes) {
  SourceModels sources;
  for (Index size : sizes) {
    sources.push_back(SourceOf("s", Wave, 2, size, static_cast<uint64_t>(size)));
  }
  return sources;
}

TEST(SourcePoints, RowsAreSpreadOverTheValuesWithTheBestAndTheWorst) {
  const Vector y{{3, 1, 4, 1.5, 9, 2, 6}};
  EXPECT_THAT(SpreadRows(y, 7), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(SpreadRows(y, 100), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(SpreadRows(y, 3), ElementsAre(0, 1, 4));
  EXPECT_THAT(SpreadRows(y, 2), ElementsAre(1, 4));
  EXPECT_THAT(SpreadRows(y, 1), ElementsAre(4));
  EXPECT_THAT(SpreadRows(y, 0), ElementsAre());
  EXPECT_THAT(SpreadRows(Vector(0), 3), ElementsAre());
  // Equal values stay in their order.
  EXPECT_THAT(SpreadRows(Vector::Zero(5), 3), ElementsAre(0, 2, 4));
}

TEST(SourcePoints, SmallSourcesKeepAllAndLargeOnesShareWhatIsLeft) {
  const SourceModels sources = SourcesOfSizes({4, 30, 10, 50});
  EXPECT_THAT(CollectPoints(sources, 1000).counts, ElementsAre(4, 30, 10, 50));
  EXPECT_THAT(CollectPoints(sources, 94).counts, ElementsAre(4, 30, 10, 50));
  EXPECT_THAT(CollectPoints(sources, 44).counts, ElementsAre(4, 15, 10, 15));
  EXPECT_THAT(CollectPoints(sources, 45).counts, ElementsAre(4, 16, 10, 15));
  EXPECT_THAT(CollectPoints(sources, 1000, 20).counts, ElementsAre(4, 20, 10, 20));
  EXPECT_THAT(CollectPoints(sources, 2).counts, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(CollectPoints(sources, 0).counts, ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(CollectPoints(sources, 45).size(), 45);
  EXPECT_EQ(CountOf(CollectPoints(sources, 45)), "45 of 94");
}

TEST(SourcePoints, AreThoseOfTheSourcesInTheirOrderBelowTheResults) {
  const SourceModels sources = SourcesOfSizes({3, 5});
  const SourcePoints points = CollectPoints(sources, 100);
  const TrainingData results = Sampled(Bowl, 2, 4, 9);
  const TrainingData joined = Joined(results, points);
  ASSERT_EQ(joined.y.size(), 12);
  EXPECT_EQ(joined.x.topRows(4), results.x);
  EXPECT_EQ(joined.x.middleRows(4, 3), sources[0]->data.x);
  EXPECT_EQ(joined.y.tail(5), sources[1]->data.y);
  EXPECT_EQ(joined.known_noise, Vector::Zero(12));
  Vector weights = Vector::Ones(12);
  weights.tail(5) *= 2;
  EXPECT_LT((PartsOf(points, weights) - Vector{{3.0 / 17, 10.0 / 17}}).cwiseAbs().maxCoeff(),
            1e-15);
}

TEST(SourcePoints, OfNoSourceOrNoResultJoinToWhatIsThere) {
  const TrainingData results = Sampled(Bowl, 2, 4, 9);
  EXPECT_EQ(Joined(results, CollectPoints({}, 10)).x, results.x);
  const TrainingData none = Sampled(Bowl, 2, 0, 9);
  EXPECT_EQ(Joined(none, CollectPoints(SourcesOfSizes({3}), 10)).x.rows(), 3);
  EXPECT_EQ(PartsOf(CollectPoints(SourcesOfSizes({3}), 0), Vector(0)), Vector::Zero(1));
}

}  // namespace
}  // namespace slipstream
