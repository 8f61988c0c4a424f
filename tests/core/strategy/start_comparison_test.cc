#include "core/strategy/start_comparison.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/space/quasi_random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

// Values are normal around 10 times the first coordinate, independent of each other, and known for
// certain where the last coordinate is 0.
class Slope final : public Surrogate {
 public:
  Slope(Index dimension, double deviation)
      : Surrogate(dimension), variance_(deviation * deviation) {}

 private:
  Predictions DoPredict(const PointMatrix& x) const override {
    Predictions there{10 * x.col(0), Vector::Constant(x.rows(), variance_)};
    for (Index i = 0; i < x.rows(); ++i) {
      if (x(i, x.cols() - 1) == 0) there.variance[i] = 1e-12;
    }
    return there;
  }
  PointPrediction DoPredictPoint(ConstVectorView /*x*/) const override { return {}; }
  Matrix DoJointCovariance(const PointMatrix& x) const override {
    return DoPredict(x).variance.asDiagonal();
  }
  absl::StatusOr<std::unique_ptr<Surrogate>> DoFantasize(const PointMatrix& /*x*/) const override {
    return absl::UnimplementedError("");
  }

  double variance_;
};

// Members of the given deviations and weights.
class FakeModel final : public SearchedModel {
 public:
  FakeModel(const std::vector<double>& deviations, std::vector<double> weights,
            Index dimension = 2)
      : weights_(std::move(weights)) {
    for (const double deviation : deviations) members_.emplace_back(dimension, deviation);
  }

  size_t size() const override { return members_.size(); }
  const Surrogate& member(size_t member) const override { return members_[member]; }
  double LogWeight(size_t member) const override { return std::log(weights_[member]); }
  double NoiseVariance(size_t /*member*/) const override { return 1; }
  double Incumbent(size_t /*member*/) const override { return 0; }
  const Vector& results() const override { return results_; }
  const OutputTransform& transform() const override { return transform_; }
  std::vector<Configuration> BestConfigurations(size_t /*count*/) const override { return {}; }
  bool is_costly() const override { return false; }

 private:
  std::vector<Slope> members_;
  std::vector<double> weights_;
  OutputTransform transform_ = OutputTransform::Identity(1);
  Vector results_;
};

constexpr uint64_t kSeed = 5;

// Adds a trial of the square that has ended; of the start, in place of the point number `index`.
void AddTrial(double x, double y, std::optional<uint64_t> index, Ending ending, FakeStudy& study) {
  EndedTrial trial;
  trial.number = ++study.last_trial;
  trial.configuration = {{Value::Double(x), Value::Double(y)}};
  trial.ending = ending;
  if (ending == Ending::kMeasured) trial.value = 10 * x;
  if (index.has_value()) trial.notes = {StartNote(study.view(), kSeed, *index)};
  study.ended.push_back(std::move(trial));
}

void AddResult(double x, uint64_t index, FakeStudy& study) {
  AddTrial(x, 0, index, Ending::kMeasured, study);
}

// Where the start without sources of this number has its point of this index.
double EvenX(size_t number, uint64_t index) {
  return QuasiRandomPoints(2, SeedOfOtherStart(kSeed, number), index, 1)[0][0];
}

double MeanBest(const std::vector<double>& values) {
  double best = values.front();
  double sum = 0;
  for (const double value : values) {
    best = std::max(best, value);
    sum += best;
  }
  return sum / static_cast<double>(values.size());
}

// The part of the starts without sources that are worse than `mean_best`.
double PartBelow(double mean_best, const std::vector<uint64_t>& indices) {
  double below = 0;
  for (size_t number = 0; number < kOtherStarts; ++number) {
    std::vector<double> values;
    for (const uint64_t index : indices) values.push_back(EvenX(number, index));
    below += MeanBest(values) < mean_best ? 1 : 0;
  }
  return below / static_cast<double>(kOtherStarts);
}

TEST(StartComparison, OneTrialBesideOnePointIsANormalDifference) {
  FakeStudy study(SquareSpace());
  AddResult(0.7, 0, study);
  const FakeModel model({2}, {1});
  const std::optional<StartComparison> start = CompareStarts(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->trials, 1u);
  double better = 0;
  for (size_t number = 0; number < kOtherStarts; ++number) {
    const double difference = 10 * (0.7 - EvenX(number, 0));
    better += std::erfc(-difference / 2 / std::sqrt(2.0)) / 2 / static_cast<double>(kOtherStarts);
  }
  EXPECT_NEAR(start->better, better, 0.03);
  EXPECT_NEAR(start->better + start->worse, 1, 1e-12);
}

