#include "core/prior/blocks/source_screen.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

constexpr Index kScreenedPoints = 15;
const std::vector<size_t> kOddOnes = {3,
                                      8};  // Places of the sources that are the others' opposite.

double OppositeWave(const Vector& x) { return -Wave(x); }

SourceModels SourcesWithOddOnes() {
  SourceModels sources;
  for (size_t k = 0; k < 10; ++k) {
    const bool is_odd = std::find(kOddOnes.begin(), kOddOnes.end(), k) != kOddOnes.end();
    sources.push_back(
        SourceOf("s" + std::to_string(k), is_odd ? OppositeWave : Wave, 2, kScreenedPoints, k));
  }
  return sources;
}

PointMatrix PlacesOfScreen() { return Sampled(Wave, 2, 30, 99).x; }

SourceScreen ScreenedWith(const SourceModels& sources, const TrainingData& target,
                          Index most_points) {
  return ScreenSources(sources, target, Strangeness(sources, PlacesOfScreen()), {most_points, 2});
}

TrainingData WithoutResults() { return {PointMatrix(0, 2), Vector(), Vector()}; }

// The rate of the header's equation, pair by pair.
double NaiveRate(const SourceModel& source, const SourceModels& all, const TrainingData& target,
                 const PointMatrix& places) {
  const auto part = [](const Vector& a, const Vector& b) {
    double wrong = 0;
    for (Index j = 0; j < a.size(); ++j) {
      for (Index k = 0; k < a.size(); ++k) wrong += (a[j] < a[k]) != (b[j] < b[k]) ? 1 : 0;
    }
    return wrong;
  };
  Vector common = Vector::Zero(places.rows());
  for (const auto& one : all) common += one->process->Predict(places).mean;
  const auto count = static_cast<double>(places.rows());
  const double strangeness =
      part(source.process->Predict(places).mean, common) / (count * (count - 1));
  const auto results = static_cast<double>(target.y.size());
  return (part(source.process->Predict(target.x).mean, target.y) + 20 * strangeness) /
         (results * (results - 1) + 20);
}

TEST(SourceScreen, KeepsAllWhileThereIsRoom) {
  const SourceModels sources = SourcesWithOddOnes();
  const SourceScreen screen = ScreenedWith(sources, WithoutResults(), 10 * kScreenedPoints);
  EXPECT_FALSE(screen.leaves_any_out());
  EXPECT_EQ(screen.kept.size(), 10U);
  EXPECT_EQ(screen.points, 10 * kScreenedPoints);
}

TEST(SourceScreen, KeepsTheMostTypicalBeforeThereAreResults) {
  const SourceScreen screen =
      ScreenedWith(SourcesWithOddOnes(), WithoutResults(), 8 * kScreenedPoints);
  EXPECT_EQ(screen.kept, (std::vector<size_t>{0, 1, 2, 4, 5, 6, 7, 9}));
  EXPECT_EQ(screen.Text(),
            "the 8 of 10 sources that are most typical of all, with 120 of 150 points; the others "
            "are left out to bound the time of a suggestion");
}

TEST(SourceScreen, IsByTheResultsAloneInASpaceOfOnePlace) {
  const SourceModels sources = SourcesWithOddOnes();
  const Vector strangeness = Strangeness(sources, PlacesOfScreen().topRows(1));
  EXPECT_EQ(strangeness, Vector::Zero(10));
  const TrainingData results = Sampled(OppositeWave, 2, 20, 50);
  EXPECT_EQ(ScreenSources(sources, results, strangeness, {2 * kScreenedPoints, 2}).kept, kOddOnes);
}

TEST(SourceScreen, KeepsThoseThatOrderTheResultsBest) {
  const SourceScreen screen =
      ScreenedWith(SourcesWithOddOnes(), Sampled(OppositeWave, 2, 20, 50), 2 * kScreenedPoints);
  EXPECT_EQ(screen.kept, kOddOnes);
  EXPECT_EQ(screen.Text(),
            "the 2 of 10 sources that order the 20 results best, with 30 of 150 points; the others "
            "are left out to bound the time of a suggestion");
}

TEST(SourceScreen, TakesTheLowestRates) {
  const SourceModels sources = SourcesWithOddOnes();
  const TrainingData target = Sampled(Bowl, 2, 6, 51);
  const SourceScreen screen = ScreenedWith(sources, target, 4 * kScreenedPoints);
  std::vector<double> kept;
  std::vector<double> left_out;
  for (size_t k = 0; k < sources.size(); ++k) {
    const bool is_kept = std::count(screen.kept.begin(), screen.kept.end(), k) == 1;
    (is_kept ? kept : left_out)
        .push_back(NaiveRate(*sources[k], sources, target, PlacesOfScreen()));
  }
  ASSERT_EQ(kept.size(), 4U);
  EXPECT_LE(*std::max_element(kept.begin(), kept.end()),
            *std::min_element(left_out.begin(), left_out.end()));
}

TEST(SourceScreen, KeepsAsManyAsThereAreToBeWhateverTheirSize) {
  const SourceScreen screen = ScreenedWith(SourcesWithOddOnes(), WithoutResults(), 1);
  EXPECT_EQ(screen.kept.size(), 2U);
}

}  // namespace
}  // namespace slipstream
