// Spaces with a finite table of configurations.
#include "absl/strings/str_cat.h"
#include "core/base/out_of_memory.h"
#include "core/base/status.h"
#include "core/space/search_space.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/allocation_limit.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;

std::vector<Parameter> Parameters() {
  Parameter degree{"degree", IntegerDomain{1, 5, Scale::kLinear}, {}, {}};
  degree.condition = Condition{"kernel", {std::string("poly")}};
  return {{"kernel", CategoricalDomain{{"rbf", "poly"}}, {}, {}},
          degree,
          {"x", DoubleDomain{-1, 100000, Scale::kLinear}, {}, {}}};
}

std::vector<Assignment> Row(double x) { return {{"kernel", std::string("rbf")}, {"x", x}}; }

std::vector<Assignment> PolyRow(double x, int64_t degree) {
  return {{"x", x}, {"degree", degree}, {"kernel", std::string("poly")}};
}

absl::StatusOr<SearchSpace> Table(std::vector<std::vector<Assignment>> rows,
                                  bool allow_repeats = false) {
  return SearchSpace::Create(Parameters(),
                             SearchSpace::CandidateTable{std::move(rows), allow_repeats});
}

void ExpectTableRefused(std::vector<std::vector<Assignment>> rows, const std::string& field,
                        const std::string& value, const std::string& bound) {
  const auto space = Table(std::move(rows));
  ASSERT_FALSE(space.ok()) << field;
  const auto violation = ViolationOf(space.status());
  ASSERT_TRUE(violation.has_value()) << space.status();
  EXPECT_EQ(violation->field, field);
  EXPECT_EQ(violation->value, value);
  EXPECT_THAT(violation->bound, HasSubstr(bound));
  EXPECT_THAT(std::string(space.status().message()), HasSubstr(field));
}

TEST(SearchSpaceCandidates, KeepTheirOrderAndAreFoundAgain) {
  const auto space = Table({Row(3), PolyRow(1, 2), Row(1), PolyRow(1, 3)});
  ASSERT_TRUE(space.ok()) << space.status();
  ASSERT_EQ(space->candidates().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(space->CandidateIndex(space->candidates()[i]), static_cast<int64_t>(i));
  }
  EXPECT_EQ(space->CandidateIndex(*space->Resolve(Row(1))), 2);
  EXPECT_EQ(space->CandidateIndex(*space->Resolve(Row(2))), std::nullopt);
  EXPECT_EQ(space->CandidateIndex(Configuration{}), std::nullopt);
}

TEST(SearchSpaceCandidates, ATableForWhichMemoryRunsOutIsAnError) {
  absl::Status made = OutOfMemory();
  for (int allocations = 0; IsOverload(made); ++allocations) {
    const AllocationLimit limit(allocations);
    made = OrOutOfMemory([] { return Table({Row(3), PolyRow(1, 2), Row(1)}).status(); });
  }
  EXPECT_TRUE(made.ok()) << made;
}

TEST(SearchSpaceCandidates, NegativeZeroFindsZero) {
  const auto space = Table({Row(0.0)});
  ASSERT_TRUE(space.ok());
  EXPECT_EQ(space->CandidateIndex(*space->Resolve(Row(-0.0))), 0);
}

TEST(SearchSpaceCandidates, SurviveAMoveOfTheSpace) {
  auto first = Table({Row(3), Row(4)}, true);
  ASSERT_TRUE(first.ok());
  const SearchSpace moved = *std::move(first);
  EXPECT_TRUE(moved.has_candidates());
  EXPECT_TRUE(moved.allow_repeats());
  EXPECT_EQ(moved.CandidateIndex(*moved.Resolve(Row(4))), 1);
  EXPECT_EQ(moved.IndexOf("x"), 2u);
}

TEST(SearchSpaceCandidates, AreEmptyWithoutAList) {
  const auto space = SearchSpace::Create(Parameters());
  ASSERT_TRUE(space.ok());
  EXPECT_FALSE(space->has_candidates());
  EXPECT_FALSE(space->allow_repeats());
  EXPECT_TRUE(space->candidates().empty());
  EXPECT_EQ(space->CandidateIndex(*space->Resolve(Row(4))), std::nullopt);
}

TEST(SearchSpaceCandidates, RefusesEmptyListsAndIllegalRows) {
  ExpectTableRefused({}, "candidates.configurations", "0 configurations", "1 to 50000");
  ExpectTableRefused({Row(1), Row(-2)}, "candidates.configurations[1].values[x]", "-2",
                     "a number from -1 to 1e+05");
  ExpectTableRefused({Row(1), Row(2), {{"x", 3.0}}}, "candidates.configurations[2].values[kernel]",
                     "missing", "one of \"rbf\", \"poly\"");
}

TEST(SearchSpaceCandidates, RefusesRepeatsEvenIfSuggestionsMayRepeat) {
  ExpectTableRefused({Row(1), Row(2), Row(3), Row(2)}, "candidates.configurations[3]",
                     "equal to configurations[1]", "different");
  ExpectTableRefused({Row(0.0), Row(-0.0)}, "candidates.configurations[1]",
                     "equal to configurations[0]", "different");
  EXPECT_FALSE(Table({Row(1), Row(1)}, true).ok());
}

TEST(SearchSpaceCandidates, MayBeFiftyThousandButNotOneMore) {
  std::vector<std::vector<Assignment>> rows;
  for (int i = 0; i < 50000; ++i) rows.push_back(Row(i));
  const auto space = Table(rows);
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->CandidateIndex(space->candidates()[49999]), 49999);
  EXPECT_GT(space->MemoryBytes(), 50000 * 3 * sizeof(Value));
  EXPECT_LT(space->MemoryBytes(), size_t{20} << 20);
  rows.push_back(Row(50000));
  ExpectTableRefused(rows, "candidates.configurations", "50001 configurations", "1 to 50000");
}

}  // namespace
}  // namespace slipstream
