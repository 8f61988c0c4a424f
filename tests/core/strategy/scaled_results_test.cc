#include "core/strategy/scaled_results.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "core/calibration/posterior.h"
#include "gtest/gtest.h"
#include "tests/core/space/configurations.h"
#include "tests/core/strategy/study_fixtures.h"

namespace slipstream {
namespace {

// A number and a switch.
std::shared_ptr<const SearchSpace> SwitchedLine() {
  return MakeSpace({{"x", DoubleDomain{}, {}, {}}, {"on", BooleanDomain{}, {}, {}}});
}

// `count` evenly spread configurations with the values that `value_at` gives their coordinates.
template <typename ValueAt>
FakeStudy StudyWith(std::shared_ptr<const SearchSpace> space, int count, const ValueAt& value_at) {
  FakeStudy study(std::move(space));
  study.noiseless = true;
  for (int i = 0; i < count; ++i) {
    study.Lease(MustSuggest("quasi_random", study.view(), 1, 5));
    const std::vector<double> point =
        CoordinatesOf(*study.space, study.open.front().configuration);
    study.End(Ending::kMeasured, value_at(point[0], point[1]));
  }
  return study;
}

double Wave(double x, double y) { return std::sin(5 * x) + 0.5 * y; }
double ExponentialWave(double x, double y) { return std::exp(6 * Wave(x, y)); }

// The scale that a judge of most probable hyperparameters chooses.
struct Judged {
  explicit Judged(const FakeStudy& study)
      : model(DefaultModel(KindsOf(*study.space), {.noiseless = true, .mean_deviation = 3})),
        judge(MakeMaximumPosterior({})) {}

  absl::StatusOr<ScaledResults> Scale(const StudyView& view, OutputWarp warp) {
    return ScaleBy(view, Scaling{warp});
  }
  absl::StatusOr<ScaledResults> ScaleBy(const StudyView& view, const Scaling& scaling) {
    return ScaleResultsBy({model, *judge, cache}, view, scaling);
  }

