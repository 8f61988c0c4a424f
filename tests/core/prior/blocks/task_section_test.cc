#include "core/prior/blocks/task_section.h"

#include <memory>

#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

TEST(TaskSection, IsTheProcessAtTheTargetsTask) {
  const CoordinateKinds kinds = WithTask(Numbers(2));
  ASSERT_EQ(kinds.size(), 3U);
  EXPECT_EQ(kinds.back(), CoordinateKind::kWord);
  const std::shared_ptr<const Kernel> kernel =
      MakeStationary(Smoothness::kMatern52, kinds, Lengthscales::kEach);
  const SourcePoints points =
      CollectPoints({SourceOf("a", Wave, 2, 7, 1), SourceOf("b", Bowl, 2, 5, 2)}, 100);
  const TrainingData target = Sampled(Wave, 2, 4, 3);
  const PointMatrix x = WithTasks(target.x, points);
  ASSERT_EQ(x.rows(), 16);
  EXPECT_EQ(x.col(2).head(4), Vector::Zero(4));
  EXPECT_EQ(x.col(2).segment(4, 7), Vector::Ones(7));
  EXPECT_EQ(x.col(2).tail(5), Vector::Constant(5, 2));
  const TrainingData joined = Joined(target, points);
  const auto prior = std::make_shared<KernelPrior>(kernel, Vector{{0, -1, -0.8, 0.3}}, 0.2);
  const auto process =
      GaussianProcess::Fit(prior, {x, joined.y, Vector::Constant(16, 0.01)}).value();
  const auto section = MakeTargetSection(process);
  EXPECT_EQ(section->dimension(), 2);
  const PointMatrix at = RandomPoints(Numbers(2), 12, 4);
  const PointMatrix placed = WithTask(at, kTargetTask);
  EXPECT_EQ(section->Predict(at).mean, process.Predict(placed).mean);
  EXPECT_EQ(section->Predict(at).variance, process.Predict(placed).variance);
  EXPECT_EQ(section->JointCovariance(at), process.CrossCovariance(placed, placed));
  const PointMatrix many = RandomPoints(Numbers(2), 300, 6);
  section->Expect(at);
  for (int time = 0; time < 3; ++time) {
    EXPECT_EQ(section->Covariance(at, many),
              process.CrossCovariance(placed, WithTask(many, kTargetTask)));
  }
  ExpectConsistent(*section, at);
  const PointMatrix pending = RandomPoints(Numbers(2), 3, 5);
  const auto fantasy = section->Fantasize(pending).value();
  ExpectConsistent(*fantasy, at);
  const auto expected = process.Fantasize(WithTask(pending, kTargetTask)).value();
  EXPECT_LT(
      (fantasy->Predict(at).variance - expected->Predict(placed).variance).cwiseAbs().maxCoeff(),
      1e-4);
}

}  // namespace
}  // namespace slipstream
