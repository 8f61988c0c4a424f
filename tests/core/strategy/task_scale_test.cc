// The scale on which tasks meet, and constants that are given instead of learnt.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "core/gp/normal.h"
#include "core/recipe/presets.h"
#include "core/strategy/make_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/fitted_model.h"
#include "tests/core/strategy/study_fixtures.h"
#include "tests/testing/sanitized.h"

namespace slipstream {
namespace {

using Function = double (*)(double x, double y);

double Hill(double x, double y) {
  return 7 + 3 * std::exp(-8 * ((x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6))) + std::sin(9 * x);
}

double PointAt(uint64_t seed, int place, uint64_t coordinate) {
  return CounterRandomUniform(seed, static_cast<uint64_t>(place), coordinate);
}

// `count` random points of the function, or of its opposite, which is to be minimised.
std::shared_ptr<const SourceTaskData> SourceOf(const std::string& name, Function function,
                                               int count, uint64_t seed,
                                               Goal goal = Goal::kMaximize) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = "sourceTasks/" + name;
  source->space = SquareSpace();
  source->goal = goal;
  for (int i = 0; i < count; ++i) {
    const double x = PointAt(seed, i, 0);
    const double y = PointAt(seed, i, 1);
    const double value = function(x, y);
    source->points.push_back({{{Value::Double(x), Value::Double(y)}},
                              Ending::kMeasured,
                              goal == Goal::kMinimize ? -value : value});
  }
  return source;
}

void Measure(FakeStudy& study, const Configuration& at, Function function) {
  study.Queue(at);
  const double value = function(at.values[0].number(), at.values[1].number());
  study.EndAt(study.open.size() - 1, Ending::kMeasured,
              study.goal == Goal::kMinimize ? -value : value);
}

// A study with results at the best `count` points of its source.
FakeStudy StudyAtTheSourcesBest(const std::shared_ptr<const SourceTaskData>& source,
                                Function function, int count, Goal goal = Goal::kMaximize) {
  FakeStudy study(SquareSpace(), {source}, goal);
  std::vector<SourcePoint> points = source->points;
  const double sign = source->goal == Goal::kMinimize ? -1 : 1;
  std::stable_sort(points.begin(), points.end(), [sign](const auto& a, const auto& b) {
    return sign * *a.value > sign * *b.value;
  });
  for (int i = 0; i < count; ++i)
    Measure(study, points[static_cast<size_t>(i)].configuration, function);
  return study;
}

// The largest |y - mu_g| at the results.
double LargestResidual(const Recipe& recipe, const FakeStudy& study) {
  const FittedModel fitted(recipe, study);
  const TrainingData& data = fitted.model().training().data;
  return (data.y - fitted.source().process->Predict(data.x).mean).cwiseAbs().maxCoeff();
}

// A source that interpolates what it has seen.
RecipeChange Interpolating(std::map<std::string, double> more = {}) {
  RecipeChange change;
  change.options = {{"source_kernel", 4}, {"source_noise_deviation", 1e-6}};
  change.options.merge(more);
  return change;
}

TEST(TaskScale, TasksThatAreEqualHaveNoDifferenceWhereverTheResultsStand) {
  for (const std::string preset : {"deltabo", "envelope_ei", "env_gp", "diff_gp"}) {
    for (const Goal goal : {Goal::kMaximize, Goal::kMinimize}) {
      const FakeStudy study =
          StudyAtTheSourcesBest(SourceOf("a", Hill, 30, 3, goal), Hill, 6, goal);
      EXPECT_LT(LargestResidual(RecipeOf(preset, Interpolating()), study), 1e-9) << preset;
    }
    const FakeStudy study = StudyAtTheSourcesBest(SourceOf("b", Hill, 30, 3), Hill, 6);
    EXPECT_LT(LargestResidual(RecipeOf(preset, Interpolating({{"task_scale", 2}})), study), 1e-8);
    EXPECT_GT(LargestResidual(RecipeOf(preset, Interpolating({{"task_scale", 0}})), study), 0.5)
        << "each task alone loses that these were the good ones";
  }
}

TEST(TaskScale, IsTheOneThatAMethodNeedsUnlessTold) {
  for (const Preset& preset : Presets()) {
    if (!preset.recipe.prior->uses_sources()) continue;
    const std::string prior(preset.recipe.prior.name());
    const bool is_shared =
        prior == "delta" || prior == "envelope" || prior == "env_gp" || prior == "diff_gp";
    EXPECT_EQ(TaskScaleOf(preset.recipe), is_shared ? TaskScale::kShared : TaskScale::kOwn)
        << preset.name;
  }
  const Recipe told = RecipeOf("deltabo", {.options = {{"task_scale", 0}}});
  EXPECT_EQ(TaskScaleOf(told), TaskScale::kOwn);
}

TEST(TaskScale, StandsInTheProvenanceUnlessItIsTheStudysOwn) {
  const FakeStudy study = StudyAtTheSourcesBest(SourceOf("a", Hill, 30, 3), Hill, 6);
  EXPECT_EQ(TextFact(MustSuggest("env_gp", study.view(), 1, 5)[0], "task_scale"), "shared");
  EXPECT_FALSE(HasFact(MustSuggest("rgpe", study.view(), 1, 5)[0], "task_scale"));
}

Vector ValuesOf(const SourceTaskData& source) {
  Vector values(static_cast<Index>(source.points.size()));
  for (Index i = 0; i < values.size(); ++i) {
    values[i] = *source.points[static_cast<size_t>(i)].value;
  }
  return values;
}

// Sources of another scale than the study's say what is better before its first result, but not
// how good it will be.
TEST(TaskScale, BeforeTheFirstResultPredictionsAreInTheStudysUnitsOrAbsent) {
  const auto source = SourceOf("a", Hill, 30, 3);
  const Vector values = ValuesOf(*source);  // Between 6 and 11.
  for (const Goal goal : {Goal::kMaximize, Goal::kMinimize}) {
    const FakeStudy study(SquareSpace(), {SourceOf("a", Hill, 30, 3, goal)}, goal);
    const double sign = goal == Goal::kMinimize ? -1 : 1;
    const Suggestion shared = MustSuggest("deltabo", study.view(), 1, 5)[0];
    const double mean = sign * NumberFact(shared, "predicted_mean");
    EXPECT_GT(mean, values.minCoeff());
    EXPECT_LT(mean, values.maxCoeff() + 2);
    EXPECT_LT(NumberFact(shared, "predicted_deviation"), values.maxCoeff() - values.minCoeff());
    for (const char* preset : {"auto", "scaml"}) {
      const Suggestion own = MustSuggest(preset, study.view(), 1, 5)[0];
      EXPECT_EQ(own.provenance.rung, Rung::kRecipe) << own.provenance.rung_reason;
      EXPECT_TRUE(HasFact(own, "acquisition_value")) << preset;
      EXPECT_FALSE(HasFact(own, "predicted_mean")) << preset;
      EXPECT_FALSE(HasFact(own, "predicted_deviation")) << preset;
    }
  }
  const FakeStudy begun = StudyAtTheSourcesBest(source, Hill, 4);
  EXPECT_TRUE(HasFact(MustSuggest("scaml", begun.view(), 1, 5)[0], "predicted_mean"));
}

// (y - mean) / deviation of the values themselves.
Vector Standardized(const Vector& values) {
  const Vector centred = values.array() - values.mean();
  return centred / std::sqrt(centred.squaredNorm() / static_cast<double>(values.size() - 1));
}

TEST(TaskScale, EfficientTakesDeviationsOfResultsAsTheyAre) {
  const auto source = SourceOf("a", Hill, 20, 3);
  const FakeStudy study = StudyAtTheSourcesBest(source, Hill, 6);
  const FittedModel fitted(RecipeOf("efficient"), study);
  EXPECT_LT((fitted.source().data.y - Standardized(ValuesOf(*source))).cwiseAbs().maxCoeff(),
            1e-12);
  Vector results(6);
  for (Index i = 0; i < 6; ++i) results[i] = *study.ended[static_cast<size_t>(i)].value;
  EXPECT_LT((fitted.model().results() - Standardized(results)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(TaskScale, ResultsAreAsMeasuredWithoutAPriorWhereThatIsTold) {
  const RecipeChange change = {
      .options = {{"task_scale", 2}, {"amplitude", 2}, {"mean", 0}, {"noise_deviation", 0.1}}};
  for (const Goal goal : {Goal::kMaximize, Goal::kMinimize}) {
    const FakeStudy study = StudyAtTheSourcesBest(SourceOf("a", Hill, 20, 3, goal), Hill, 6, goal);
    const FittedModel fitted(RecipeOf("gp_ucb", change), study);
    Vector results(6);
    for (Index i = 0; i < 6; ++i) results[i] = *study.ended[static_cast<size_t>(i)].value;
    if (goal == Goal::kMinimize) results = -results;
    EXPECT_LT((fitted.model().results() - results).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(std::exp(fitted.model().hyperparameters().front().log_noise_variance), 0.01, 1e-15);
  }
  FakeStudy study = StudyAtTheSourcesBest(SourceOf("a", Hill, 20, 3), Hill, 6);
  study.sources.clear();
  const auto told = *MakeStrategy(*FindPreset("gp_ucb"), change);
  const Suggestion next = told->Suggest(study.view(), 1, 5, Deadline::Infinite())->front();
  EXPECT_EQ(TextFact(next, "task_scale"), "as measured");
  EXPECT_FALSE(HasFact(MustSuggest("gp_ucb", study.view(), 1, 5)[0], "task_scale"));
}

TEST(TaskScale, TheWarpOfResultsReachesTheSources) {
  const auto source = SourceOf("a", Hill, 20, 3);
  const FakeStudy study = StudyAtTheSourcesBest(source, Hill, 6);
  const FittedModel ranks(RecipeOf("scaml", {.options = {{"output_warp", 2}}}), study);
  std::vector<double> sorted(ranks.source().data.y.begin(), ranks.source().data.y.end());
  std::sort(sorted.begin(), sorted.end());
  Vector scores(20);
  for (Index i = 0; i < 20; ++i)
    scores[i] = StandardNormalQuantile((static_cast<double>(i) + 0.5) / 20);
  scores = Standardized(scores);
  for (Index i = 0; i < 20; ++i) EXPECT_NEAR(sorted[static_cast<size_t>(i)], scores[i], 1e-9);
}

// DeltaBO's constants of its appendix, for the Bohachevsky pair on [-2, 2]^2: lengthscales 1.6 and
// 1.0 of an edge of 4, sigma_0^2 = 0.24, sigma^2 = 0.06, tau = 0.3.
RecipeChange BohachevskyConstants() {
  return {.options = {{"task_scale", 2},
                      {"source_kernel", 2},
                      {"source_lengthscale", 0.4},
                      {"source_amplitude", 1},
                      {"source_noise_deviation", std::sqrt(0.24)},
                      {"lengthscale", 0.25},
                      {"difference_amplitude", 0.3},
                      {"difference_smoothness", 2},
                      {"noise_deviation", std::sqrt(0.06)}}};
}

TEST(TaskScale, ConstantsThatAreGivenAreNotLearnt) {
  const FakeStudy study = StudyAtTheSourcesBest(SourceOf("a", Hill, 30, 3), Hill, 6);
  const FittedModel fitted(RecipeOf("deltabo", BohachevskyConstants()), study);
  const Hyperparameters& own = fitted.model().hyperparameters().front();
  ASSERT_EQ(own.kernel.size(), 3);
  EXPECT_DOUBLE_EQ(std::exp(own.kernel[0]), 0.3);
  EXPECT_DOUBLE_EQ(std::exp(own.kernel[1]), 0.25);
  EXPECT_DOUBLE_EQ(std::exp(own.kernel[2]), 0.25);
  EXPECT_NEAR(std::exp(own.log_noise_variance), 0.06, 1e-15);
  EXPECT_EQ(own.mean, 0);
  const Hyperparameters& of_source = fitted.source().hyperparameters;
  EXPECT_DOUBLE_EQ(std::exp(of_source.kernel[0]), 1);
  EXPECT_DOUBLE_EQ(std::exp(of_source.kernel[2]), 0.4);
  EXPECT_NEAR(std::exp(of_source.log_noise_variance), 0.24, 1e-15);
  EXPECT_EQ(of_source.mean, 0);
  EXPECT_EQ(fitted.source().data.y, ValuesOf(*study.sources[0])) << "as measured";
}

// Equations 5 to 7 with dense matrices, before the first result: mu_g + sqrt(beta) sqrt(var_g +
// tau^2).
TEST(TaskScale, DeltaBoSuggestsFirstWhatTheSourceTellsIt) {
  const auto source = SourceOf("a", Hill, 30, 3);
  FakeStudy study(SquareSpace(), {source});
  const auto strategy = *MakeStrategy(*FindPreset("deltabo"), BohachevskyConstants());
  const Suggestion next = strategy->Suggest(study.view(), 1, 5, Deadline::Infinite())->front();
  EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
  const FittedModel fitted(RecipeOf("deltabo", BohachevskyConstants()), study);
  const auto bound_at = [&](double x, double y) {
    PointMatrix at(1, 2);
    at << x, y;
    const Predictions there = fitted.source().process->Predict(at);
    return there.mean[0] + std::sqrt(0.2 * (there.variance[0] + 0.09));
  };
  const std::vector<Value>& values = next.configuration.values;
  const double chosen = bound_at(values[0].number(), values[1].number());
  EXPECT_NEAR(NumberFact(next, "acquisition_value"), chosen, 1e-9);
  for (int i = 0; i < 500; ++i) {
    EXPECT_LE(bound_at(PointAt(8, i, 0), PointAt(8, i, 1)), chosen + 1e-6);
  }
}

TEST(TaskScale, DeltaBosTauIsLearntUnlessGiven) {
  const auto far = [](double x, double y) { return Hill(x, y) + 4 * std::cos(5 * y); };
  const FakeStudy equal = StudyAtTheSourcesBest(SourceOf("a", Hill, 40, 3), Hill, 8);
  const FakeStudy other = StudyAtTheSourcesBest(SourceOf("b", Hill, 40, 3), far, 8);
  const double small =
      NumberFact(MustSuggest("deltabo", equal.view(), 1, 5)[0], "difference_amplitude");
  const double large =
      NumberFact(MustSuggest("deltabo", other.view(), 1, 5)[0], "difference_amplitude");
  EXPECT_LT(small, 0.3);
  EXPECT_GT(large, 1);
}

// N((centre, centre), I), the first experiment of Envelope-BO.
template <int tenths>
double NormalDensity(double x, double y) {
  const double u = 6 * x - 3 - tenths / 10.0;
  const double v = 6 * y - 3 - tenths / 10.0;
  return std::exp(-(u * u + v * v) / 2) / (2 * std::numbers::pi);
}

// The source's noise variance at each suggestion of the model in one study.
std::vector<double> NoiseVariances(Function target, uint64_t seed) {
  FakeStudy study(SquareSpace(), {SourceOf("s", NormalDensity<0>, 25, seed)});
  std::vector<double> variances;
  for (int i = 0; i < 25; ++i) {
    const Suggestion next = MustSuggest("envelope_ei", study.view(), 1, seed)[0];
    if (HasFact(next, "source_noise_variance")) {
      variances.push_back(NumberFact(next, "source_noise_variance"));
    }
    Measure(study, next.configuration, target);
  }
  return variances;
}

// Equation 11: EI counts from the largest mean in the space, here at a source's point that is far
// from all results.
TEST(TaskScale, EnvelopeCountsImprovementsFromTheLargestMeanInTheSpace) {
  FakeStudy study(SquareSpace(), {SourceOf("s", NormalDensity<0>, 25, 4)});
  for (const double at : {0.02, 0.1, 0.9, 0.97}) {
    Measure(study, {{Value::Double(at), Value::Double(1 - at)}}, NormalDensity<1>);
  }
  const FittedModel fitted(RecipeOf("envelope_ei"), study);
  double largest = -1e9;
  for (int i = 0; i < 4000; ++i) {
    PointMatrix at(1, 2);
    at << PointAt(8, i, 0), PointAt(8, i, 1);
    largest = std::max(largest, fitted.surrogate().Predict(at).mean[0]);
  }
  ASSERT_GT(largest, fitted.model().Incumbent(0) + 0.5);
  const auto strategy =
      *MakeStrategy(*FindPreset("envelope_ei"), {.options = {{"initial_points", 1}}});
  const Suggestion next = strategy->Suggest(study.view(), 1, 5, Deadline::Infinite())->front();
  PointMatrix at(1, 2);
  at << next.configuration.values[0].number(), next.configuration.values[1].number();
  const Predictions there = fitted.surrogate().Predict(at);
  const double deviation = std::sqrt(there.variance[0]);
  const auto improvement = [&](double incumbent) {
    const double u = (there.mean[0] - incumbent) / deviation;
    return deviation * (std::exp(-u * u / 2) / std::sqrt(2 * std::numbers::pi) +
                        u * std::erfc(-u / std::sqrt(2.0)) / 2);
  };
  const double value = NumberFact(next, "acquisition_value");
  EXPECT_LT(value, improvement(largest) * (1 + 1e-6)) << "the search finds what 4000 points find";
  EXPECT_GT(value, 0.9 * improvement(largest));
  EXPECT_LT(value, 0.8 * improvement(fitted.model().Incumbent(0)));
}

TEST(TaskScale, EnvelopesNoiseFallsOverARelatedSourceAndRisesOverAnotherOne) {
  constexpr int kStudies = kSanitized ? 1 : 10;
  int falls = 0;
  int rises = 0;
  for (uint64_t seed = 1; seed <= kStudies; ++seed) {
    const std::vector<double> related = NoiseVariances(NormalDensity<1>, seed);
    const std::vector<double> other = NoiseVariances(NormalDensity<15>, seed);
    ASSERT_GT(related.size(), 15U);
    if (related.back() < related.front() && related.back() < 0.5) ++falls;
    if (other.back() > other.front() && other.back() > 0.5) ++rises;
  }
  // In two of the ten studies none of the 25 random points tells the source's process of the top.
  EXPECT_GE(falls, 0.8 * kStudies) << "0.5 is the belief before the first result";
  EXPECT_GE(rises, 0.9 * kStudies);
}

}  // namespace
}  // namespace slipstream
