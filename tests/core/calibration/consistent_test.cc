#include "core/calibration/consistent.h"

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "core/base/deadline.h"
#include "gtest/gtest.h"
#include "tests/core/calibration/naive_posterior.h"

namespace slipstream {
namespace {

std::unique_ptr<Calibration> ConsistentMaximum(const ConsistentOptions& options = {}) {
  return MakeConsistent(MakeMaximumPosterior(QuasiNewtonOptions()), options);
}

// Keeps what it was asked.
class Recorder : public Calibration {
 public:
  struct Record {
    Model model;
    TrainingData data;
    Deadline deadline;
  };
  explicit Recorder(std::vector<Record>& records) : records_(records) {}

 private:
  absl::StatusOr<Calibrated> DoCalibrate(const Model& model,
                                         const CalibrationData& input) const override {
    records_.push_back({model, input.data, input.deadline});
    Calibrated result;
    result.members.push_back(model.Unpack(model.Location()));
    result.log_posterior = 17;
    result.evaluations = 5;
    return result;
  }

  std::vector<Record>& records_;
};

CoordinateKinds NumberWordNumber() {
  return {CoordinateKind::kNumber, CoordinateKind::kWord, CoordinateKind::kNumber};
}

TrainingData WithWords(Index count) {
  TrainingData data = SampleData(count, 3, 0.1, 3);
  for (Index i = 0; i < count; ++i) data.x(i, 1) = i % 3 == 0 ? 0.125 : 0.625;
  return data;
}

double NaiveDistance(const CoordinateKinds& kinds, const Vector& a, const Vector& b) {
  double squares = 0;
  for (Index d = 0; d < a.size(); ++d) {
    const bool is_word = kinds[static_cast<size_t>(d)] == CoordinateKind::kWord;
    squares += is_word ? (a[d] == b[d] ? 0.0 : 1.0) : (a[d] - b[d]) * (a[d] - b[d]);
  }
  return std::sqrt(squares);
}

TEST(PseudoData, TakesEachLabelFromTheNearestResult) {
  const CoordinateKinds kinds = NumberWordNumber();
  const TrainingData data = WithWords(20);
  const TrainingData pseudo = PseudoData(kinds, data, 40, 5);
  ASSERT_EQ(pseudo.y.size(), 40);
  for (Index i = 0; i < 40; ++i) {
    const Vector point = pseudo.x.row(i).transpose();
    Index nearest = 0;
    for (Index j = 1; j < 20; ++j) {
      if (NaiveDistance(kinds, point, data.x.row(j).transpose()) <
          NaiveDistance(kinds, point, data.x.row(nearest).transpose())) {
        nearest = j;
      }
    }
    EXPECT_EQ(pseudo.y[i], data.y[nearest]);
    EXPECT_TRUE(point[1] == 0.125 || point[1] == 0.625);
  }
}

TEST(PseudoData, CoversTheWholeCubeEvenly) {
  TrainingData data = SampleData(500, 2, 0.1, 3);
  data.x *= 0.1;  // Crowded in a corner.
  const TrainingData pseudo = PseudoData({}, data, 1000, 5);
  EXPECT_GE(pseudo.x.minCoeff(), 0);
  EXPECT_LT(pseudo.x.maxCoeff(), 1);
  for (const double part : {0.25, 0.5, 0.75}) {
    for (Index d = 0; d < 2; ++d) {
      const auto below = static_cast<double>((pseudo.x.col(d).array() < part).count());
      EXPECT_NEAR(below / 1000, part, 0.05);
    }
  }
}

TEST(PseudoData, IsAFunctionOfTheSeed) {
  const TrainingData data = SampleData(10, 2, 0.1, 3);
  const TrainingData first = PseudoData({}, data, 20, 5);
  const TrainingData second = PseudoData({}, data, 20, 5);
  const TrainingData other = PseudoData({}, data, 20, 6);
  EXPECT_EQ(first.x, second.x);
  EXPECT_EQ(first.y, second.y);
  EXPECT_NE(first.x, other.x);
}

TEST(PseudoData, KeepsEqualPointsThatDisagreeInTurn) {
  const TrainingData data{PointMatrix::Constant(2, 1, 0.5), Vector{{-1, 1}}, Vector::Ones(2)};
  const TrainingData pseudo = PseudoData({}, data, 10, 5);
  for (Index i = 0; i < 10; ++i) EXPECT_EQ(pseudo.y[i], i % 2 == 0 ? -1 : 1);
}

TEST(PseudoData, HasNoTwoEqualPoints) {
  const CoordinateKinds words = {CoordinateKind::kWord, CoordinateKind::kWord};
  TrainingData data = SampleData(30, 2, 0.1, 3);
  data.x = (3 * data.x.array()).floor() / 3;
  const TrainingData pseudo = PseudoData(words, data, 60, 5);
  EXPECT_LE(pseudo.y.size(), 9);
  std::set<std::pair<double, double>> points;
  for (Index i = 0; i < pseudo.y.size(); ++i) points.insert({pseudo.x(i, 0), pseudo.x(i, 1)});
  EXPECT_EQ(static_cast<Index>(points.size()), pseudo.y.size());
}

// What is known of a label is what is known of the result that it is.
TEST(PseudoData, TakesRepeatsNoiseAndTermsOfTheResult) {
  TrainingData data = SampleData(6, 1, 0.1, 3);
  data.repeats.setLinSpaced(1, 6);
  data.known_noise = data.repeats / 100;
  KnownTerm joint{data.repeats / 10, Matrix(data.repeats * data.repeats.transpose())};
  KnownTerm single{data.repeats / 7, Matrix(), data.repeats / 3};
  data.terms = {joint, single};
  const TrainingData pseudo = PseudoData({}, data, 12, 5);
  for (Index i = 0; i < 12; ++i) {
    const double repeats = pseudo.repeats[i];
    EXPECT_EQ(pseudo.y[i], data.y[static_cast<Index>(std::lround(repeats)) - 1]);
    EXPECT_EQ(pseudo.known_noise[i], repeats / 100);
    EXPECT_EQ(pseudo.terms[0].mean[i], repeats / 10);
    EXPECT_EQ(pseudo.terms[1].mean[i], repeats / 7);
    EXPECT_EQ(pseudo.terms[1].variance[i], repeats / 3);
    for (Index j = 0; j < 12; ++j) {
      EXPECT_EQ(pseudo.terms[0].covariance(i, j), repeats * pseudo.repeats[j]);
    }
  }
}

TEST(Consistent, MinimisesTheLossOfThePseudoData) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Model model = SmoothModel(1);
    const TrainingData data = SampleData(9, 1, 0.2, seed);
    const TrainingData pseudo = PseudoData(model.kinds, data, 18, seed);
    const auto calibrated = ConsistentMaximum()->Calibrate(model, {data, seed});
    ASSERT_TRUE(calibrated.ok()) << calibrated.status();
    ASSERT_EQ(calibrated->members.size(), 1U);
    const Vector packed = calibrated->members[0].Packed();
    const double actual = NaiveLogLikelihood(pseudo, packed) + NaiveLogBelief(model, packed);
    EXPECT_NEAR(calibrated->log_posterior, actual, 1e-6 * (1 + std::fabs(actual)));
    EXPECT_GT(actual, MaximizeNaively(model, pseudo, true, 6).value - 0.1);
    ASSERT_EQ(calibrated->diagnostics.size(), 1U);
    EXPECT_EQ(calibrated->diagnostics[0].first, "pseudo_points");
    EXPECT_EQ(calibrated->diagnostics[0].second, 18);
  }
}

