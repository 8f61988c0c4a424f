#include "tests/evidence/problems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/core/space/configurations.h"
#include "tests/evidence/csv.h"

// Skips a test that needs recorded runs if there are none.
#define SKIP_WITHOUT_RECORDED_RUNS()                                                     \
  if (!std::filesystem::exists(DefaultDataFolder() + "/peers/continuous_initial.csv")) { \
    GTEST_SKIP() << "no recorded runs in " << DefaultDataFolder()                        \
                 << "; SLIPSTREAM_EVIDENCE_DATA names the folder with data/ and peers/"; \
  }                                                                                      \
  static_assert(true)

namespace slipstream::evidence {
namespace {

using ::testing::Not;
using ::testing::SizeIs;

Beginning From(uint64_t seed, bool source_tasks = false) {
  return {seed, /*initial_points=*/true, source_tasks, DefaultDataFolder()};
}

// An initial point's recorded value, which is minimised.
double RecordedValue(const Problem& problem, const Point& point) {
  const double value = problem.value(point);
  return problem.goal == Goal::kMinimize ? value : -value;
}

TEST(Problems, HaveDistinctNames) {
  std::set<std::string> names;
  for (const ProblemListing& listing : ListProblems(DefaultDataFolder())) {
    EXPECT_TRUE(names.insert(listing.name).second) << listing.name;
  }
}

TEST(Problems, TheListHasFunctionsMixedFamiliesAndGrids) {
  std::set<std::pair<std::string, std::string>> listed;
  for (const ProblemListing& listing : ListProblems("")) {
    listed.insert({listing.group, listing.name});
  }
  EXPECT_EQ(listed.count({"continuous", "branin"}), 1);
  EXPECT_EQ(listed.count({"mixed_development", "four_branches"}), 1);
  EXPECT_EQ(listed.count({"mixed", "decoy_branches"}), 1);
  EXPECT_EQ(listed.count({"mixed", "svm_digits"}), 1);
}

TEST(Problems, TheListHasTheNumberOfSources) {
  for (const ProblemListing& listing : ListProblems(DefaultDataFolder())) {
    const auto problem = MakeProblem(listing.name, {0, false, true, DefaultDataFolder()});
    const uint64_t sources = problem.ok() ? problem->sources.size() : 0;
    EXPECT_EQ(sources, listing.source_tasks) << listing.name;
  }
}

TEST(Problems, FunctionsAgreeWithThePeersInitialValues) {
  SKIP_WITHOUT_RECORDED_RUNS();
  const auto table = CsvTable::Read(DefaultDataFolder() + "/peers/continuous_initial.csv");
  ASSERT_TRUE(table.ok()) << table.status();
  ASSERT_EQ(table->rows(), 6 * 20 * 5);
  for (size_t row = 0; row < table->rows(); ++row) {
    const std::string name = *table->Text(row, "problem");
    const auto seed = static_cast<uint64_t>(*table->Integer(row, "seed"));
    const auto index = static_cast<size_t>(*table->Integer(row, "index"));
    const absl::StatusOr<Problem> problem = MakeProblem(name, From(seed));
    ASSERT_TRUE(problem.ok()) << problem.status();
    ASSERT_THAT(problem->initial, SizeIs(5));
    const double y = *table->Number(row, "y");
    EXPECT_NEAR(RecordedValue(*problem, problem->initial[index]), y, 1e-12 * (1 + std::abs(y)))
        << name << " " << seed << " " << index;
  }
}

TEST(Problems, NoSampledPointIsBetterThanTheBestOrWorseThanTheWorst) {
  for (const ProblemListing& listing : ListProblems("")) {
    for (const uint64_t seed : {0, 1, 2}) {
      const absl::StatusOr<Problem> problem =
          MakeProblem(listing.name, {seed, /*initial_points=*/false, false, ""});
      ASSERT_TRUE(problem.ok()) << problem.status();
      for (uint64_t index = 0; index < 2000; ++index) {
        const auto at = [&](double shift) {
          return std::fmod(static_cast<double>(index) * 0.618033988749895 * shift, 1);
        };
        std::vector<double> uniform;
        for (size_t i = 0; i < problem->space->dimension(); ++i) {
          uniform.push_back(at(std::sqrt(static_cast<double>(i) + 2)));
        }
        Point point = {problem->space->Sample(uniform), {}};
        if (problem->space->has_candidates()) {
          const auto place = static_cast<int64_t>(index % problem->space->candidates().size());
          point = {problem->space->candidates()[static_cast<size_t>(place)], place};
        }
        const double value = problem->value(point);
        if (std::isnan(value)) continue;  // Infeasible.
        const double regret = problem->RegretOf(value);
        ASSERT_GE(regret, -1e-9) << listing.name << " " << seed;
        // For ill-behaved functions only a nearly worst point is found, and in many dimensions
        // none.
        if (problem->space->dimension() > 8 || absl::StartsWith(listing.group, "odd")) continue;
        ASSERT_LE(regret, problem->RegretOf(problem->worst) * 1.2) << listing.name << " " << seed;
      }
    }
  }
}

TEST(Problems, DevelopmentProblemsStartWithFivePointsDrawnFromTheSeed) {
  const auto first = MakeProblem("ackley5", {1, true, false, ""});
  const auto again = MakeProblem("ackley5", {1, true, false, ""});
  const auto other = MakeProblem("ackley5", {2, true, false, ""});
  ASSERT_TRUE(first.ok() && again.ok() && other.ok());
  ASSERT_THAT(first->initial, SizeIs(5));
  EXPECT_EQ(first->initial[4].configuration, again->initial[4].configuration);
  EXPECT_NE(first->initial[4].configuration, other->initial[4].configuration);
}

TEST(Problems, AFamilyHasSourceTasksOfItsOwn) {
  const auto problem = MakeProblem("branin_family", {4, false, true, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  ASSERT_THAT(problem->sources, SizeIs(8));
  const SourcePoint& point = problem->sources[0]->points[3];
  EXPECT_THAT(problem->sources[0]->points, SizeIs(32));
  EXPECT_NE(*point.value, problem->value({point.configuration, {}}));
}

TEST(Problems, ANoisyFamilyHasTheTasksOfTheFamilyAndNoisySources) {
  const auto exact = MakeProblem("branin_family", {4, false, true, ""});
  const auto noisy = MakeProblem("branin_noisy_family", {4, false, true, ""});
  ASSERT_TRUE(exact.ok() && noisy.ok());
  EXPECT_EQ(noisy->noise_deviation, 1);
  EXPECT_FALSE(noisy->noiseless);
  EXPECT_EQ(noisy->best, exact->best);
  ASSERT_THAT(noisy->sources, SizeIs(8));
  double square = 0;
  for (size_t task = 0; task < 8; ++task) {
    const auto& points = noisy->sources[task]->points;
    ASSERT_THAT(points, SizeIs(32));
    for (size_t i = 0; i < 32; ++i) {
      const SourcePoint& point = exact->sources[task]->points[i];
      EXPECT_EQ(points[i].configuration, point.configuration);
      square += std::pow(*points[i].value - *point.value, 2) / (8 * 32);
    }
  }
  EXPECT_NEAR(square, 1, 0.3);
}

TEST(Problems, AGatheredFamilysSourcesAreBesideTheirBestPoints) {
  const auto problem = MakeProblem("hartmann3_gathered_family", {4, false, true, ""});
  ASSERT_TRUE(problem.ok()) << problem.status();
  ASSERT_THAT(problem->sources, SizeIs(3));
  for (const auto& source : problem->sources) {
    ASSERT_THAT(source->points, SizeIs(30));
    const auto distance = [&](size_t from, size_t to) {
      double square = 0;
      for (size_t i = 0; i < 3; ++i) {
        square += std::pow(source->points[from].configuration.values[i].number() -
                               source->points[to].configuration.values[i].number(),
                           2);
      }
      return std::sqrt(square);
    };
    for (size_t i = 10; i < 30; ++i) {
      EXPECT_TRUE(IsLegal(*problem->space, source->points[i].configuration));
      size_t best = 0;
      for (size_t j = 1; j < i; ++j) {
        if (*source->points[j].value < *source->points[best].value) best = j;
      }
      EXPECT_LT(distance(i, best), 0.3) << i;
    }
  }
}

// The distances of the means are sqrt(0.02) and sqrt(4.5).
TEST(Problems, TheNormalPairsSourcesAreNearAndFar) {
  const std::pair<const char*, double> pairs[] = {{"normal_related_pair", 0.02},
                                                  {"normal_mild_pair", 4.5}};
  for (const auto& [name, distance_squared] : pairs) {
    const auto problem = MakeProblem(name, {0, false, true, ""});
    ASSERT_TRUE(problem.ok()) << problem.status();
    ASSERT_THAT(problem->sources, SizeIs(1));
    EXPECT_THAT(problem->sources[0]->points, SizeIs(25));
    const double mean = std::sqrt(distance_squared / 2);
    for (const SourcePoint& point : problem->sources[0]->points) {
      double exponent = 0;
      for (const Value& x : point.configuration.values) {
        exponent += mean * x.number() - mean * mean / 2;
      }
      EXPECT_NEAR(problem->value({point.configuration, {}}) / *point.value, std::exp(exponent),
                  1e-9 * std::exp(exponent));
    }
  }
}

TEST(Problems, TheDifferenceInDeltaBosModelIsSmoothAndNew) {
  const auto problem = MakeProblem("delta_model_pair", {0, false, true, ""});
  const auto other = MakeProblem("delta_model_pair", {1, false, true, ""});
  ASSERT_TRUE(problem.ok() && other.ok());
  EXPECT_THAT(problem->sources[0]->points, SizeIs(100));
  const Point middle = {problem->space->Sample(std::vector<double>{0.5, 0.5}), {}};
  EXPECT_NE(problem->value(middle), other->value(middle));
  EXPECT_LT(problem->worst, problem->mean);
  EXPECT_LT(problem->mean, problem->best);
}

TEST(Problems, AFunctionWithoutSourceTasksSaysSo) {
  EXPECT_EQ(MakeProblem("levy4", {0, false, true, ""}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(Problems, AnUnknownNameIsRefused) {
  EXPECT_EQ(MakeProblem("brannin", {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Problems, AbsentRecordingsAreNotFound) {
  for (const char* name : {"branin", "svm/A9A"}) {
    EXPECT_EQ(MakeProblem(name, {0, true, false, "/no/such/folder"}).status().code(),
              absl::StatusCode::kNotFound);
  }
}

TEST(Problems, ASeedWithoutRecordingIsNotFound) {
  SKIP_WITHOUT_RECORDED_RUNS();
  EXPECT_EQ(MakeProblem("branin", From(20)).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MakeProblem("svm/A9A", From(5)).status().code(), absl::StatusCode::kNotFound);
}

TEST(Problems, SvmIsAConditionalCandidateListWithAllOtherTasksAsSources) {
  SKIP_WITHOUT_RECORDED_RUNS();
  const auto problem = MakeProblem("svm/abalone", From(2, /*source_tasks=*/true));
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_THAT(problem->space->candidates(), SizeIs(288));
  EXPECT_EQ(problem->goal, Goal::kMaximize);
  EXPECT_EQ(problem->best, 0.279042);
  EXPECT_NEAR(problem->regret_unit, 0.279042 - 0.155689, 1e-12);
  EXPECT_EQ(problem->RegretOf(problem->worst), 1);
  ASSERT_THAT(problem->initial, SizeIs(5));
  EXPECT_THAT(problem->space->Name(problem->initial[0].configuration), Not(SizeIs(4)));
  ASSERT_THAT(problem->sources, SizeIs(49));
  for (const auto& source : problem->sources) {
    EXPECT_THAT(source->points, SizeIs(50));
    EXPECT_EQ(source->space->parameters().size(), 4);
  }
}

TEST(Problems, DeepArIsMeasuredInLogarithms) {
  SKIP_WITHOUT_RECORDED_RUNS();
  const auto problem = MakeProblem("deepar/m4-Daily", From(0, /*source_tasks=*/true));
  ASSERT_TRUE(problem.ok()) << problem.status();
  EXPECT_THAT(problem->space->candidates(), SizeIs(240));
  EXPECT_NEAR(problem->best, std::log(0.021086689084768295), 1e-12);
  EXPECT_NEAR(problem->value({{}, 0}), std::log(0.026922322809696198), 1e-12);
  EXPECT_THAT(problem->sources, SizeIs(10));
}

// The worst recorded run began with the five rows, so no regret may exceed theirs.
TEST(Problems, InitialRowsAreThoseOfThePeers) {
  SKIP_WITHOUT_RECORDED_RUNS();
  const auto peers = CsvTable::Read(DefaultDataFolder() + "/peers/tables.csv");
  ASSERT_TRUE(peers.ok()) << peers.status();
  for (size_t row = 0; row < peers->rows(); row += 7) {
    const std::string name =
        absl::StrCat(*peers->Text(row, "table"), "/", *peers->Text(row, "task"));
    const auto problem =
        MakeProblem(name, From(static_cast<uint64_t>(*peers->Integer(row, "seed"))));
    ASSERT_TRUE(problem.ok()) << problem.status();
    double regret = 1;
    for (const Point& point : problem->initial) {
      regret = std::min(regret, problem->RegretOf(problem->value(point)));
    }
    EXPECT_LE(*peers->Number(row, "r1"), regret * 1.001 + 1e-9) << name;
  }
}

}  // namespace
}  // namespace slipstream::evidence
