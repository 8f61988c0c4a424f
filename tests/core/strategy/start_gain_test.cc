#include "core/strategy/start_gain.h"

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
  FakeModel(const std::vector<double>& deviations, std::vector<double> weights, double sign = 1,
            Index dimension = 2)
      : weights_(std::move(weights)), transform_(OutputTransform::Identity(sign)) {
    for (const double deviation : deviations) members_.emplace_back(dimension, deviation);
  }

  size_t size() const override { return members_.size(); }
  const Surrogate& member(size_t member) const override { return members_[member]; }
  double LogWeight(size_t member) const override { return std::log(weights_[member]); }
  double NoiseVariance(size_t /*member*/) const override { return 1; }
  double Incumbent(size_t /*member*/) const override { return 0; }
  const Vector& results() const override { return results_; }
  // The results are those before the transform.
  void SetTransform(OutputTransform transform, const Vector& results) {
    transform_ = std::move(transform);
    results_ = transform_.Apply(results);
  }
  const OutputTransform& transform() const override { return transform_; }
  std::vector<Configuration> BestConfigurations(size_t /*count*/) const override { return {}; }
  bool is_costly() const override { return false; }

 private:
  std::vector<Slope> members_;
  std::vector<double> weights_;
  OutputTransform transform_;
  Vector results_ = Vector::LinSpaced(2, -100, 100);
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

double EvenX(uint64_t index) { return QuasiRandomPoint(2, kSeed, index)[0]; }

TEST(StartGain, OneTrialBesideOnePointIsANormalDifference) {
  for (const double sign : {1.0, -1.0}) {
    FakeStudy study(SquareSpace());
    AddResult(0.7, 0, study);
    const FakeModel model({2}, {1}, sign);
    const std::optional<StartGain> start = GainOfStart(study.view(), model, kSeed);
    ASSERT_TRUE(start.has_value());
    EXPECT_EQ(start->trials, 1u);
    const double expected = 10 * (0.7 - EvenX(0));
    EXPECT_NEAR(start->gain, expected, 0.3);
    EXPECT_NEAR(start->gain_low, expected - 1.96 * 2, 0.6);
    EXPECT_NEAR(start->gain_high, expected + 1.96 * 2, 0.6);
  }
}

TEST(StartGain, TheBestOfEachStartCounts) {
  FakeStudy study(SquareSpace());
  AddResult(0.2, 0, study);
  AddTrial(0.9, 0, {}, Ending::kMeasured, study);  // A person's own.
  AddResult(0.6, 2, study);
  AddTrial(0.8, 0, 3, Ending::kInfeasible, study);
  const FakeModel model({1e-6}, {1});
  const std::optional<StartGain> start = GainOfStart(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->trials, 3u);
  const double expected = 10 * (0.6 - std::max({EvenX(0), EvenX(2), EvenX(3)}));
  EXPECT_NEAR(start->gain, expected, 1e-3);
  EXPECT_NEAR(start->gain_low, expected, 1e-3);
  EXPECT_NEAR(start->gain_high, expected, 1e-3);
}

// It says nothing about the objective, so what would have been in its place does not count either.
TEST(StartGain, ATrialThatFailedDoesNotCount) {
  FakeStudy study(SquareSpace());
  AddResult(0.6, 0, study);
  const FakeModel model({1e-6}, {1});
  for (const uint64_t index : {1, 2, 3, 4}) AddTrial(0.8, 0, index, Ending::kFailed, study);
  const std::optional<StartGain> start = GainOfStart(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->trials, 1u);
  EXPECT_NEAR(start->gain, 10 * (0.6 - EvenX(0)), 1e-3);
}

TEST(StartGain, AConfigurationThatWasQueuedAgainCountsOnce) {
  FakeStudy study(SquareSpace());
  AddResult(0.6, 0, study);
  const FakeModel model({1}, {1});
  const std::optional<StartGain> once = GainOfStart(study.view(), model, kSeed);
  AddResult(0.6, 0, study);  // A late result, and that of the trial that repeats it.
  const std::optional<StartGain> twice = GainOfStart(study.view(), model, kSeed);
  ASSERT_TRUE(once.has_value() && twice.has_value());
  EXPECT_EQ(twice->trials, 1u);
  EXPECT_EQ(twice->gain, once->gain);
  EXPECT_EQ(twice->gain_low, once->gain_low);
}

