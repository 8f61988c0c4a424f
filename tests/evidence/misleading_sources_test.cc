#include "tests/evidence/misleading_sources.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/evidence/problems.h"

namespace slipstream::evidence {
namespace {

constexpr char kPlain[] = "branin_family";

Problem WithSources(const std::string& name) {
  Beginning beginning;
  beginning.seed = 3;
  beginning.initial_points = false;
  beginning.source_tasks = true;
  return MakeProblem(name, beginning).value();
}

std::vector<double> ValuesOf(const Problem& problem, size_t source) {
  std::vector<double> values;
  for (const SourcePoint& point : problem.sources[source]->points) values.push_back(*point.value);
  return values;
}

// Both with the sources of the first.
struct Pair {
  explicit Pair(const char* spoiling)
      : plain(WithSources(kPlain)), spoiled(WithSources(absl::StrCat(kPlain, "~", spoiling))) {}

  Problem plain;
  Problem spoiled;
};

TEST(MisleadingSources, TheTargetIsThatOfTheProblem) {
  for (const Spoiling& spoiling : Spoilings()) {
    const Pair pair(std::string(spoiling.name).c_str());
    EXPECT_EQ(pair.spoiled.name, absl::StrCat(kPlain, "~", spoiling.name));
    EXPECT_EQ(pair.spoiled.best, pair.plain.best);
    ASSERT_EQ(pair.spoiled.sources.size(), pair.plain.sources.size());
    const Point point{pair.plain.sources[0]->points[2].configuration, {}};
    EXPECT_EQ(pair.spoiled.value(point), pair.plain.value(point));
  }
}

TEST(MisleadingSources, NegatedOnesHaveTheOppositeValues) {
  const Pair pair("negated");
  const std::vector<double> plain = ValuesOf(pair.plain, 1);
  const std::vector<double> spoiled = ValuesOf(pair.spoiled, 1);
  for (size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(spoiled[i], -plain[i]);
}

TEST(MisleadingSources, MaskedOnesHaveTheirMedianWhereTheyWereBest) {
  const Pair pair("masked");
  std::vector<double> plain = ValuesOf(pair.plain, 0);
  std::vector<double> spoiled = ValuesOf(pair.spoiled, 0);
  std::sort(plain.begin(), plain.end());  // Less is better.
  std::sort(spoiled.begin(), spoiled.end());
  EXPECT_EQ(spoiled.front(), plain[plain.size() / 4]);
  EXPECT_EQ(spoiled.back(), plain.back());
  EXPECT_EQ(std::count(spoiled.begin(), spoiled.end(), plain[plain.size() / 2]),
            static_cast<int64_t>(plain.size() / 4 + 1));
}

TEST(MisleadingSources, IndependentOnesOrderPointsOtherwise) {
  const Pair pair("independent");
  const std::vector<double> plain = ValuesOf(pair.plain, 0);
  const std::vector<double> spoiled = ValuesOf(pair.spoiled, 0);
  int agreeing = 0;
  int pairs = 0;
  for (size_t i = 0; i < plain.size(); ++i) {
    for (size_t j = 0; j < i; ++j, ++pairs) {
      agreeing += (plain[i] < plain[j]) == (spoiled[i] < spoiled[j]) ? 1 : 0;
    }
  }
  EXPECT_GT(agreeing, 0.3 * pairs);
  EXPECT_LT(agreeing, 0.7 * pairs);
  EXPECT_NE(spoiled, ValuesOf(pair.spoiled, 1));
}

TEST(MisleadingSources, RescaledOnesKeepTheirOrder) {
  const Pair pair("rescaled");
  const std::vector<double> plain = ValuesOf(pair.plain, 2);
  const std::vector<double> spoiled = ValuesOf(pair.spoiled, 2);
  const double unit = (spoiled[1] - spoiled[0]) / (plain[1] - plain[0]);
  EXPECT_GT(unit, 0);
  for (size_t i = 1; i < plain.size(); ++i) {
    EXPECT_NEAR(spoiled[i] - spoiled[0], unit * (plain[i] - plain[0]),
                1e-9 * unit * (1 + std::abs(plain[i])));
  }
}

TEST(MisleadingSources, ThoseInOtherUnitsHaveTheirPointsHalfWayDown) {
  const Pair pair("other_units");
  const Configuration& plain = pair.plain.sources[0]->points[4].configuration;
  const Configuration& spoiled = pair.spoiled.sources[0]->points[4].configuration;
  EXPECT_NEAR(spoiled.values[0].number(), (-5 + plain.values[0].number()) / 2, 1e-12);
  EXPECT_NEAR(spoiled.values[1].number(), plain.values[1].number() / 2, 1e-12);
  EXPECT_EQ(ValuesOf(pair.spoiled, 0), ValuesOf(pair.plain, 0));
}

TEST(MisleadingSources, PenalisedOnesHaveOneHugeValueWhereTheyWereWorst) {
  const Pair pair("penalised");
  const std::vector<double> plain = ValuesOf(pair.plain, 1);
  const std::vector<double> spoiled = ValuesOf(pair.spoiled, 1);
  std::vector<double> sorted = plain;
  std::sort(sorted.begin(), sorted.end());  // Less is better.
  const size_t kept = plain.size() - plain.size() / 5;
  const double penalty = *std::max_element(spoiled.begin(), spoiled.end());
  EXPECT_GT(penalty, 1e5 * (sorted.back() - sorted.front()));
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(spoiled[i], plain[i] < sorted[kept] ? plain[i] : penalty);
  }
}

TEST(MisleadingSources, OtherSpoilingsAreRefused) {
  EXPECT_FALSE(MakeProblem("branin_family~burnt", {}).ok());
  EXPECT_FALSE(MakeProblem("nothing~negated", {}).ok());
}

}  // namespace
}  // namespace slipstream::evidence