TEST(Consistent, AsksTheWrappedCalibrationAndGivesWhatItSays) {
  std::vector<Recorder::Record> records;
  const Model model = SmoothModel(2);
  const TrainingData data = SampleData(30, 2, 0.1, 5);
  const Deadline deadline = Deadline::In(absl::Hours(1));
  ConsistentOptions options;
  options.points_per_result = 3;
  const auto calibrated = MakeConsistent(std::make_unique<Recorder>(records), options)
                              ->Calibrate(model, {data, 8, deadline});
  ASSERT_TRUE(calibrated.ok()) << calibrated.status();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].data.x, PseudoData(model.kinds, data, 90, 8).x);
  EXPECT_EQ(records[0].model.Lower(), model.Lower());
  EXPECT_EQ(records[0].deadline.moment(), deadline.moment());
  EXPECT_EQ(calibrated->log_posterior, 17);
  EXPECT_EQ(calibrated->evaluations, 5);
  options.most_points = 50;
  ASSERT_TRUE(MakeConsistent(std::make_unique<Recorder>(records), options)
                  ->Calibrate(model, {data, 8})
                  .ok());
  EXPECT_EQ(records[1].data.y.size(), 50);
}

TEST(Consistent, KnowsTheModelsWords) {
  std::vector<Recorder::Record> records;
  const Model model = DefaultModel(NumberWordNumber(), ModelOptions());
  ASSERT_TRUE(MakeConsistent(std::make_unique<Recorder>(records), {})
                  ->Calibrate(model, {WithWords(10)})
                  .ok());
  for (Index i = 0; i < records[0].data.y.size(); ++i) {
    EXPECT_TRUE(records[0].data.x(i, 1) == 0.125 || records[0].data.x(i, 1) == 0.625);
  }
}

