#include "core/strategy/training_history.h"

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/gp/data_fingerprint.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

// Twelve configurations, of which the third is tried twice, beside trials without a value.
FakeStudy StudyOfTwelve() {
  FakeStudy study(SquareSpace());
  for (int i = 0; i < 14; ++i) {
    study.Queue(study.space->Decode({i == 5 ? 2 / 14.0 : i / 14.0, 0.5}));
    if (i == 8) {
      study.End(Ending::kInfeasible);
    } else {
      study.End(Ending::kMeasured, std::sin(static_cast<double>(i)));
    }
  }
  return study;
}

// What a history's fingerprints stand for.
std::vector<Fingerprint> FingerprintsOfData(const EarlierResults& history, Index now) {
  std::vector<Fingerprint> by_count(1);
  for (Index count = 1; count <= now; ++count) {
    by_count.push_back(by_count.back());
    AddData(history.at(count), &by_count.back());
  }
  return by_count;
}

constexpr Index kNow = 12;

TEST(TrainingHistory, HasOtherFingerprintsExactlyFromWhereResultsAreOthers) {
  struct Change {
    std::function<void(FakeStudy&)> change;
    Index same_until = 0;
  };
  const std::vector<Change> changes = {
      {[](FakeStudy& other) { other.ended.erase(other.ended.begin() + 8); }, kNow},  // No value.
      {[](FakeStudy& other) { other.ended[3].value = 7; }, 3},
      {[](FakeStudy& other) { other.ended[5].value = 7; }, 4},  // A repeat of the third.
      {[](FakeStudy& other) { other.ended.erase(other.ended.begin() + 5); }, 4},
      {[](FakeStudy& other) { std::swap(other.ended[10], other.ended[11]); }, 8},
      {[](FakeStudy& other) {
         other.ended[13].configuration = other.space->Decode({0.99, 0.99});
       },
       11}};
  const Scaling scaling;
  const FakeStudy study = StudyOfTwelve();
  const StudyView view = study.view();
  const EarlierResults history = HistoryOf(view, scaling);
  ASSERT_EQ(history.at(kNow).y.size(), kNow);
  const std::vector<Fingerprint> of_data = FingerprintsOfData(history, kNow);
  for (const Change& change : changes) {
    FakeStudy other = study;
    change.change(other);
    const StudyView its_view = other.view();
    const EarlierResults its = HistoryOf(its_view, scaling);
    const std::vector<Fingerprint> its_of_data = FingerprintsOfData(its, kNow);
    for (size_t count = 0; count <= kNow; ++count) {
      const bool is_same = static_cast<Index>(count) <= change.same_until;
      EXPECT_EQ(its_of_data[count] == of_data[count], is_same) << count;
      EXPECT_EQ(its.fingerprints()[count] == history.fingerprints()[count], is_same) << count;
    }
  }
}

TEST(TrainingHistory, HasOtherFingerprintsOnAnotherScale) {
  const FakeStudy study = StudyOfTwelve();
  FakeStudy other_goal = study;
  other_goal.goal = Goal::kMinimize;
  const StudyView view = study.view();
  const StudyView goal_view = other_goal.view();
  const Scaling usual;
  const std::vector<Scaling> scalings = {{.warp = OutputWarp::kPower},
                                         {.reach = 10},
                                         {.beside_sources = true},
                                         {.shared = OutputTransform::Identity(1)},
                                         {.shared = OutputTransform::Identity(1).MovedBy(0.5)},
                                         {.only_result_at = 0.5},
                                         {.most = 9}};
  std::vector<std::vector<Fingerprint>> all = {HistoryOf(view, usual).fingerprints(),
                                               HistoryOf(goal_view, usual).fingerprints()};
  for (const Scaling& scaling : scalings) all.push_back(HistoryOf(view, scaling).fingerprints());
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(all[i][kNow] == all[j][kNow]) << i << " " << j;
  }
}

}  // namespace
}  // namespace slipstream