TEST(StartGain, AModelCountsByItsWeight) {
  FakeStudy study(SquareSpace());
  AddResult(0.7, 0, study);
  const auto width = [&](std::vector<double> weights) {
    const FakeModel model({0.1, 20}, std::move(weights));
    const std::optional<StartGain> start = GainOfStart(study.view(), model, kSeed);
    return start->gain_high - start->gain_low;
  };
  EXPECT_NEAR(width({1, 0}), 2 * 1.96 * 0.1, 0.1);
  EXPECT_NEAR(width({0.01, 0.99}), 2 * 1.96 * 20, 10);
  EXPECT_GT(width({0.8, 0.2}), 10);
}

TEST(StartGain, AStartThatIsTheSameGainsNothing) {
  FakeStudy study(SquareSpace());
  const std::vector<double> point = QuasiRandomPoint(2, kSeed, 4);
  AddTrial(point[0], point[1], 4, Ending::kMeasured, study);
  const std::optional<StartGain> start = GainOfStart(study.view(), FakeModel({2}, {1}), kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->gain_low, 0);
  EXPECT_EQ(start->gain_high, 0);
}

// The inverse of a power with a negative exponent ends not far above the results.
TEST(StartGain, NumbersStayReasonableBeyondTheResults) {
  FakeStudy study(SquareSpace());
  Vector results(8);
  results << 1, 1.1, 1.2, 1.4, 1.8, 3, 9, 40;
  FakeModel model({3}, {1});
  model.SetTransform(OutputTransform::Fit(OutputWarp::kPower, results, 1), results);
  ASSERT_GT(std::abs(model.transform().Invert(20)), 1e6);
  AddResult(0.1, 0, study);
  const std::optional<StartGain> start = GainOfStart(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_LT(start->gain_low, 0);
  EXPECT_GT(start->gain_low, -1e5);
  EXPECT_LT(start->gain_high, 1e5);
}

TEST(StartGain, WithoutAResultOfTheStartNothingIsKnown) {
  FakeStudy study(SquareSpace());
  const FakeModel model({1}, {1});
  EXPECT_FALSE(GainOfStart(study.view(), model, kSeed).has_value());
  AddTrial(0.7, 0, {}, Ending::kMeasured, study);
  AddTrial(0.7, 0, 0, Ending::kInfeasible, study);
  EXPECT_FALSE(GainOfStart(study.view(), model, kSeed).has_value());
}

TEST(StartGain, OnCandidatesTheOtherStartIsOfTheListWithoutRepeats) {
  FakeStudy study(LineOfCandidates(3));
  for (const uint64_t index : {0, 1, 2, 3}) {
    EndedTrial trial;
    trial.configuration = {{Value::Double(0.5)}};
    trial.candidate = 1;
    trial.value = 5;
    trial.notes = {StartNote(study.view(), kSeed, index)};
    study.ended.push_back(std::move(trial));
  }
  // Three of three candidates, among which the best is; there is no fourth.
  const FakeModel model({1e-6}, {1}, 1, 1);
  const std::optional<StartGain> start = GainOfStart(study.view(), model, kSeed);
  ASSERT_TRUE(start.has_value());
  EXPECT_EQ(start->trials, 3u);
  EXPECT_NEAR(start->gain, -5, 1e-3);
}

TEST(StartGain, NotesThatSayNothingSensibleAreIgnored) {
  const FakeModel square({1}, {1});
  const FakeModel line({1}, {1}, 1, 1);
  for (const std::vector<double>& note : std::vector<std::vector<double>>{
           {}, {-1}, {std::nan("")}, {1e300}, {0, -1}, {0, 3}, {0, std::nan("")}}) {
    FakeStudy study(LineOfCandidates(3));
    EndedTrial trial;
    trial.configuration = {{Value::Double(0.5)}};
    trial.value = 5;
    trial.notes = {{"start", note}};
    study.ended.push_back(trial);
    EXPECT_FALSE(GainOfStart(study.view(), line, kSeed).has_value());
    if (note.size() == 2) continue;
    FakeStudy plain(SquareSpace());
    trial.configuration = {{Value::Double(0.5), Value::Double(0.5)}};
    plain.ended.push_back(trial);
    EXPECT_FALSE(GainOfStart(plain.view(), square, kSeed).has_value());
  }
}

TEST(StartGain, IsToldAsFacts) {
  const std::vector<Fact> facts = StartGain{3, 0.5, 0.25, 0.75}.Facts();
  ASSERT_EQ(facts.size(), 4u);
  EXPECT_EQ(facts[0].name, "start_trials");
  EXPECT_EQ(std::get<double>(facts[0].value), 3);
  EXPECT_EQ(std::get<double>(facts[1].value), 0.5);
  EXPECT_EQ(std::get<double>(facts[2].value), 0.25);
  EXPECT_EQ(std::get<double>(facts[3].value), 0.75);
}

}  // namespace
}  // namespace slipstream
