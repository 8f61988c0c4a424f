#include "tests/core/gp/gaussian_fixtures.h"

#include <utility>

#include "gtest/gtest.h"
#include "tests/core/gp/stacked_priors.h"

namespace slipstream {
namespace {

Believed SumOf(const Believed& first, const Believed& second) {
  return {"SumPrior",
          first.kinds,
          std::make_shared<SumPrior>(first.prior, second.prior),
          {[=](const LongPoint& a) { return first.belief.mean(a) + second.belief.mean(a); },
           [=](const LongPoint& a, const LongPoint& b) {
             return first.belief.covariance(a, b) + second.belief.covariance(a, b);
           }}};
}

CoordinateKinds Mixed() {
  return {CoordinateKind::kNumber, CoordinateKind::kWord, CoordinateKind::kNumber};
}

}  // namespace

Believed BelievedOf(const KernelRecipe& recipe, double mean, uint64_t seed) {
  const Vector parameters = RandomVector(recipe.parameter_count, -1.2, 0.3, seed);
  return {
      recipe.name, recipe.kinds,
      std::make_shared<KernelPrior>(std::shared_ptr<const Kernel>(recipe.make()), parameters, mean),
      ToLongBelief(recipe, ToLong(parameters), mean)};
}

std::vector<Believed> BelievedOfEachKind() {
  const KernelRecipe smooth = StationaryRecipe(Smoothness::kMatern52, Mixed(), Lengthscales::kEach);
  const KernelRecipe rough =
      StationaryRecipe(Smoothness::kMatern12, Mixed(), Lengthscales::kShared);
  const KernelRecipe numbers =
      StationaryRecipe(Smoothness::kSquaredExponential, Numbers(2), Lengthscales::kEach);
  return {BelievedOf(smooth, 0.7, 1001), BelievedOf(rough, -2, 1002), BelievedOf(numbers, 0, 1003),
          BelievedOf(ProductRecipe({ProductRecipe({smooth, rough}), smooth}), 0.1, 1004),
          SumOf(BelievedOf(smooth, 0.5, 1005), BelievedOf(rough, 0.25, 1006))};
}

Observations RandomObservations(const CoordinateKinds& kinds, Index count, uint64_t seed) {
  return {RandomPoints(kinds, count, seed), RandomVector(count, -2, 2, seed),
          RandomVector(count, 0.01, 0.2, seed + 7777)};
}

Observations FirstOf(const Observations& observations, Index count) {
  return {observations.x.topRows(count), observations.y.head(count),
          observations.noise_variance.head(count)};
}

GaussianProcess Fitted(std::shared_ptr<const GaussianPrior> prior, Observations observations) {
  absl::StatusOr<GaussianProcess> process =
      GaussianProcess::Fit(std::move(prior), std::move(observations));
  EXPECT_TRUE(process.ok()) << process.status();
  return std::move(process).value();  // Throws, which fails the test.
}

Stack FittedStack() {
  const KernelRecipe broad = StationaryRecipe(Smoothness::kMatern52, Mixed(), Lengthscales::kEach);
  const KernelRecipe fine =
      StationaryRecipe(Smoothness::kSquaredExponential, Mixed(), Lengthscales::kEach);
  const Believed source = BelievedOf(broad, 0.5, 2001);
  const Believed change = BelievedOf(fine, -0.25, 2002);
  const Believed last = BelievedOf(ProductRecipe({broad, fine}), 0.125, 2003);
  Stack stack{Mixed(), nullptr, Accumulated({source.belief, change.belief, last.belief}), {}};
  std::shared_ptr<const GaussianPrior> prior = source.prior;
  for (int task = 0; task <= Stack::kTop; ++task) {
    const Observations data =
        RandomObservations(stack.kinds, 18 - 5 * task, 2010 + static_cast<uint64_t>(task));
    stack.data = Together(stack.data, ToLongData(data, task));
    stack.top = std::make_shared<GaussianProcess>(Fitted(prior, data));
    prior = std::make_shared<SumPrior>(std::make_shared<PosteriorPrior>(stack.top),
                                       task == 0 ? change.prior : last.prior);
  }
  return stack;
}

}  // namespace slipstream
