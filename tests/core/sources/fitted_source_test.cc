#include "core/sources/fitted_source.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

Configuration At(const SearchSpace& space, double x, double y) {
  return space.Decode({x, y});
}

std::shared_ptr<const FittedSource> MustFit(const SourceTaskData& source,
                                            const SearchSpace& space) {
  auto fitted = FitSource(source, space, SourceFitOptions(), Deadline::Infinite());
  EXPECT_TRUE(fitted.ok()) << fitted.status();
  return *fitted;
}

TEST(FitSource, CountsWhatBecameOfEachPoint) {
  // The study's square is the lower left quarter of the source's.
  const auto target = MakeSpace({{"x", DoubleDomain{0, 0.5, Scale::kLinear}, {}, {}},
                                 {"y", DoubleDomain{0, 0.5, Scale::kLinear}, {}, {}}});
  SourceTaskData source;
  source.name = "sourceTasks/a";
  source.space = SquareSpace();
  const auto add = [&](double x, double y, Ending ending, std::optional<double> value) {
    source.points.push_back({At(*source.space, x, y), ending, value});
  };
  add(0.1, 0.1, Ending::kMeasured, 1.0);
  add(0.1, 0.1, Ending::kMeasured, 3.0);  // Again.
  add(0.4, 0.2, Ending::kMeasured, 5.0);
  add(0.3, 0.3, Ending::kInfeasible, std::nullopt);
  add(0.2, 0.4, Ending::kFailed, std::nullopt);
  add(0.2, 0.3, Ending::kStopped, 4.0);
  add(0.9, 0.1, Ending::kMeasured, 7.0);  // Outside.
  add(0.2, 0.2, Ending::kMeasured, std::numeric_limits<double>::infinity());
  const auto fitted = MustFit(source, *target);
  EXPECT_EQ(fitted->counts.points, 8U);
  EXPECT_EQ(fitted->counts.used, 3U);
  EXPECT_EQ(fitted->counts.no_result, 3U);
  EXPECT_EQ(fitted->counts.infeasible, 1U);
  EXPECT_EQ(fitted->counts.outside, 1U);
  ASSERT_EQ(fitted->counts.outside_by.size(), 1U);
  EXPECT_EQ(fitted->counts.outside_by.at(0).count, 1U);
  EXPECT_EQ(fitted->counts.outside_by.at(0).least, fitted->counts.outside_by.at(0).most);
  EXPECT_EQ(fitted->counts.thinned, 0U);
  const TrainingData& data = fitted->model->data;
  ASSERT_EQ(data.y.size(), 3);
  EXPECT_EQ(data.repeats, (Vector{{2.0, 1.0, 1.0}}));
  EXPECT_NEAR(data.x(0, 0), 0.2, 1e-12);  // 0.1 of 0 to 0.5.
  EXPECT_LT(data.y[0], data.y[1]);
  EXPECT_EQ(data.y[2], data.y[0]);  // Infeasible: as bad as the worst.
}

TEST(FitSource, WhatIsInfeasibleIsWorseThanEqualResults) {
  for (const Goal goal : {Goal::kMaximize, Goal::kMinimize}) {
    for (const size_t measured : {1, 4}) {
      SourceTaskData source = *BowlSource("sourceTasks/a", 0.5, 0.5, 8, 1, goal);
      for (size_t i = 0; i < source.points.size(); ++i) {
        source.points[i].value = 3;
        if (i < measured) continue;
        source.points[i].ending = Ending::kInfeasible;
        source.points[i].value.reset();
      }
      const Vector y = MustFit(source, *SquareSpace())->model->data.y;
      ASSERT_EQ(y.size(), 8);
      const auto count = static_cast<Index>(measured);
      EXPECT_EQ(y.head(count), Vector::Zero(count));
      EXPECT_EQ(y.tail(8 - count), Vector::Constant(8 - count, -1));
    }
  }
}

