#include "core/zero_shot/zero_shot_design.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/base/counter_random.h"
#include "core/base/deadline.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/space/random_space.h"
#include "tests/core/strategy/study_fixtures.h"
#include "tests/core/zero_shot/naive_design.h"

namespace slipstream {
namespace {

ZeroShotDesign Build(const FakeStudy& study) {
  const auto design = BuildZeroShotDesign(study.view(), Deadline::Infinite());
  EXPECT_TRUE(design.has_value());
  return *design;
}

void ExpectAsTheNaiveOne(const FakeStudy& study) {
  const ZeroShotDesign design = Build(study);
  const std::vector<NaiveEntry> naive = NaiveDesign(study.view());
  ASSERT_EQ(design.entries.size(), naive.size());
  for (size_t i = 0; i < naive.size(); ++i) {
    ASSERT_EQ(design.entries[i].configuration, naive[i].configuration) << i;
    std::vector<double> weights(study.sources.size(), 0.0);
    for (const SourceWeight& weight : design.entries[i].sources) {
      for (size_t s = 0; s < study.sources.size(); ++s) {
        if (study.sources[s]->name == weight.source) weights[s] = weight.weight;
      }
    }
    for (size_t s = 0; s < weights.size(); ++s) ASSERT_NEAR(weights[s], naive[i].weights[s], 1e-9);
  }
}

// A source on a random part of the same names, with a smooth random landscape.
std::shared_ptr<const SourceTaskData> RandomSource(RandomStream& random, const std::string& name,
                                                   std::shared_ptr<const SearchSpace> space) {
  auto source = std::make_shared<SourceTaskData>();
  source->name = name;
  source->space = space;
  source->goal = random.OneIn(6) ? Goal::kMinimize : Goal::kMaximize;
  std::vector<double> centre(space->dimension());
  for (double& coordinate : centre) coordinate = random.Uniform();
  const size_t count = 1 + random.Below(40);
  for (size_t i = 0; i < count; ++i) {
    const Configuration configuration = RandomConfiguration(random, *space);
    const std::vector<double> point = CoordinatesOf(*space, configuration);
    double value = random.Uniform();
    for (size_t d = 0; d < centre.size(); ++d) value -= std::pow(point[d] - centre[d], 2);
    const Ending ending = random.OneIn(8)    ? Ending::kFailed
                          : random.OneIn(10) ? Ending::kInfeasible
                                             : Ending::kMeasured;
    source->points.push_back(
        {configuration, ending,
         ending == Ending::kMeasured ? std::optional<double>(value) : std::nullopt});
    if (random.OneIn(6)) source->points.push_back(source->points.back());
  }
  return source;
}

std::vector<Parameter> LineParameters(double max) {
  return {{"x", DoubleDomain{0, max, Scale::kLinear}, {}, {}},
          {"n", IntegerDomain{1, 40, Scale::kLog}, {}, {}},
          {"w", CategoricalDomain{{"a", "b", "c"}}, {}, {}}};
}

TEST(ZeroShotDesign, AgreesWithItsDefinitionOnRandomSources) {
  RandomStream random(61);
  const auto wide = MakeSpace(LineParameters(1.3));
  const auto narrow = MakeSpace(LineParameters(1));
  size_t entries = 0;
  for (int round = 0; round < 80; ++round) {
    FakeStudy study(round % 2 == 0 ? narrow : MixedSpace());
    const size_t count = 1 + random.Below(9);
    for (size_t s = 0; s < count; ++s) {
      const auto space = round % 2 == 0 ? (random.OneIn(2) ? wide : narrow) : MixedSpace();
      study.sources.push_back(RandomSource(random, "s" + std::to_string(s), space));
    }
    ExpectAsTheNaiveOne(study);
    if (HasFatalFailure()) return;
    entries += Build(study).entries.size();
  }
  EXPECT_GT(entries, 300u);
}

TEST(ZeroShotDesign, AgreesWithItsDefinitionOnATableThatAllSourcesMeasured) {
  FakeStudy study(LineOfCandidates(30));
  for (int s = 0; s < 6; ++s) {
    auto source = std::make_shared<SourceTaskData>();
    source->name = "s" + std::to_string(s);
    source->space = study.space;
    for (size_t i = 0; i < 30; ++i) {
      const double value = CounterRandomUniform(static_cast<uint64_t>(s), i, 0);
      source->points.push_back({study.space->candidates()[i], Ending::kMeasured, value});
    }
    study.sources.push_back(source);
  }
  ExpectAsTheNaiveOne(study);
  for (const DesignEntry& entry : Build(study).entries) {
    ASSERT_TRUE(entry.candidate.has_value());
    EXPECT_EQ(study.space->candidates()[static_cast<size_t>(*entry.candidate)],
              entry.configuration);
  }
}

// The best point of one source has no value in the other two.
TEST(ZeroShotDesign, PassesOverWhatIsInfeasibleElsewhere) {
  FakeStudy study(LineOfCandidates(30));
  for (int s = 0; s < 3; ++s) {
    auto source = std::make_shared<SourceTaskData>();
    source->name = "s" + std::to_string(s);
    source->space = study.space;
    for (int i = 0; i < 30; ++i) {
      const bool has_value = s == 0 || std::abs(i - 12) > 1;
      source->points.push_back({study.space->candidates()[static_cast<size_t>(i)],
                                has_value ? Ending::kMeasured : Ending::kInfeasible,
                                has_value ? std::optional<double>(-std::abs(i - 12))
                                          : std::nullopt});
    }
    study.sources.push_back(source);
  }
  ExpectAsTheNaiveOne(study);
  const std::optional<int64_t> first = Build(study).entries[0].candidate;
  EXPECT_TRUE(first == 10 || first == 14) << first.value_or(-1);
}

TEST(ZeroShotDesign, CoversSourcesThatDisagree) {
  const FakeStudy study(
      SquareSpace(), {BowlSource("low", 0.1, 0.1, 200, 1), BowlSource("high", 0.9, 0.9, 200, 2)});
  const ZeroShotDesign design = Build(study);
  ASSERT_GE(design.entries.size(), 2u);
  ASSERT_LE(design.entries.size(), 4u);
  EXPECT_EQ(design.sources_used, 2u);
  const auto is_near = [&](size_t entry, double at) {
    const std::vector<Value>& values = design.entries[entry].configuration.values;
    return std::hypot(values[0].number() - at, values[1].number() - at) < 0.15;
  };
  EXPECT_TRUE((is_near(0, 0.1) && is_near(1, 0.9)) || (is_near(0, 0.9) && is_near(1, 0.1)));
  for (const DesignEntry& entry : design.entries) {
    double total = 0;
    for (size_t i = 0; i < entry.sources.size(); ++i) {
      total += entry.sources[i].weight;
      EXPECT_GT(entry.sources[i].weight, 0);
      if (i > 0) {
        EXPECT_LE(entry.sources[i].weight, entry.sources[i - 1].weight);
      }
    }
    EXPECT_NEAR(total, 1, 1e-12);
  }
}

TEST(ZeroShotDesign, SizeIsTwoMoreThanTheSourcesUpToTen) {
  FakeStudy study(SquareSpace());
  for (int s = 1; s <= 12; ++s) {
    study.sources.push_back(
        BowlSource("s" + std::to_string(s), 0.08 * s, 1 - 0.08 * s, 300, static_cast<uint64_t>(s)));
    EXPECT_LE(Build(study).entries.size(), static_cast<size_t>(std::min(10, 2 + s)));
  }
  EXPECT_EQ(Build(study).entries.size(), 10u);
}

TEST(ZeroShotDesign, ASingleSourceGivesItsBestPointAndThenOthersFarEnoughAway) {
  const auto source = BowlSource("s", 0.5, 0.5, 30, 7);
  const ZeroShotDesign design = Build(FakeStudy(SquareSpace(), {source}));
  ASSERT_GE(design.entries.size(), 2u);
  const auto best = std::max_element(
      source->points.begin(), source->points.end(),
      [](const SourcePoint& a, const SourcePoint& b) { return *a.value < *b.value; });
  EXPECT_EQ(design.entries[0].configuration, best->configuration);
  for (size_t i = 0; i < design.entries.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const auto& a = design.entries[i].configuration.values;
      const auto& b = design.entries[j].configuration.values;
      EXPECT_GE(std::hypot(a[0].number() - b[0].number(), a[1].number() - b[1].number()),
                0.1 * std::sqrt(2.0));
    }
  }
}

TEST(ZeroShotDesign, CountsWhySourcesAreLeftOut) {
  auto elsewhere = std::make_shared<SourceTaskData>(*BowlSource("elsewhere", 0.5, 0.5, 5, 1));
  elsewhere->space = MakeSpace({{"u", DoubleDomain{}, {}, {}}, {"v", DoubleDomain{}, {}, {}}});
  auto outside = std::make_shared<SourceTaskData>(*BowlSource("outside", 0.5, 0.5, 5, 1));
  outside->space =
      MakeSpace({{"x", DoubleDomain{0, 9, Scale::kLinear}, {}, {}}, {"y", DoubleDomain{}, {}, {}}});
  for (SourcePoint& point : outside->points) point.configuration.values[0] = Value::Double(5);
  auto failed = std::make_shared<SourceTaskData>(*BowlSource("failed", 0.5, 0.5, 1, 1));
  failed->points[0].ending = Ending::kFailed;
  const FakeStudy study(SquareSpace(), {elsewhere, outside, failed,
                                        BowlSource("opposite", 0.5, 0.5, 5, 1, Goal::kMinimize),
                                        BowlSource("good", 0.5, 0.5, 5, 1)});
  const ZeroShotDesign design = Build(study);
  EXPECT_EQ(design.sources_used, 1u);
  EXPECT_EQ(design.left_out.no_common_parameter, 1u);
  EXPECT_EQ(design.left_out.nothing_mapped, 1u);
  EXPECT_EQ(design.left_out.nothing_measured, 1u);
  EXPECT_EQ(design.left_out.opposite_goal, 1u);
  EXPECT_EQ(design.left_out.total(), 4u);
  for (const DesignEntry& entry : design.entries) {
    for (const SourceWeight& weight : entry.sources) EXPECT_EQ(weight.source, "good");
  }
}

TEST(ZeroShotDesign, APassedDeadlineGivesNone) {
  const FakeStudy study(SquareSpace(), {BowlSource("s", 0.5, 0.5, 30, 7)});
  EXPECT_FALSE(BuildZeroShotDesign(study.view(), Deadline::Passed()).has_value());
}

TEST(ZeroShotDesign, ManySourcesKeepToTheBoundsOnWork) {
  FakeStudy study(SquareSpace());
  for (int s = 0; s < 300; ++s) {
    study.sources.push_back(
        BowlSource("s" + std::to_string(s), 0.3, 0.7, 20, static_cast<uint64_t>(s)));
  }
  const auto design = BuildZeroShotDesign(study.view(), Deadline::Infinite());
  ASSERT_TRUE(design.has_value());
  EXPECT_EQ(design->sources_used, 300u);
  ASSERT_GE(design->entries.size(), 1u);
  EXPECT_LE(design->entries.size(), 10u);
}

}  // namespace
}  // namespace slipstream