TEST(StartComparison, TheBestSoFarCountsAtEachTrial) {
  FakeStudy study(SquareSpace());
  AddResult(0.5, 0, study);
  AddTrial(0.99, 0, {}, Ending::kMeasured, study);  // A person's own.
  AddTrial(0.8, 0, 3, Ending::kInfeasible, study);  // The best is still the first.
  const FakeModel model({1e-6}, {1});
  for (const double third : {0.3, 0.6, 0.9}) {
    FakeStudy ended = study;
    AddResult(third, 2, ended);
    const std::optional<StartComparison> start = CompareStarts(ended.view(), model, kSeed);
    ASSERT_TRUE(start.has_value());
    EXPECT_EQ(start->trials, 3u);
    const double better = PartBelow(MeanBest({0.5, 0.5, third}), {0, 3, 2});
    EXPECT_GT(better, 0);
    EXPECT_NEAR(start->better, better, 1e-12) << third;
    EXPECT_NEAR(start->worse, 1 - better, 1e-12) << third;
  }
}

TEST(StartComparison, AGoodResultThatComesEarlierIsBetter) {
  for (const uint64_t good : {0, 3}) {
    FakeStudy study(SquareSpace());
    std::vector<double> values(4, 0.1);
    values[good] = 0.8;
    for (const uint64_t index : {0, 1, 2, 3}) AddResult(values[index], index, study);
    const auto start = CompareStarts(study.view(), FakeModel({1e-6}, {1}), kSeed);
    ASSERT_TRUE(start.has_value());
    EXPECT_NEAR(start->better, PartBelow(MeanBest(values), {0, 1, 2, 3}), 1e-12);
    EXPECT_EQ(start->better > 0.5, good == 0);
  }
}

// Beside a single start without sources each of these would be surely better or surely worse.
TEST(StartComparison, AStartThatIsOnlyLuckyOrUnluckySeldomDiffersFromTheOthers) {
  constexpr uint64_t kStudies = 200;
  const FakeModel model({1e-6}, {1});
  int decided = 0;
  for (uint64_t seed = 0; seed < kStudies; ++seed) {
    FakeStudy study(SquareSpace());
    for (const uint64_t index : {0, 1, 2}) {
      const std::vector<double> point = QuasiRandomPoints(2, seed + 1000, index, 1)[0];
      AddTrial(point[0], point[1], index, Ending::kMeasured, study);
    }
    const auto start = CompareStarts(study.view(), model, seed);
    ASSERT_TRUE(start.has_value());
    decided += std::max(start->better, start->worse) > 0.975 ? 1 : 0;
  }
  EXPECT_LE(decided, 18);  // 5% are expected.
}

// It says nothing about the objective, so what would have been in its place does not count either.
TEST(StartComparison, ATrialThatFailedDoesNotCount) {
  FakeStudy study(SquareSpace());
  AddResult(0.5, 0, study);
  const FakeModel model({1e-6}, {1});
  for (const uint64_t index : {1, 2, 3, 4}) AddTrial(0.8, 0, index, Ending::kFailed, study);
  const std::optional<StartComparison> start = CompareStarts(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->trials, 1u);
  EXPECT_NEAR(start->better, PartBelow(0.5, {0}), 1e-12);
}

TEST(StartComparison, AConfigurationThatWasQueuedAgainCountsOnce) {
  FakeStudy study(SquareSpace());
  AddResult(0.6, 0, study);
  const FakeModel model({1}, {1});
  const std::optional<StartComparison> once = CompareStarts(study.view(), model, kSeed);
  AddResult(0.6, 0, study);  // A late result, and that of the trial that repeats it.
  const std::optional<StartComparison> twice = CompareStarts(study.view(), model, kSeed);
  ASSERT_TRUE(once.has_value() && twice.has_value());
  EXPECT_EQ(twice->trials, 1u);
  EXPECT_EQ(twice->better, once->better);
}

TEST(StartComparison, AModelCountsByItsWeight) {
  FakeStudy study(SquareSpace());
  AddResult(1, 0, study);
  const auto better = [&](std::vector<double> weights) {
    const FakeModel model({1e-3, 1000}, std::move(weights));
    return CompareStarts(study.view(), model, kSeed)->better;
  };
  EXPECT_EQ(better({1, 0}), 1);
  EXPECT_NEAR(better({0, 1}), 0.5, 0.06);
  EXPECT_NEAR(better({0.6, 0.4}), 0.8, 0.05);
}

TEST(StartComparison, StartsThatAreTheSameGainNothing) {
  SearchSpace::CandidateTable one;
  one.rows.push_back({{"x", 0.5}});
  FakeStudy study(MakeSpace({{"x", DoubleDomain{}, {}, {}}}, std::move(one)));
  EndedTrial trial;
  trial.configuration = study.space->candidates()[0];
  trial.value = 5;
  trial.notes = {StartNote(study.view(), kSeed, 0)};
  study.ended.push_back(trial);
  const auto start = CompareStarts(study.view(), FakeModel({2}, {1}, 1), kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->better, 0);
  EXPECT_EQ(start->worse, 0);
}

TEST(StartComparison, WithoutAResultOfTheStartNothingIsKnown) {
  FakeStudy study(SquareSpace());
  const FakeModel model({1}, {1});
  EXPECT_FALSE(CompareStarts(study.view(), model, kSeed).has_value());
  AddTrial(0.7, 0, {}, Ending::kMeasured, study);
  AddTrial(0.7, 0, 0, Ending::kInfeasible, study);
  EXPECT_FALSE(CompareStarts(study.view(), model, kSeed).has_value());
}