TEST(FitSource, GoodInTheSourceIsGoodInTheStudyWhateverItsGoal) {
  const auto more = MustFit(*BowlSource("sourceTasks/a", 0.5, 0.5, 30, 1), *SquareSpace());
  const auto less =
      MustFit(*BowlSource("sourceTasks/b", 0.5, 0.5, 30, 1, Goal::kMinimize), *SquareSpace());
  EXPECT_LT((more->model->data.y - less->model->data.y).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(FitSource, TakesTheDefaultWhereTheSourceLacksAParameter) {
  const auto target =
      MakeSpace({{"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
                 {"momentum", DoubleDomain{0, 1, Scale::kLinear}, NamedValue(0.9), {}}});
  const auto fitted = MustFit(*BowlSource("sourceTasks/a", 0.5, 0.5, 12, 1), *target);
  ASSERT_EQ(fitted->model->data.x.cols(), 2);
  EXPECT_LT((fitted->model->data.x.col(1).array() - 0.9).abs().maxCoeff(), 1e-12);
}

TEST(FitSource, FailuresThatTheirPlacesTellAreLearntAsTheWorst) {
  const auto fitted = [](const std::function<bool(const Configuration&, size_t)>& fails) {
    SourceTaskData source = *BowlSource("sourceTasks/a", 0.5, 0.5, 60, 1);
    for (size_t i = 0; i < source.points.size(); ++i) {
      if (!fails(source.points[i].configuration, i)) continue;
      source.points[i].ending = Ending::kFailed;
      source.points[i].value.reset();
    }
    return *FitSource(source, *SquareSpace(), {}, Deadline::Infinite());
  };
  const auto large = [](const Configuration& at, size_t) { return at.values[0].number() > 0.6; };
  const auto placed = fitted(large);
  EXPECT_EQ(placed->counts.no_result, 0U);
  EXPECT_GT(placed->counts.infeasible, 10U);
  PointMatrix at(2, 2);
  at << 0.5, 0.5, 0.8, 0.5;
  const Vector means = placed->model->process->PredictMean(at);
  EXPECT_GT(means[0], means[1] + 1);

  const auto chance = fitted([](const Configuration&, size_t i) { return i % 4 == 0; });
  EXPECT_EQ(chance->counts.no_result, 15U);
  EXPECT_EQ(chance->counts.infeasible, 0U);
}

// Of 16 configurations that are tried several times, some fail each time by chance alone.
TEST(FitSource, FailuresWhereOtherTrialsHaveResultsSpeakForChance) {
  std::vector<Parameter> switches;
  for (const char* name : {"a", "b", "c", "d"}) switches.push_back({name, BooleanDomain{}, {}, {}});
  const auto space = MakeSpace(switches);
  const auto told = [&space](const std::function<bool(const Configuration&, double)>& fails) {
    int count = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
      SourceTaskData source;
      source.name = "sourceTasks/a";
      source.space = space;
      for (uint64_t i = 0; i < 40; ++i) {
        const auto uniform = [&](uint64_t lane) { return CounterRandomUniform(seed, i, lane); };
        const std::vector<double> place = {uniform(0), uniform(1), uniform(2), uniform(3)};
        SourcePoint point{space->Sample(place), Ending::kMeasured, uniform(4)};
        if (fails(point.configuration, uniform(5))) point.ending = Ending::kFailed;
        if (point.ending == Ending::kFailed) point.value.reset();
        source.points.push_back(std::move(point));
      }
      const auto fitted = *FitSource(source, *space, {}, Deadline::Infinite());
      count += fitted->counts.infeasible > 0 ? 1 : 0;
    }
    return count;
  };
  EXPECT_LE(told([](const Configuration&, double uniform) { return uniform < 0.4; }), 2);
  EXPECT_EQ(told([](const Configuration& at, double) { return at.values[0].boolean(); }), 40);
}

TEST(FitSource, WithoutAUsablePointThereIsNoModel) {
  SourceTaskData source;
  source.name = "sourceTasks/a";
  source.space = SquareSpace();
  source.points.push_back({At(*source.space, 0.5, 0.5), Ending::kFailed, std::nullopt});
  EXPECT_EQ(MustFit(source, *SquareSpace())->model, nullptr);
  source.points.back().ending = Ending::kInfeasible;
  EXPECT_EQ(MustFit(source, *SquareSpace())->model, nullptr);
}

TEST(FitSource, OfVeryManyPointsKeepsTheBestHalfOfWhatAModelTakes) {
  SourceFitOptions options;
  options.most_points = 40;
  const auto source = BowlSource("sourceTasks/a", 0.5, 0.5, 300, 1);
  const auto fitted = FitSource(*source, *SquareSpace(), options, Deadline::Infinite()).value();
  EXPECT_EQ(fitted->counts.used, 40U);
  EXPECT_EQ(fitted->counts.thinned, 260U);
}

// The spread of the bowl's results in a source whose every fifth point has got `penalty` instead.
double SpreadBesidePenalties(double penalty, const SourceFitOptions& options, size_t* limited) {
  SourceTaskData source = *BowlSource("sourceTasks/a", 0.5, 0.5, 30, 1, Goal::kMinimize);
  for (size_t i = 0; i < source.points.size(); i += 5) source.points[i].value = penalty;
  const auto fitted = FitSource(source, *SquareSpace(), options, Deadline::Infinite()).value();
  *limited = fitted->counts.limited;
  std::vector<double> others;
  for (Index i = 0; i < fitted->model->data.y.size(); ++i) {
    if (i % 5 != 0) others.push_back(fitted->model->data.y[i]);
  }
  const auto [least, most] = std::minmax_element(others.begin(), others.end());
  return *most - *least;
}

TEST(FitSource, PenaltiesDoNotDecideTheScaleOfTheOtherResults) {
  size_t limited = 0;
  const double beside_small = SpreadBesidePenalties(100, {}, &limited);
  EXPECT_EQ(limited, 6U);
  EXPECT_GT(beside_small, 1);
  for (double penalty : {1e4, 1e9, 1e300}) {
    EXPECT_EQ(SpreadBesidePenalties(penalty, {}, &limited), beside_small);
    EXPECT_EQ(limited, 6U);
  }
}

// Two thirds of its points are next to its optimum, where results differ by next to nothing.
TEST(FitSource, WhatIsElsewhereInAHistoryThatConvergedIsNotFarOff) {
  SourceTaskData source = *BowlSource("sourceTasks/a", 0.5, 0.5, 30, 1, Goal::kMinimize);
  for (size_t i = 10; i < source.points.size(); ++i) {
    const double near = 1e-4 * static_cast<double>(i);
    source.points[i].configuration = At(*source.space, 0.5 + near, 0.5);
    source.points[i].value = near * near;
  }
  EXPECT_EQ(MustFit(source, *SquareSpace())->counts.limited, 0U);
  source.points[3].value = 1e6;
  EXPECT_EQ(MustFit(source, *SquareSpace())->counts.limited, 1U);
}

TEST(FitSource, LimitsNothingWhereAMethodDoesNot) {
  SourceFitOptions options;
  options.reach = 0;
  size_t limited = 0;
  EXPECT_LT(SpreadBesidePenalties(1e9, options, &limited), 0.1);
  EXPECT_EQ(limited, 0U);
  options.reach = 10;
  options.scale = OutputTransform::Identity(1);
  EXPECT_LT(SpreadBesidePenalties(1e9, options, &limited), 0.5) << "as measured";
  EXPECT_EQ(limited, 0U) << "a scale that tasks share is what it is";
}

TEST(SourceLibrary, KeepsWhatWasAskedForLastWithinItsBytes) {
  const auto a = BowlSource("sourceTasks/a", 0.5, 0.5, 20, 1);
  const auto b = BowlSource("sourceTasks/b", 0.5, 0.5, 20, 2);
  const size_t bytes = MustFit(*a, *SquareSpace())->bytes();
  SourceLibrary library(bytes * 3 / 2);
  const auto first = library.Get(a, *SquareSpace(), {}).value();
  EXPECT_EQ(library.Get(a, *SquareSpace(), {}).value(), first);
  ASSERT_TRUE(library.Get(b, *SquareSpace(), {}).ok());
  EXPECT_EQ(library.Find(SourceLibrary::KeyOf(*a, *SquareSpace(), {})), nullptr);
  EXPECT_NE(library.Find(SourceLibrary::KeyOf(*b, *SquareSpace(), {})), nullptr);
  EXPECT_LE(library.bytes(), bytes * 3 / 2);
}

// The answers of what is in use are worth more than a model that nobody asks for.
TEST(SourceLibrary, DropsWhatNobodyUsesBeforeTheAnswersOfWhatIsUsed) {
  const auto old = BowlSource("sourceTasks/old", 0.5, 0.5, 60, 1);
  const auto used = BowlSource("sourceTasks/used", 0.5, 0.5, 60, 2);
  const size_t model = MustFit(*old, *SquareSpace())->bytes();
  SourceLibrary library(model * 9 / 4);
  ASSERT_TRUE(library.Get(old, *SquareSpace(), {}).ok());
  const auto fitted = library.Get(used, *SquareSpace(), {}).value();
  const std::string key = SourceLibrary::KeyOf(*used, *SquareSpace(), {});
  const CachedPoints points(PointMatrix::Random(static_cast<Index>(model / 100), 2));
  const size_t without = fitted->bytes();
  const auto answer = [&] {
    fitted->model->cache->Means(points);
    EXPECT_GT(fitted->bytes(), without + model / 4) << "so much that it is too much for all";
    library.Find(key);
    EXPECT_LE(library.bytes(), model * 9 / 4);
  };
  answer();
  EXPECT_LT(fitted->bytes(), without + model / 4) << "the other one may still be used";
  for (int i = 0; i < 20; ++i) library.Find(key);
  answer();
  EXPECT_GT(fitted->bytes(), without + model / 4);
  EXPECT_EQ(library.Find(SourceLibrary::KeyOf(*old, *SquareSpace(), {})), nullptr);
}

TEST(SourceLibrary, TellsSpacesAndOptionsApart) {
  const auto source = BowlSource("sourceTasks/a", 0.5, 0.5, 20, 1);
  const auto other = MakeSpace({{"x", DoubleDomain{0, 1, Scale::kLinear}, {}, {}},
                                {"y", DoubleDomain{0.1, 1, Scale::kLog}, {}, {}}});
  SourceFitOptions options;
  options.kernel = SourceKernel::kMatern32TimesMatern12;
  SourceFitOptions unlimited;
  unlimited.reach = 0;
  const std::string key = SourceLibrary::KeyOf(*source, *SquareSpace(), {});
  EXPECT_NE(key, SourceLibrary::KeyOf(*source, *other, {}));
  EXPECT_NE(key, SourceLibrary::KeyOf(*source, *SquareSpace(), options));
  EXPECT_NE(key, SourceLibrary::KeyOf(*source, *SquareSpace(), unlimited));
  EXPECT_EQ(key, SourceLibrary::KeyOf(*source, *SquareSpace(), {}));
}

}  // namespace
}  // namespace slipstream
