#include "core/acquisition/next_point.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/deadline.h"
#include "core/gp/gaussian_process.h"
#include "core/gp/kernel.h"
#include "core/gp/likelihood.h"
#include "core/optim/enumeration.h"
#include "core/space/encoded_points.h"
#include "core/space/search_space.h"
#include "core/study/candidate_pool.h"
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

// Only these numbers, more than are scored between two looks at the clock.
constexpr int64_t kCandidates = 5000;
SearchSpace SpaceOfNumbers() {
  SearchSpace::CandidateTable table;
  for (int64_t i = 0; i < kCandidates; ++i) table.rows.push_back({{"n", i}});
  return SearchSpace::Create({{"n", IntegerDomain{0, kCandidates - 1, Scale::kLinear}, {}, {}}},
                             std::move(table))
      .value();
}

// The number. What is asked first takes all the time that there is.
class SlowNumber final : public SmoothScore {
 public:
  SlowNumber(const Deadline& deadline, bool gives_up) : deadline_(deadline), gives_up_(gives_up) {}

  Vector ValuesAt(const PointMatrix& x) const override {
    while (!deadline_.has_passed()) {
    }
    return gives_up_ ? Vector::Constant(x.rows(), -std::numeric_limits<double>::infinity()).eval()
                     : Vector(x.col(0));
  }
  double ValueAndGradient(ConstVectorView x, VectorView gradient) const override {
    gradient.setOnes();
    return x[0];
  }

 private:
  const Deadline deadline_;
  const bool gives_up_;
};

template <bool gives_up>
constexpr AcquisitionRow kSlowNumber = {
    .about = {.name = "slow", .summary = "The number, slowly"},
    .score = [](const NextPointRequest& request) -> absl::StatusOr<std::unique_ptr<PointScore>> {
      return std::make_unique<SlowNumber>(request.deadline, gives_up);
    },
};

// The choice among the numbers, of which the first that are scored take all of the time.
absl::StatusOr<NextPoint> ChooseInTime(const AcquisitionRow& row, uint64_t seed) {
  const SearchSpace space = SpaceOfNumbers();
  const std::vector<Configuration> measured = {space.candidates()[0], space.candidates()[9]};
  const TwoProcesses model(space, measured, Vector{{0, 1}});
  StudyView view;
  view.space = &space;
  const CandidatePool pool = CandidatePool::Create(view).value();
  const ConfigurationIndex none;
  const Choice<AcquisitionRow> acquisition{row};
  NextPointRequest request{space, acquisition, model, none, &pool, 1, seed};
  request.deadline = Deadline::In(absl::Milliseconds(100));
  return ChooseNextPoint(request);
}

TEST(ChooseNextPoint, AmongCandidatesIsTheBestOfThoseScoredByTheDeadline) {
  std::set<int64_t> found;
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const auto next = ChooseInTime(kSlowNumber<false>, seed);
    ASSERT_TRUE(next.ok()) << next.status();
    EXPECT_TRUE(next->is_cut_short);
    EXPECT_TRUE(std::isfinite(next->value));
    found.insert(*next->candidate);
  }
  EXPECT_EQ(found, (std::set<int64_t>{2047, 4095, kCandidates - 1}));
}

TEST(ChooseNextPoint, AmongCandidatesWithoutTimeToScoreAnyIsNone) {
  EXPECT_TRUE(absl::IsDeadlineExceeded(ChooseInTime(kSlowNumber<true>, 0).status()));
}

}  // namespace
}  // namespace slipstream
