// Strategies that learn from sources: what becomes of a source's points, which
// sources have a say, and what happens when they cannot.
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/recipe/presets.h"
#include "core/sources/fitted_source.h"
#include "core/sources/usable_sources.h"
#include "core/space/space_key.h"
#include "core/strategy/make_strategy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

// Presets that learn from sources, as the table has them.
std::vector<std::string> TransferPresets() {
  std::vector<std::string> names;
  for (const Preset& preset : Presets()) {
    if (preset.recipe.prior->uses_sources()) names.emplace_back(preset.name);
  }
  EXPECT_EQ(names.size(), 20U);
  return names;
}

Configuration At(const SearchSpace& space, double x, double y) {
  return space.Decode({{x, y}, {}});
}

std::shared_ptr<const FittedSource> MustFit(const SourceTaskData& source,
                                            const SearchSpace& space) {
  auto fitted = FitSource(source, space, SourceFitOptions(), absl::InfiniteFuture());
  EXPECT_TRUE(fitted.ok()) << fitted.status();
  return *fitted;
}

// A study on the square after `results` results of a bowl around (0.3, 0.6).
FakeStudy BowlStudy(std::vector<std::shared_ptr<const SourceTaskData>> sources, int results) {
  FakeStudy study(SquareSpace(), std::move(sources));
  for (int i = 0; i < results; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
    const Configuration& at = study.open.front().configuration;
    const double x = at.values[0].number() - 0.3;
    const double y = at.values[1].number() - 0.6;
    study.End(Ending::kMeasured, -(x * x + y * y));
  }
  return study;
}

FakeStudy StudyOfTwoSources(int results) {
  return BowlStudy(
      {BowlSource("sourceTasks/a", 0.3, 0.6, 20, 5), BowlSource("sourceTasks/b", 0.3, 0.6, 20, 6)},
      results);
}

class NeverReady : public SourceProvider {
 public:
  StudyView ViewOf(const FakeStudy& study) {
    StudyView view = study.view();
    view.fitted_sources = this;
    return view;
  }
  absl::StatusOr<std::shared_ptr<const FittedSource>> Get(
      const std::shared_ptr<const SourceTaskData>& source, const SearchSpace&,
      const SourceFitOptions&) override {
    asked.push_back(source->name);
    return absl::UnavailableError("soon");
  }
  std::vector<std::string> asked;
};

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
  EXPECT_EQ(fitted->counts.thinned, 0U);
  const TrainingData& data = fitted->model->data;
  ASSERT_EQ(data.y.size(), 3);
  EXPECT_EQ(data.repeats, (Vector{{2.0, 1.0, 1.0}}));
  EXPECT_NEAR(data.x(0, 0), 0.2, 1e-12);  // 0.1 of 0 to 0.5.
  EXPECT_LT(data.y[0], data.y[1]);
  EXPECT_EQ(data.y[2], data.y[0]);  // Infeasible: as bad as the worst.
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
  const auto fitted = FitSource(*source, *SquareSpace(), options, absl::InfiniteFuture()).value();
  EXPECT_EQ(fitted->counts.used, 40U);
  EXPECT_EQ(fitted->counts.thinned, 260U);
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
  const std::string key = SourceLibrary::KeyOf(*source, *SquareSpace(), {});
  EXPECT_NE(key, SourceLibrary::KeyOf(*source, *other, {}));
  EXPECT_NE(key, SourceLibrary::KeyOf(*source, *SquareSpace(), options));
  EXPECT_EQ(key, SourceLibrary::KeyOf(*source, *SquareSpace(), {}));
}

