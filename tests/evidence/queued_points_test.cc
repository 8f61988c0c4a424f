#include "tests/evidence/queued_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "tests/evidence/problems.h"
#include "tests/evidence/study.h"

namespace slipstream::evidence {
namespace {

Problem BesideSources(const char* name) {
  Beginning beginning;
  beginning.seed = 4;
  beginning.initial_points = false;
  beginning.source_tasks = true;
  return MakeProblem(name, beginning).value();
}

const SourcePoint& BestOf(const SourceTaskData& source) {
  return *std::min_element(source.points.begin(), source.points.end(),
                           [](const auto& a, const auto& b) { return *a.value < *b.value; });
}

TEST(QueuedPoints, AreEachSourcesBestInTheirOrder) {
  const Problem problem = BesideSources("branin_family");
  const std::vector<Point> queued = QueuedPoints(problem, 3);
  ASSERT_EQ(queued.size(), 3U);
  for (size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(problem.sources[k]->goal, Goal::kMinimize);
    EXPECT_EQ(queued[k].configuration, BestOf(*problem.sources[k]).configuration) << k;
  }
}

TEST(QueuedPoints, OfOneSourceAreItsBestFromTheBestOn) {
  Problem problem = BesideSources("branin_family");
  problem.sources.resize(1);
  const SourceTaskData& source = *problem.sources.front();
  const std::vector<Point> queued = QueuedPoints(problem, 3);
  ASSERT_EQ(queued.size(), 3U);
  std::vector<double> values;
  for (const SourcePoint& point : source.points) values.push_back(*point.value);
  std::sort(values.begin(), values.end());
  for (size_t i = 0; i < 3; ++i) {
    const auto there = std::find_if(source.points.begin(), source.points.end(), [&](const auto& p) {
      return p.configuration == queued[i].configuration;
    });
    ASSERT_NE(there, source.points.end());
    EXPECT_EQ(*there->value, values[i]);
  }
}

TEST(QueuedPoints, AreNoMoreThanTheSourcesHaveAndNeverTheSameTwice) {
  Problem problem = BesideSources("branin_family");
  problem.sources = {problem.sources[0], problem.sources[0]};
  EXPECT_EQ(QueuedPoints(problem, 1000).size(), problem.sources[0]->points.size());
  problem.sources.clear();
  EXPECT_TRUE(QueuedPoints(problem, 3).empty());
}

TEST(QueuedPoints, ComeFirstAndThenAStudyWithoutSources) {
  const Problem problem = BesideSources("branin_family");
  const auto strategy = MakeStrategy(*FindPreset("auto"));
  StudyOptions options{.seed = 5, .suggestions = 6};
  options.queued = 3;
  const auto evaluations = RunStudy(*strategy, problem, options);
  ASSERT_TRUE(evaluations.ok()) << evaluations.status();
  ASSERT_EQ(evaluations->size(), 6U);
  const std::vector<Point> queued = QueuedPoints(problem, 3);
  for (size_t i = 0; i < 6; ++i) {
    const Evaluation& evaluation = (*evaluations)[i];
    EXPECT_EQ(evaluation.suggestion, static_cast<int>(i) + 1);
    EXPECT_TRUE(evaluation.provenance.sources.empty());
    if (i < 3) {
      EXPECT_EQ(evaluation.point.configuration, queued[i].configuration);
    }
  }
}

}  // namespace
}  // namespace slipstream::evidence