TEST(Consistent, SaysWhenThereIsNoTime) {
  const Model model = SmoothModel(2);
  for (Index count : {5, 200}) {
    const auto calibrated = ConsistentMaximum()->Calibrate(
        model, {SampleData(count, 2, 0.1, 5), 0, Deadline::Passed()});
    EXPECT_EQ(calibrated.status().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST(Consistent, SaysWhenAResultIsNotFinite) {
  const Model model = SmoothModel(2);
  for (double impossible :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (Index place = 0; place < 12; ++place) {
      TrainingData data = SampleData(12, 2, 0.1, 5);
      data.y[place] = impossible;
      const auto calibrated = ConsistentMaximum()->Calibrate(model, {data});
      EXPECT_EQ(calibrated.status().code(), absl::StatusCode::kFailedPrecondition);
    }
  }
}

// Labels are not exact even then: explained without noise they are as rough as
// can be.
TEST(Consistent, TakesExactResultsForSmooth) {
  const Model model = SmoothModel(1, true);
  const TrainingData data = SampleData(100, 1, 0, 3);
  const auto calibrated = ConsistentMaximum()->Calibrate(model, {data, 1});
  ASSERT_TRUE(calibrated.ok()) << calibrated.status();
  EXPECT_EQ(calibrated->members[0].log_noise_variance, std::log(1e-8));
  const TrainingData pseudo = PseudoData({}, data, 200, 1);
  const auto without_noise = MakeMaximumPosterior({})->Calibrate(model, {pseudo});
  const auto of_results = MakeMaximumPosterior({})->Calibrate(model, {data});
  ASSERT_TRUE(without_noise.ok() && of_results.ok());
  const double truth = of_results->members[0].kernel[1];
  EXPECT_LT(without_noise->members[0].kernel[1], truth - 2);
  EXPECT_NEAR(calibrated->members[0].kernel[1], truth, 0.7);
}

TEST(Consistent, LeavesWhatIsAllFixedToTheResults) {
  std::vector<Recorder::Record> records;
  Model model = SmoothModel(1);
  const Vector location = model.Location();
  for (Index i = 0; i < location.size(); ++i) Fix(model, i, location[i]);
  const TrainingData data = SampleData(8, 1, 0.1, 5);
  const auto calibrated =
      MakeConsistent(std::make_unique<Recorder>(records), {})->Calibrate(model, {data});
  ASSERT_TRUE(calibrated.ok());
  EXPECT_EQ(calibrated->members[0].Packed(), location);
  EXPECT_EQ(records[0].data.x, data.x);
}

// The weight of a known function is learnt as from the results themselves.
TEST(Consistent, LearnsTheWeightOfAKnownTerm) {
  Model model = SmoothModel(2);
  model.beliefs.push_back({0.5, 0.5, 0, 10, 1});
  TrainingData data = SampleData(25, 2, 0.01, 5);
  const Vector known = (data.x.col(0).array() * 30).sin();
  data.y += 2 * known;
  data.terms = {{known, Matrix::Zero(25, 25)}};
  const auto calibrated = ConsistentMaximum()->Calibrate(model, {data, 2});
  ASSERT_TRUE(calibrated.ok()) << calibrated.status();
  EXPECT_NEAR(calibrated->members[0].weights[0], 2, 0.3);
}

TEST(Consistent, AgreesWithTheResultsWhereTheyAreMany) {
  const Model model = SmoothModel(1);
  for (unsigned seed = 3; seed < 6; ++seed) {
    const TrainingData data = SampleData(150, 1, 0.1, seed);
    const auto usual = MakeMaximumPosterior({})->Calibrate(model, {data});
    const auto consistent = ConsistentMaximum()->Calibrate(model, {data, seed});
    ASSERT_TRUE(usual.ok() && consistent.ok());
    EXPECT_NEAR(consistent->members[0].kernel[1], usual->members[0].kernel[1], 0.3);
    EXPECT_NEAR(consistent->members[0].log_noise_variance, usual->members[0].log_noise_variance,
                0.5);
  }
}

TEST(Consistent, WrapsAnyCalibration) {
  const Model model = SmoothModel(1);
  HamiltonianOptions few;
  few.warm_up = 20;
  few.draws = 16;
  few.members_per_chain = 4;
  const TrainingData data = SampleData(8, 1, 0.1, 3);
  const auto drawn = MakeConsistent(MakeHamiltonian(few), {})->Calibrate(model, {data, 3});
  const TrainingData pseudo = PseudoData({}, data, 16, 3);
  const auto expected = MakeHamiltonian(few)->Calibrate(model, {pseudo, 3});
  ASSERT_TRUE(drawn.ok() && expected.ok());
  ASSERT_EQ(drawn->members.size(), 8U);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(drawn->members[i].Packed(), expected->members[i].Packed());
  }
  const auto fixed = MakeConsistent(MakeFixed(), {})->Calibrate(model, {data, 3});
  ASSERT_TRUE(fixed.ok());
  EXPECT_EQ(fixed->members[0].Packed(), model.Location());
}

}  // namespace
}  // namespace slipstream