TEST(SpaceKey, DiffersInWhateverDiffers) {
  const Parameter plain{"x", IntegerDomain{1, 8, Scale::kLinear}, {}, {}};
  const std::string key = SpaceKeyOf(*MakeSpace({plain}));
  Parameter changed = plain;
  changed.name = "xx";
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed = plain;
  changed.domain = IntegerDomain{1, 9, Scale::kLinear};
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed.domain = IntegerDomain{1, 8, Scale::kLog};
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed.domain = DoubleDomain{1, 8, Scale::kLinear};
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  changed = plain;
  changed.default_value = NamedValue(int64_t{3});
  EXPECT_NE(SpaceKeyOf(*MakeSpace({changed})), key);
  EXPECT_EQ(SpaceKeyOf(*MakeSpace({plain})), key);
}

TEST(Transfer, WhereSourcesArePartOfTheModelTheirOptimumIsFoundAtOnce) {
  for (const std::string preset : {"deltabo", "stacked", "scaml"}) {
    const FakeStudy study = BowlStudy({BowlSource("sourceTasks/a", 0.3, 0.6, 60, 5)}, 3);
    const Suggestion next = MustSuggest(preset, study.view(), 1, 5)[0];
    EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
    EXPECT_NEAR(next.configuration.values[0].number(), 0.3, 0.15) << preset;
    EXPECT_NEAR(next.configuration.values[1].number(), 0.6, 0.15) << preset;
    ASSERT_EQ(next.provenance.sources.size(), 1U) << preset;
    EXPECT_EQ(next.provenance.sources[0].source, "sourceTasks/a");
    EXPECT_GT(next.provenance.sources[0].weight, 0.3);
    EXPECT_EQ(NumberFact(next, "source_points_used"), 60);
  }
}

TEST(Transfer, IsTheSameTwiceAndNotWithoutTheSource) {
  for (const std::string& preset : TransferPresets()) {
    const FakeStudy with = BowlStudy({BowlSource("sourceTasks/a", 0.8, 0.1, 30, 5)}, 6);
    const FakeStudy without = BowlStudy({}, 6);
    const auto first = MustSuggest(preset, with.view(), 3, 5);
    EXPECT_TRUE(SameSuggestions(first, MustSuggest(preset, with.view(), 3, 5))) << preset;
    EXPECT_FALSE(SameSuggestions(first, MustSuggest(preset, without.view(), 3, 5))) << preset;
  }
}

TEST(Transfer, GoesOnWithoutWhileSourcesAreNotReady) {
  NeverReady provider;
  const FakeStudy study = StudyOfTwoSources(6);
  const StudyView view = provider.ViewOf(study);
  const Suggestion next = MustSuggest("stacked", view, 1, 5)[0];
  EXPECT_EQ(next.provenance.rung, Rung::kWithoutTransfer);
  EXPECT_THAT(next.provenance.rung_reason, HasSubstr("2 of 2 source tasks are still being fitted"));
  EXPECT_TRUE(next.provenance.sources.empty());
  EXPECT_THAT(provider.asked, ::testing::ElementsAre("sourceTasks/a", "sourceTasks/b"));
  const FakeStudy alone = BowlStudy({}, 6);
  const auto plain = *MakeStrategy(*FindPreset("gp_log_ei"), {.exploration = "none"});
  EXPECT_EQ(next.configuration,
            plain->Suggest(alone.view(), 1, 5, absl::InfiniteFuture())->front().configuration);
}

TEST(Transfer, WhatIsPreparedAheadChangesNoSuggestion) {
  const std::vector<std::shared_ptr<const SourceTaskData>> sources = {
      BowlSource("sourceTasks/a", 0.3, 0.6, 20, 5), BowlSource("sourceTasks/b", 0.8, 0.6, 20, 6),
      BowlSource("sourceTasks/c", 0.2, 0.1, 20, 7)};
  const FakeStudy study = BowlStudy(sources, 5);
  const FakeStudy empty = BowlStudy(sources, 0);
  for (const std::string& preset : TransferPresets()) {
    // Strategies of one recipe share a prior while one of them lives.
    const auto first = MustSuggest(preset, study.view(), 2, 5);
    const std::unique_ptr<Strategy> strategy = MakeStrategy(*FindPreset(preset));
    const absl::Status prepared = strategy->Prepare(empty.view());
    ASSERT_TRUE(prepared.ok()) << preset << ": " << prepared;
    const auto second = strategy->Suggest(study.view(), 2, 5, absl::InfiniteFuture());
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_EQ(first[0].provenance.rung, Rung::kRecipe) << first[0].provenance.rung_reason;
    EXPECT_TRUE(SameSuggestions(first, *second)) << preset;
  }
}