TEST(StartComparison, OnCandidatesTheOtherStartIsOfTheListWithoutRepeats) {
  FakeStudy study(LineOfCandidates(3));
  for (const uint64_t index : {0, 1, 2, 3}) {
    EndedTrial trial;
    trial.configuration = study.space->candidates()[0];
    trial.candidate = 0;
    trial.value = 0;
    trial.notes = {StartNote(study.view(), kSeed, index)};
    study.ended.push_back(std::move(trial));
  }
  // Three of three candidates, of which this is the worst; there is no fourth.
  const FakeModel model({1e-6}, {1}, 1);
  const std::optional<StartComparison> start = CompareStarts(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->trials, 3u);
  EXPECT_EQ(start->worse, 1);
}

TEST(StartComparison, WhatPeopleHadTriedWouldNotHaveBeenSuggestedEither) {
  FakeStudy study(LineOfCandidates(3));
  const double first = StartNote(study.view(), kSeed, 0).values[1];
  EndedTrial own;
  own.candidate = static_cast<int64_t>(first);
  own.configuration = study.space->candidates()[static_cast<size_t>(first)];
  own.value = 5;
  study.ended.push_back(own);
  EXPECT_NE(StartNote(study.view(), kSeed, 0).values[1], first);
  study.ended.back().notes = {{"start_index", {0, first}}};
  EXPECT_EQ(StartNote(study.view(), kSeed, 0).values[1], first);
}

TEST(StartComparison, OnCandidatesOtherStartsHaveWhatPeopleHadLeftAndNoModelTookLater) {
  FakeStudy study(LineOfCandidates(3));
  const auto add = [&study](size_t candidate, std::optional<uint64_t> index) {
    EndedTrial trial;
    trial.configuration = study.space->candidates()[candidate];
    trial.candidate = static_cast<int64_t>(candidate);
    trial.value = 5.0 * static_cast<double>(candidate);
    if (index.has_value()) trial.notes = {StartNote(study.view(), kSeed, *index)};
    study.ended.push_back(std::move(trial));
  };
  const FakeModel model({1e-6}, {1}, 1);
  add(2, {});  // A person's own, and the best.
  add(1, 0);
  const std::optional<StartComparison> start = CompareStarts(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->worse, 0);
  EXPECT_GT(start->better, 0);
  EXPECT_LT(start->better, 1);
  add(0, {});
  EXPECT_EQ(CompareStarts(study.view(), model, kSeed)->better, start->better);
}

TEST(StartComparison, IsOfSoManyTrialsAtMost) {
  FakeStudy study(SquareSpace());
  for (int i = 0; i < 5000; ++i) AddResult(0.1 + 1e-5 * i, 3, study);  // As an import may have it.
  const auto repeated = CompareStarts(study.view(), FakeModel({1e-6}, {1}), kSeed);
  ASSERT_TRUE(repeated.has_value());
  EXPECT_EQ(repeated->trials, 1u);
  EXPECT_NEAR(repeated->better, PartBelow(0.1, {3}), 1e-12);
  for (uint64_t index = 0; index < kMostOfStart + 5; ++index) AddResult(0.9, index, study);
  const auto start = CompareStarts(study.view(), FakeModel({1e-6}, {1}), kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->trials, kMostOfStart);
}

TEST(StartComparison, NotesThatSayNothingSensibleAreIgnored) {
  const FakeModel square({1}, {1});
  const FakeModel line({1}, {1}, 1);
  for (const std::vector<double>& note : std::vector<std::vector<double>>{
           {}, {-1}, {0.5}, {std::nan("")}, {1e300}, {0, -1}, {0, 3}, {0, std::nan("")}}) {
    FakeStudy study(LineOfCandidates(3));
    EndedTrial trial;
    trial.configuration = {{Value::Double(0.5)}};
    trial.value = 5;
    trial.notes = {{"start_index", note}};
    study.ended.push_back(trial);
    EXPECT_FALSE(CompareStarts(study.view(), line, kSeed).has_value());
    if (note.size() == 2) continue;
    FakeStudy plain(SquareSpace());
    trial.configuration = {{Value::Double(0.5), Value::Double(0.5)}};
    plain.ended.push_back(trial);
    EXPECT_FALSE(CompareStarts(plain.view(), square, kSeed).has_value());
  }
}

TEST(StartComparison, IsToldAsFacts) {
  const std::vector<Fact> facts = StartComparison{3, 0.75, 0.125}.Facts();
  ASSERT_EQ(facts.size(), 3u);
  EXPECT_EQ(facts[0].name, "start_trials");
  EXPECT_EQ(std::get<double>(facts[0].value), 3);
  EXPECT_EQ(std::get<double>(facts[1].value), 0.75);
  EXPECT_EQ(std::get<double>(facts[2].value), 0.125);
}

}  // namespace
}  // namespace slipstream
