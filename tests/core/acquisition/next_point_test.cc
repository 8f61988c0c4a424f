#include "core/acquisition/next_point.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/gp/gaussian_process.h"
#include "core/gp/kernel.h"
#include "core/gp/likelihood.h"
#include "core/optim/enumeration.h"
#include "core/space/encoded_points.h"
#include "core/space/search_space.h"
#include "gtest/gtest.h"
#include "tests/core/acquisition/model_of_results.h"

namespace slipstream {
namespace {

// A process of a result at each configuration, and its noise.
GaussianProcess ProcessOf(const SearchSpace& space, const std::vector<Configuration>& measured,
                          const Vector& results, double noise) {
  Hyperparameters hyperparameters;
  hyperparameters.kernel = Vector{{0, std::log(0.4)}};
  hyperparameters.log_noise_variance = std::log(noise);
  TrainingData data{EncodeAll(space, measured), results, Vector::Ones(results.size())};
  return FitProcess(MakeStationary(Smoothness::kMatern52, KindsOf(space), Lengthscales::kEach),
                    data, hyperparameters)
      .value();
}

// Two processes of the same results. The second one has more noise, and counts for three times as
// much.
class TwoProcesses final : public ModelOfResults {
 public:
  TwoProcesses(const SearchSpace& space, std::vector<Configuration> measured, Vector results)
      : ModelOfResults(std::move(measured), std::move(results)) {
    for (size_t i = 0; i < 2; ++i) {
      members_.push_back(ProcessOf(space, this->measured(), this->results(), NoiseVariance(i)));
    }
  }

  size_t size() const override { return members_.size(); }
  const Surrogate& member(size_t member) const override { return members_[member]; }
  double LogWeight(size_t member) const override { return member == 0 ? 0 : std::log(3.0); }
  double NoiseVariance(size_t member) const override { return member == 0 ? 1e-3 : 0.5; }

 private:
  std::vector<GaussianProcess> members_;
};

TEST(ChooseNextPoint, DiscountsRepeatsByTheVarianceAndNoiseOfMembersByTheirWeights) {
  const SearchSpace space =
      SearchSpace::Create({{"n", IntegerDomain{0, 3, Scale::kLinear}, {}, {}}}).value();
  const std::vector<Configuration> all = AllConfigurations(space, 10).value();
  const TwoProcesses model(space, all, Vector{{0.1, 1, 0.3, -0.4}});
  const Choice<AcquisitionRow> log_ei{*FindRow(AcquisitionRows(), "log_ei")};
  const ConfigurationIndex none;
  ConfigurationIndex measured;
  for (const Configuration& each : all) measured.try_emplace(&each, 0);
  const double noise = 0.25 * model.NoiseVariance(0) + 0.75 * model.NoiseVariance(1);
  for (const double factor : {0.35, 1.0, 2.0}) {
    NextPointRequest request{space, log_ei, model, none};
    request.deviation_factor = factor;
    const double whole = ChooseNextPoint(request).value().value;
    request.measured = &measured;
    const NextPoint next = ChooseNextPoint(request).value();
    EXPECT_LT(next.value, whole);
    const double there = std::pow(factor * next.model_deviation, 2);
    EXPECT_NEAR(next.value,
                PointAt(request, next.configuration).value().value +
                    std::log(1 - std::sqrt(noise / (there + noise))),
                1e-9)
        << factor;
  }
}

}  // namespace
}  // namespace slipstream