TEST(Transfer, PreparingTellsWhatIsMissing) {
  NeverReady provider;
  const FakeStudy study = StudyOfTwoSources(0);
  const StudyView view = provider.ViewOf(study);
  EXPECT_EQ(MakeStrategy(*FindPreset("stacked"))->Prepare(view).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_THAT(provider.asked, ::testing::ElementsAre("sourceTasks/a", "sourceTasks/b"));
  EXPECT_TRUE(MakeStrategy(*FindPreset("gp_log_ei"))->Prepare(view).ok());
  EXPECT_EQ(MakeStrategy(*FindPreset("stacked"))->Prepare(StudyView()).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Transfer, SourcesWithoutAnythingUsableAreLeftOutAndCounted) {
  SourceTaskData empty;
  empty.name = "sourceTasks/empty";
  empty.space = SquareSpace();
  empty.points.push_back({At(*empty.space, 0.5, 0.5), Ending::kFailed, std::nullopt});
  const auto useless = std::make_shared<const SourceTaskData>(empty);
  const auto good = BowlSource("sourceTasks/a", 0.3, 0.6, 20, 5, Goal::kMinimize);
  const Suggestion some = MustSuggest("stacked", BowlStudy({useless, good}, 5).view(), 1, 5)[0];
  EXPECT_EQ(some.provenance.rung, Rung::kRecipe);
  EXPECT_EQ(NumberFact(some, "sources_without_a_usable_point"), 1);
  EXPECT_EQ(NumberFact(some, "sources_with_the_opposite_goal"), 1);
  const Suggestion none = MustSuggest("stacked", BowlStudy({useless}, 5).view(), 1, 5)[0];
  EXPECT_EQ(none.provenance.rung, Rung::kWithoutTransfer);
  EXPECT_THAT(none.provenance.rung_reason, HasSubstr("no source task has a point"));
}

TEST(Transfer, EightAtOnceAreDifferent) {
  for (const std::string& preset : TransferPresets()) {
    const FakeStudy study = BowlStudy({BowlSource("sourceTasks/a", 0.3, 0.6, 30, 5)}, 6);
    const auto all = MustSuggest(preset, study.view(), 8, 5);
    ASSERT_EQ(all.size(), 8U);
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        EXPECT_NE(all[i].configuration, all[j].configuration) << preset;
      }
    }
  }
}

TEST(Transfer, WorksOnCandidatesAndMixedSpaces) {
  const auto mixed = MixedSpace();
  SourceTaskData source;
  source.name = "sourceTasks/a";
  source.space = mixed;
  FakeStudy study(mixed);
  for (int i = 0; i < 12; ++i) {
    const auto next = MustSuggest("quasi_random", study.view(), 1, 9);
    study.Lease(next);
    source.points.push_back({next[0].configuration, Ending::kMeasured, std::sin(i)});
    study.End(Ending::kMeasured, std::sin(i + 0.1));
  }
  study.sources = {std::make_shared<const SourceTaskData>(source)};
  for (const std::string& preset : TransferPresets()) {
    const Suggestion next = MustSuggest(preset, study.view(), 1, 5)[0];
    EXPECT_TRUE(mixed->IsLegal(next.configuration));
    EXPECT_EQ(next.provenance.rung, Rung::kRecipe) << next.provenance.rung_reason;
  }
}

}  // namespace
}  // namespace slipstream
