#include "server/figures/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace slipstream {
namespace {

using ::testing::ElementsAre;

TEST(Histogram, AValueCountsBelowTheFirstBoundThatIsNotLess) {
  Histogram histogram({1, 2, 4});
  for (const double value : {0.5, 1.0, 1.5, 4.0, 4.1, 100.0}) histogram.Observe(value);
  const HistogramFigures figures = histogram.Figures();
  EXPECT_THAT(figures.bounds, ElementsAre(1, 2, 4));
  EXPECT_THAT(figures.counts, ElementsAre(2, 1, 1, 2));
  EXPECT_DOUBLE_EQ(figures.sum, 111.1);
  EXPECT_EQ(figures.count(), 6);
}

TEST(Histogram, NoValueOfSeveralThreadsIsLost) {
  constexpr int kThreads = 4;
  constexpr int kValues = 10000;
  Histogram histogram({1});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kValues; ++i) histogram.Observe(i % 2 == 0 ? 1 : 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const HistogramFigures figures = histogram.Figures();
  EXPECT_THAT(figures.counts, ElementsAre(kThreads * kValues / 2, kThreads * kValues / 2));
  EXPECT_EQ(figures.sum, kThreads * kValues * 1.5);
}

TEST(Histogram, BoundsOfDurationsAscend) {
  const std::vector<double> bounds = DurationBounds();
  EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
  EXPECT_EQ(std::adjacent_find(bounds.begin(), bounds.end()), bounds.end());
}

}  // namespace
}  // namespace slipstream
