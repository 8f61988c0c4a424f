// What every calibration promises.
#include "core/calibration/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/deadline.h"
#include "core/calibration/consistent.h"
#include "gtest/gtest.h"
#include "tests/core/calibration/naive_posterior.h"

namespace slipstream {
namespace {

enum class Method { kFixed, kMaximumLikelihood, kMaximumPosterior, kHamiltonian, kConsistent };

std::unique_ptr<Calibration> Make(Method method) {
  HamiltonianOptions few;
  few.warm_up = 20;
  few.draws = 16;
  few.members_per_chain = 4;
  switch (method) {
    case Method::kFixed:
      return MakeFixed();
    case Method::kMaximumLikelihood:
      return MakeMaximumLikelihood(QuasiNewtonOptions());
    case Method::kMaximumPosterior:
      return MakeMaximumPosterior(QuasiNewtonOptions());
    case Method::kHamiltonian:
      return MakeHamiltonian(few);
    case Method::kConsistent:
      return MakeConsistent(MakeMaximumPosterior(QuasiNewtonOptions()), ConsistentOptions());
  }
  return nullptr;
}

std::string NameOf(const testing::TestParamInfo<Method>& method) {
  constexpr const char* kNames[] = {"Fixed", "MaximumLikelihood", "MaximumPosterior", "Hamiltonian",
                                    "Consistent"};
  return kNames[static_cast<size_t>(method.param)];
}

class EveryCalibration : public testing::TestWithParam<Method> {
 protected:
  const std::unique_ptr<Calibration> calibration_ = Make(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Methods, EveryCalibration,
                         testing::Values(Method::kFixed, Method::kMaximumLikelihood,
                                         Method::kMaximumPosterior, Method::kHamiltonian,
                                         Method::kConsistent),
                         NameOf);

void ExpectSound(const Model& model, const TrainingData& data, const Calibrated& calibrated) {
  ASSERT_GE(calibrated.members.size(), 1u);
  EXPECT_TRUE(std::isfinite(calibrated.log_posterior));
  for (const Hyperparameters& member : calibrated.members) {
    const Vector packed = member.Packed();
    ASSERT_TRUE(packed.allFinite());
    EXPECT_TRUE((packed.array() >= model.Lower().array()).all()) << packed.transpose();
    EXPECT_TRUE((packed.array() <= model.Upper().array()).all()) << packed.transpose();
    EXPECT_TRUE(FitProcess(model.kernel, data, member).ok());
  }
  for (const auto& [name, value] : calibrated.diagnostics) {
    EXPECT_GE(value, 0) << name;  // R-hat is infinite where chains got stuck.
  }
}

TEST_P(EveryCalibration, GivesTheLocationsWithoutObservations) {
  for (Index dimension : {1, 7}) {
    const Model model = DefaultModel(Numbers(dimension), ModelOptions());
    const TrainingData none{PointMatrix(0, dimension), Vector(0), Vector(0)};
    const auto calibrated = calibration_->Calibrate(model, {none});
    ASSERT_TRUE(calibrated.ok()) << calibrated.status();
    ASSERT_EQ(calibrated->members.size(), 1u);
    EXPECT_EQ(calibrated->members[0].Packed(), model.Location());
  }
}

TEST_P(EveryCalibration, IsTheSameBitForBitEveryTime) {
  const Model model = SmoothModel(2);
  const TrainingData data = SampleData(20, 2, 0.1, 5);
  const auto first = calibration_->Calibrate(model, {data, 42});
  const auto second = Make(GetParam())->Calibrate(model, {data, 42});
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(first->members.size(), second->members.size());
  for (size_t i = 0; i < first->members.size(); ++i) {
    EXPECT_EQ(first->members[i].Packed(), second->members[i].Packed());
  }
  EXPECT_EQ(first->log_posterior, second->log_posterior);
  EXPECT_EQ(first->evaluations, second->evaluations);
  EXPECT_EQ(first->diagnostics, second->diagnostics);
}

TEST_P(EveryCalibration, LeavesAloneWhatIsFixed) {
  Model model = SmoothModel(2);
  Fix(model, 1, -0.321);
  Fix(model, 3, std::log(1e-3));
  const TrainingData data = SampleData(20, 2, 0.1, 5);
  const auto calibrated = calibration_->Calibrate(model, {data});
  ASSERT_TRUE(calibrated.ok()) << calibrated.status();
  for (const Hyperparameters& member : calibrated->members) {
    EXPECT_EQ(member.kernel[1], -0.321);
    EXPECT_EQ(member.log_noise_variance, std::log(1e-3));
  }
}

TEST_P(EveryCalibration, CopesWithAModelWhoseEverythingIsFixed) {
  Model model = SmoothModel(1);
  const Vector location = model.Location();
  for (Index i = 0; i < location.size(); ++i) Fix(model, i, location[i]);
  const TrainingData data = SampleData(8, 1, 0.1, 5);
  const auto calibrated = calibration_->Calibrate(model, {data});
  ASSERT_TRUE(calibrated.ok()) << calibrated.status();
  for (const Hyperparameters& member : calibrated->members) EXPECT_EQ(member.Packed(), location);
}

struct HardCase {
  std::string name;
  Model model;
  TrainingData data;
};

HardCase AllEqual() {
  HardCase hard{"all equal", SmoothModel(2), SampleData(15, 2, 0, 4)};
  hard.data.y.setConstant(0.7);
  return hard;
}

HardCase Duplicates() {
  HardCase hard{"duplicates that disagree", SmoothModel(2), SampleData(16, 2, 0, 4)};
  for (Index i = 8; i < 16; ++i) hard.data.x.row(i) = hard.data.x.row(0);
  hard.data.y.tail(8).setLinSpaced(-3, 3);
  return hard;
}

HardCase ExactDuplicates() {
  HardCase hard{"exact duplicates", SmoothModel(2, true), SampleData(16, 2, 0, 4)};
  for (Index i = 8; i < 16; ++i) hard.data.x.row(i) = hard.data.x.row(0);
  hard.data.y.tail(8).setConstant(hard.data.y[0]);
  return hard;
}

HardCase Outlier(double value) {
  HardCase hard{"an outlier of " + std::to_string(value), SmoothModel(2), SampleData(15, 2, 0, 4)};
  hard.data.y[6] = value;
  return hard;
}

std::vector<HardCase> HardCases() {
  std::vector<HardCase> cases = {AllEqual(), Duplicates(), ExactDuplicates(), Outlier(1e3),
                                 Outlier(-1e9)};
  cases.push_back({"one result", SmoothModel(2), SampleData(1, 2, 0, 1)});
  cases.push_back({"one wild result", SmoothModel(2), SampleData(1, 2, 1e6, 1)});
  cases.push_back({"two results", SmoothModel(1), SampleData(2, 1, 0, 1)});
  cases.push_back({"exact results on a line", SmoothModel(1, true), SampleData(50, 1, 0, 2)});
  cases.push_back({"sixty dimensions", SmoothModel(60), SampleData(25, 60, 0.1, 3)});
  cases.push_back({"sixty dimensions, exact", SmoothModel(60, true), SampleData(25, 60, 0, 3)});
  return cases;
}

TEST_P(EveryCalibration, IsSoundOnDegenerateData) {
  for (const HardCase& hard : HardCases()) {
    SCOPED_TRACE(hard.name);
    const auto calibrated = calibration_->Calibrate(hard.model, {hard.data, 1});
    ASSERT_TRUE(calibrated.ok()) << calibrated.status();
    ExpectSound(hard.model, hard.data, *calibrated);
  }
}

class EveryLearningCalibration : public EveryCalibration {};

INSTANTIATE_TEST_SUITE_P(Methods, EveryLearningCalibration,
                         testing::Values(Method::kMaximumLikelihood, Method::kMaximumPosterior,
                                         Method::kHamiltonian),
                         NameOf);

TEST_P(EveryLearningCalibration, SaysWhenThereIsNoTime) {
  const Model model = SmoothModel(2);
  for (Index count : {5, 200}) {
    const TrainingData data = SampleData(count, 2, 0.1, 5);
    const auto calibrated = calibration_->Calibrate(model, {data, 0, Deadline::Passed()});
    EXPECT_EQ(calibrated.status().code(), absl::StatusCode::kDeadlineExceeded);
  }
}

TEST_P(EveryLearningCalibration, SaysWhenTheLikelihoodCanNowhereBeComputed) {
  const Model model = SmoothModel(2);
  for (double impossible :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TrainingData data = SampleData(12, 2, 0.1, 5);
    data.y[4] = impossible;
    const auto calibrated = calibration_->Calibrate(model, {data});
    EXPECT_EQ(calibrated.status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST_P(EveryLearningCalibration, CountsItsEvaluations) {
  const Model model = SmoothModel(2);
  const auto calibrated = calibration_->Calibrate(model, {SampleData(12, 2, 0.1, 5)});
  ASSERT_TRUE(calibrated.ok());
  EXPECT_GT(calibrated->evaluations, 6);
}

TEST_P(EveryLearningCalibration, ItsLogPosteriorIsThatOfItsBestMember) {
  const Model model = SmoothModel(2);
  const TrainingData data = SampleData(15, 2, 0.1, 5);
  const auto calibrated = calibration_->Calibrate(model, {data, 3});
  ASSERT_TRUE(calibrated.ok());
  double best = -std::numeric_limits<double>::infinity();
  for (const Hyperparameters& member : calibrated->members) {
    const Vector packed = member.Packed();
    const bool with_beliefs = GetParam() != Method::kMaximumLikelihood;
    const double belief = with_beliefs ? NaiveLogBelief(model, packed) : 0;
    best = std::max(best, NaiveLogLikelihood(data, packed) + belief);
  }
  EXPECT_NEAR(calibrated->log_posterior, best, 1e-6 * (1 + std::fabs(best)));
}

}  // namespace
}  // namespace slipstream
