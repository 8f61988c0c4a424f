#include "core/study/candidate_pool.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

// Refers to the study's space.
CandidatePool Pool(const FakeStudy& study) {
  auto pool = CandidatePool::Create(study.view());
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

Configuration At(double x) { return {{Value::Double(x)}}; }

TEST(CandidatePool, LeavesOutWhatWasTriedByIndexOrByConfigurationWhateverBecameOfIt) {
  FakeStudy study(LineOfCandidates(5));
  for (Ending ending : {Ending::kMeasured, Ending::kFailed, Ending::kInfeasible}) {
    const size_t candidate = study.ended.size();
    study.Queue(study.space->candidates()[candidate]);
    study.End(ending, 1.0);
  }
  study.open.push_back({4, {}, 3});
  CandidatePool pool = Pool(study);
  EXPECT_FALSE(pool.Take(0));
  EXPECT_FALSE(pool.Take(3));
  EXPECT_TRUE(pool.Take(4));
  EXPECT_TRUE(pool.empty());
}

TEST(CandidatePool, LeavesOutWhatItIsToldAsLongAsThereIsMore) {
  const FakeStudy study(LineOfCandidates(4, /*allow_repeats=*/true));
  const std::vector<Configuration>& all = study.space->candidates();
  CandidatePool pool = Pool(study);
  ConfigurationIndex spent;
  pool.LeaveOut(spent);
  EXPECT_EQ(pool.left().size(), 4u);
  for (const size_t candidate : {1, 2}) spent.try_emplace(&all[candidate], 0);
  pool.LeaveOut(spent);
  EXPECT_EQ(pool.left(), (std::vector<int64_t>{0, 3}));
  for (const size_t candidate : {0, 3}) spent.try_emplace(&all[candidate], 0);
  pool.LeaveOut(spent);
  EXPECT_EQ(pool.left(), (std::vector<int64_t>{0, 3})) << "there is nothing else";
}

TEST(CandidatePool, TrialsOutsideTheTableTakeNothing) {
  FakeStudy study(LineOfCandidates(3));
  study.Queue(At(0.3));
  study.open.push_back({2, {}, 99});
  study.open.push_back({3, {}, -1});
  CandidatePool pool = Pool(study);
  for (int64_t candidate : {0, 1, 2}) EXPECT_TRUE(pool.Take(candidate));
}

TEST(CandidatePool, TakesTheNearestAndOfEquallyNearOnesTheFirst) {
  const FakeStudy study(LineOfCandidates(5));
  CandidatePool pool = Pool(study);
  EXPECT_EQ(pool.TakeNearest(At(0.5)), 2);
  EXPECT_EQ(pool.TakeNearest(At(0.5)), 1);
  EXPECT_EQ(pool.TakeNearest(At(0.5)), 3);
  EXPECT_EQ(pool.TakeNearest(At(1.0)), 4);
  EXPECT_EQ(pool.TakeNearest(At(1.0)), 0);
  EXPECT_TRUE(pool.empty());
}

TEST(CandidatePool, NearnessGoesByTheScaleAndCountsWordsAsOneApart) {
  const std::string a = "a";
  const std::string b = "b";
  SearchSpace::CandidateTable table;
  table.rows = {
      {{"rate", 0.01}, {"word", b}}, {{"rate", 1.0}, {"word", a}}, {{"rate", 1e-4}, {"word", a}}};
  const auto space = MakeSpace({{"rate", DoubleDomain{1e-4, 1, Scale::kLog}, {}, {}},
                                {"word", CategoricalDomain{{"a", "b"}}, {}, {}}},
                               table);
  const FakeStudy study(space);
  CandidatePool pool = Pool(study);
  // Linearly 0.02 would be nearest to 1e-4; on the log scale too, but the word
  // of candidate 0, just beside it, is wrong.
  const Configuration wanted{{Value::Double(0.009), Value::Level(0)}};
  EXPECT_EQ(pool.TakeNearest(wanted), 2);
  EXPECT_EQ(pool.TakeNearest(wanted), 1);
  EXPECT_EQ(pool.TakeNearest(wanted), 0);
}

TEST(CandidatePool, UniformDrawsReachBothEnds) {
  const FakeStudy study(LineOfCandidates(3, true));
  CandidatePool pool = Pool(study);
  EXPECT_EQ(pool.TakeUniform(0), 0);
  EXPECT_EQ(pool.TakeUniform(0.999999), 2);
  EXPECT_EQ(pool.TakeUniform(0.5), 1);
  EXPECT_TRUE(pool.Take(1));
  EXPECT_TRUE(pool.Take(1));
  EXPECT_FALSE(pool.Take(3));
  EXPECT_FALSE(pool.empty());
}

}  // namespace
}  // namespace slipstream