  Model model;
  std::unique_ptr<Calibration> judge;
  CalibrationCache cache;
};

void ExpectSame(const ScaledResults& actual, const ScaledResults& expected) {
  EXPECT_EQ(actual.training.data.y, expected.training.data.y);
  EXPECT_EQ(actual.calibration_part.y, expected.calibration_part.y);
  EXPECT_EQ(actual.calibrated_to, expected.calibrated_to);
}

TEST(ScaledResults, OneThatIsInfiniteOnTheEarlierScaleHasAllScaledAnew) {
  for (const double huge : {1e300, -1e300}) {
    FakeStudy study = StudyWith(SwitchedLine(), 101, Wave);
    study.ended.back().value = huge;
    const ScaledResults scaled = ScaleResults(study.view(), {OutputWarp::kPower});
    EXPECT_TRUE(scaled.training.data.y.allFinite());
    EXPECT_LT(scaled.training.data.y.cwiseAbs().maxCoeff(), 1e6);
    EXPECT_EQ(scaled.calibrated_to, 101);
    EXPECT_EQ(MustSuggest("gp_ucb", study.view(), 1, 5)[0].provenance.rung, Rung::kRecipe);
  }
}

TEST(ScaledResults, StayOnAGivenScaleHoweverLargeTheyAre) {
  const auto large = [](double x, double y) { return 1e7 * Wave(x, y); };
  const FakeStudy study = StudyWith(SwitchedLine(), 105, large);
  Scaling scaling{OutputWarp::kStandardize};
  scaling.shared = OutputTransform::Identity(1);
  EXPECT_EQ(ScaleResults(study.view(), scaling).calibrated_to, 100);
}

TEST(ScaledResults, ArePlainInAMixedSpaceWithoutEvidenceForAPower) {
  const FakeStudy study = StudyWith(SwitchedLine(), 20, Wave);
  const auto scaled = Judged(study).Scale(study.view(), OutputWarp::kByEvidence);
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  ASSERT_TRUE(scaled->power_evidence.has_value());
  EXPECT_LE(*scaled->power_evidence, 5);
  ExpectSame(*scaled, ScaleResults(study.view(), {OutputWarp::kStandardize}));
}

TEST(ScaledResults, AreAPowersInAMixedSpaceWhereTheProcessExplainsThemFarBetterSo) {
  const FakeStudy study = StudyWith(SwitchedLine(), 20, ExponentialWave);
  const auto scaled = Judged(study).Scale(study.view(), OutputWarp::kByEvidence);
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  ASSERT_TRUE(scaled->power_evidence.has_value());
  EXPECT_GT(*scaled->power_evidence, 5);
  ExpectSame(*scaled, ScaleResults(study.view(), {OutputWarp::kPower}));
}

TEST(ScaledResults, TheEvidenceIsTheRatioOfDensitiesOnTheResultsOwnScale) {
  const FakeStudy study = StudyWith(SwitchedLine(), 12, ExponentialWave);
  Judged judged(study);
  const auto scaled = judged.Scale(study.view(), OutputWarp::kByEvidence);
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  double expected = 0;
  for (const auto& [warp, sign] :
       {std::pair{OutputWarp::kPower, 1.0}, std::pair{OutputWarp::kStandardize, -1.0}}) {
    const ScaledResults one = ScaleResults(study.view(), {warp});
    const auto found = judged.judge->Calibrate(judged.model, {one.calibration_part});
    ASSERT_TRUE(found.ok()) << found.status();
    expected += sign * found->log_posterior;
    for (const EndedTrial& trial : study.ended) {
      const double step = 1e-6 * std::abs(*trial.value);
      const OutputTransform& transform = one.training.transform;
      expected +=
          sign *
          std::log((transform.Apply(*trial.value + step) - transform.Apply(*trial.value - step)) /
                   (2 * step));
    }
  }
  EXPECT_NEAR(*scaled->power_evidence, expected, 1e-4);
}

TEST(ScaledResults, AreAlwaysAPowersInASpaceOfNumbers) {
  const FakeStudy study = StudyWith(SquareSpace(), 20, Wave);
  const auto scaled = Judged(study).Scale(study.view(), OutputWarp::kByEvidence);
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_FALSE(scaled->power_evidence.has_value());
  ExpectSame(*scaled, ScaleResults(study.view(), {OutputWarp::kPower}));
}

TEST(ScaledResults, AreByEvidenceInASpaceOfNumbersBesideSources) {
  Scaling scaling{OutputWarp::kByEvidence};
  scaling.beside_sources = true;
  for (const auto& [value_at, warp] :
       std::vector<std::pair<double (*)(double, double), OutputWarp>>{
           {Wave, OutputWarp::kStandardize}, {ExponentialWave, OutputWarp::kPower}}) {
    const FakeStudy study = StudyWith(SquareSpace(), 20, value_at);
    const auto scaled = Judged(study).ScaleBy(study.view(), scaling);
    ASSERT_TRUE(scaled.ok()) << scaled.status();
    ASSERT_TRUE(scaled->power_evidence.has_value());
    EXPECT_EQ(*scaled->power_evidence > 0, warp == OutputWarp::kPower);
    Scaling chosen{warp};
    chosen.reach = kUsualReach;
    chosen.beside_sources = true;
    ExpectSame(*scaled, ScaleResults(study.view(), chosen));
  }
}

// Three of four results are within a hundredth of the optimum, with a thousandth of noise.
TEST(ScaledResults, BesideSourcesCrowdedOnesDoNotHideWhatTheOthersShow) {
  FakeStudy study(SquareSpace(), {}, Goal::kMinimize);
  const auto add = [&study](double x, double value) {
    study.Queue({{Value::Double(x), Value::Double(0.5)}});
    study.End(Ending::kMeasured, value);
  };
  for (int i = 0; i < 15; ++i) add(0.5 + 0.0005 * i, 0.001 * ((7 * i) % 5));
  for (const double x : {0.0, 0.2, 0.3, 0.7, 1.0}) add(x, std::abs(x - 0.5));
  Scaling scaling{OutputWarp::kStandardize, kUsualReach};
  EXPECT_EQ(ScaleResults(study.view(), scaling).training.limited, 5u);
  scaling.beside_sources = true;
  EXPECT_EQ(ScaleResults(study.view(), scaling).training.limited, 0u);
}

TEST(ScaledResults, ByEvidenceResultsFarBehindAreLimited) {
  for (const auto& space : {SquareSpace(), SwitchedLine()}) {
    FakeStudy study = StudyWith(space, 20, Wave);
    study.ended.back().value = study.goal == Goal::kMinimize ? 1e9 : -1e9;
    const auto scaled = Judged(study).Scale(study.view(), OutputWarp::kByEvidence);
    ASSERT_TRUE(scaled.ok()) << scaled.status();
    EXPECT_EQ(scaled->training.limited, 1u);
    EXPECT_LT(scaled->training.data.y.lpNorm<Eigen::Infinity>(), 4.2);
    const auto as_asked = Judged(study).Scale(study.view(), OutputWarp::kStandardize);
    ASSERT_TRUE(as_asked.ok()) << as_asked.status();
    EXPECT_EQ(as_asked->training.limited, 0u);
  }
}

TEST(ScaledResults, AreWhatIsAskedForOtherwise) {
  const FakeStudy study = StudyWith(SwitchedLine(), 20, ExponentialWave);
  for (const OutputWarp warp :
       {OutputWarp::kStandardize, OutputWarp::kPower, OutputWarp::kCopula}) {
    const auto scaled = Judged(study).Scale(study.view(), warp);
    ASSERT_TRUE(scaled.ok()) << scaled.status();
    EXPECT_FALSE(scaled->power_evidence.has_value());
    ExpectSame(*scaled, ScaleResults(study.view(), {warp}));
  }
}

TEST(ScaledResults, AboveAHundredResultsTheScaleIsThatOfWhenThereWereFewer) {
  const FakeStudy study = StudyWith(SwitchedLine(), 107, Wave);
  FakeStudy earlier = study;
  earlier.ended.resize(100);
  const ScaledResults scaled = ScaleResults(study.view(), {OutputWarp::kStandardize});
  const ScaledResults then = ScaleResults(earlier.view(), {OutputWarp::kStandardize});
  EXPECT_EQ(scaled.calibrated_to, 100);
  EXPECT_EQ(scaled.training.data.y.size(), 107);
  EXPECT_EQ(scaled.calibration_part.y, then.training.data.y);
  EXPECT_EQ(scaled.training.data.y.head(100), then.training.data.y);
}

}  // namespace
}  // namespace slipstream
