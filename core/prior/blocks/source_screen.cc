#include "core/prior/blocks/source_screen.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "core/prior/blocks/ranking.h"
#include "core/prior/blocks/source_points.h"

namespace slipstream {
namespace {

// A source's agreement with the others counts as much as so many ordered pairs of results.
constexpr double kPairsOfStrangeness = 20;

Index PointsOf(const SourceModels& sources) {
  Index points = 0;
  for (const auto& source : sources) points += source->data.y.size();
  return points;
}

// The numerators of the rates; the denominator is the same for all.
Vector ScreenLosses(const SourceModels& sources, const TrainingData& target,
                    const Vector& strangeness) {
  Vector losses = kPairsOfStrangeness * strangeness;
  if (target.y.size() < 2) return losses;
  const Matrix means = MeansOf(sources, target.x);
  for (Index k = 0; k < losses.size(); ++k) losses[k] += RankingLoss(means.col(k), target.y);
  return losses;
}

}  // namespace

bool NeedsScreen(const SourceModels& sources, const ScreenLimits& limits) {
  return sources.size() > limits.least_sources && PointsOf(sources) > limits.most_points;
}

Vector Strangeness(const SourceModels& sources, const PointMatrix& places) {
  const Matrix means = MeansOf(sources, places);
  const Vector common = means.rowwise().mean();
  const auto pairs =
      static_cast<double>(std::max<Index>(1, places.rows() * (places.rows() - 1)));
  Vector strangeness(means.cols());
  for (Index k = 0; k < means.cols(); ++k) {
    strangeness[k] = RankingLoss(means.col(k), common) / pairs;
  }
  return strangeness;
}

SourceScreen ScreenSources(const SourceModels& sources, const TrainingData& target,
                           const Vector& strangeness, const ScreenLimits& limits) {
  if (!NeedsScreen(sources, limits)) return WithoutScreen(sources);
  const Vector losses = ScreenLosses(sources, target, strangeness);
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return losses[static_cast<Index>(a)] < losses[static_cast<Index>(b)];
  });
  SourceScreen screen{{}, sources.size(), 0, PointsOf(sources), target.y.size()};
  for (size_t place : order) {
    const Index points = sources[place]->data.y.size();
    const bool is_full = screen.points + points > limits.most_points;
    if (is_full && screen.kept.size() >= limits.least_sources) break;
    screen.kept.push_back(place);
    screen.points += points;
  }
  std::sort(screen.kept.begin(), screen.kept.end());
  return screen;
}

SourceScreen WithoutScreen(const SourceModels& sources) {
  SourceScreen screen{std::vector<size_t>(sources.size()), sources.size(), PointsOf(sources),
                      PointsOf(sources), 0};
  std::iota(screen.kept.begin(), screen.kept.end(), size_t{0});
  return screen;
}

std::string SourceScreen::Text() const {
  const std::string chosen = results < 2 ? std::string("are most typical of all")
                                         : absl::StrCat("order the ", results, " results best");
  return absl::StrCat("the ", kept.size(), " of ", sources, " sources that ", chosen, ", with ",
                      points, " of ", all_points,
                      " points; the others are left out to bound the time of a suggestion");
}

}  // namespace slipstream
