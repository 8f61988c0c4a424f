#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/calibration/chain_diagnostics.h"
#include "gtest/gtest.h"
#include "tests/core/calibration/naive_posterior.h"

namespace slipstream {
namespace {

constexpr Index kLengthscale = 1;
constexpr Index kNoise = 2;

// Amplitude and mean known, lengthscale and noise not.
Model TwoUnknowns() {
  Model model = SmoothModel(1);
  Fix(model, 0, 0);
  Fix(model, 3, 0);
  return model;
}

HamiltonianOptions ManyDraws(int draws = 700) {
  HamiltonianOptions options;
  options.chains = 4;
  options.warm_up = 200;
  options.draws = options.members_per_chain = draws;  // Keeps all.
  return options;
}

using Quantity = std::function<double(double lengthscale, double noise)>;

struct Moments {
  double mean = 0;
  double deviation = 0;
};

// The posterior on a fine grid over the bounds.
class Quadrature {
 public:
  Quadrature(const Model& model, const TrainingData& data) {
    constexpr int kSteps = 120;
    const HyperparameterBelief& length = model.beliefs[kLengthscale];
    const HyperparameterBelief& noise = model.beliefs[kNoise];
    for (int i = 0; i < kSteps; ++i) {
      for (int j = 0; j < kSteps; ++j) {
        const Vector place{{0, Midpoint(length, i, kSteps), Midpoint(noise, j, kSteps), 0}};
        places_.push_back(place);
        logs_.push_back(NaiveLogLikelihood(data, place) + NaiveLogBelief(model, place));
      }
    }
  }

  Moments Of(const Quantity& quantity) const {
    const double most = *std::max_element(logs_.begin(), logs_.end());
    double mass = 0, first = 0, second = 0;
    for (size_t i = 0; i < logs_.size(); ++i) {
      const double weight = std::exp(logs_[i] - most);
      const double value = quantity(places_[i][kLengthscale], places_[i][kNoise]);
      mass += weight;
      first += weight * value;
      second += weight * value * value;
    }
    const double mean = first / mass;
    return {mean, std::sqrt(second / mass - mean * mean)};
  }

 private:
  // Only the part of the bounds that matters.
  static double Midpoint(const HyperparameterBelief& belief, int step, int steps) {
    const double lower = std::max(belief.lower, belief.location - 5 * belief.deviation);
    const double upper = std::min(belief.upper, belief.location + 5 * belief.deviation);
    return lower + (upper - lower) * (step + 0.5) / steps;
  }

  std::vector<Vector> places_;
  std::vector<double> logs_;
};

// A row a draw, a column a chain.
Matrix DrawsOf(const Calibrated& calibrated, int chains, const Quantity& quantity) {
  const auto rows = static_cast<Index>(calibrated.members.size()) / chains;
  Matrix draws(rows, chains);
  for (Index i = 0; i < draws.size(); ++i) {
    const Hyperparameters& member = calibrated.members[static_cast<size_t>(i)];
    draws(i) = quantity(member.kernel[kLengthscale], member.log_noise_variance);
  }
  return draws;
}

void ExpectDrawnFromThePosterior(const Model& model, const TrainingData& data, int draws) {
  const Quadrature quadrature(model, data);
  const auto calibrated = MakeHamiltonian(ManyDraws(draws))->Calibrate(model, {data, 11});
  ASSERT_TRUE(calibrated.ok()) << calibrated.status();
  const double length = quadrature.Of([](double l, double) { return l; }).mean;
  const double noise = quadrature.Of([](double, double n) { return n; }).mean;
  const std::vector<Quantity> quantities = {
      [](double l, double) { return l; },
      [](double, double n) { return n; },
      [=](double l, double) { return (l - length) * (l - length); },
      [=](double, double n) { return (n - noise) * (n - noise); },
      [=](double l, double n) { return (l - length) * (n - noise); },
  };
  for (size_t i = 0; i < quantities.size(); ++i) {
    const Moments truth = quadrature.Of(quantities[i]);
    const Matrix drawn = DrawsOf(*calibrated, 4, quantities[i]);
    const double size = EffectiveSampleSize(drawn);
    EXPECT_GT(size, 100) << i;
    EXPECT_NEAR(drawn.mean(), truth.mean, 4.5 * truth.deviation / std::sqrt(size)) << i;
  }
}

TEST(Hamiltonian, DrawsFromThePosterior) {
  ExpectDrawnFromThePosterior(TwoUnknowns(), SampleData(10, 1, 0.2, 6), 700);
}

TEST(Hamiltonian, DrawsFromThePosteriorOfFewResults) {
  ExpectDrawnFromThePosterior(TwoUnknowns(), SampleData(3, 1, 0.2, 2), 700);
}

TEST(Hamiltonian, DrawsFromAPosteriorThatTheBoundsCut) {
  const TrainingData data = SampleData(10, 1, 0.2, 6);
  Model model = TwoUnknowns();
  const Moments whole = Quadrature(model, data).Of([](double l, double) { return l; });
  model.beliefs[kLengthscale].upper = whole.mean + whole.deviation;
  ExpectDrawnFromThePosterior(model, data, 3000);  // Proposals beyond the bound are lost.
}

std::map<std::string, double> DiagnosticsOf(const Calibrated& calibrated) {
  return {calibrated.diagnostics.begin(), calibrated.diagnostics.end()};
}

TEST(Hamiltonian, TellsThatItWentWell) {
  const auto calibrated =
      MakeHamiltonian(ManyDraws())->Calibrate(TwoUnknowns(), {SampleData(10, 1, 0.2, 6), 5});
  ASSERT_TRUE(calibrated.ok());
  std::map<std::string, double> diagnostics = DiagnosticsOf(*calibrated);
  ASSERT_EQ(diagnostics.count("r_hat"), 1u);
  ASSERT_EQ(diagnostics.count("effective_sample_size"), 1u);
  ASSERT_EQ(diagnostics.count("acceptance_rate"), 1u);
  EXPECT_GE(diagnostics["r_hat"], 1);
  EXPECT_LT(diagnostics["r_hat"], 1.1);
  EXPECT_GT(diagnostics["acceptance_rate"], 0.6);  // Aims at 0.8.
  EXPECT_LT(diagnostics["acceptance_rate"], 0.97);
  EXPECT_GT(diagnostics["effective_sample_size"], 100);
  EXPECT_LE(diagnostics["effective_sample_size"], 4 * 700);
}

TEST(Hamiltonian, ItsDiagnosticsAreTheWorstOfItsHyperparameters) {
  const auto calibrated =
      MakeHamiltonian(ManyDraws())->Calibrate(TwoUnknowns(), {SampleData(10, 1, 0.2, 6), 5});
  ASSERT_TRUE(calibrated.ok());
  std::map<std::string, double> diagnostics = DiagnosticsOf(*calibrated);
  const Matrix lengths = DrawsOf(*calibrated, 4, [](double l, double) { return l; });
  const Matrix noises = DrawsOf(*calibrated, 4, [](double, double n) { return n; });
  EXPECT_NEAR(diagnostics["effective_sample_size"],
              std::min(EffectiveSampleSize(lengths), EffectiveSampleSize(noises)), 1e-6);
  EXPECT_NEAR(diagnostics["r_hat"], std::max({1.0, SplitRHat(lengths), SplitRHat(noises)}), 1e-9);
}

TEST(Hamiltonian, ItsUsualOptionsMixWellEnough) {
  const Model model = SmoothModel(2);
  for (uint64_t seed = 0; seed < 3; ++seed) {
    const auto calibrated =
        MakeHamiltonian({})->Calibrate(model, {SampleData(20, 2, 0.2, 6), seed});
    ASSERT_TRUE(calibrated.ok());
    std::map<std::string, double> diagnostics = DiagnosticsOf(*calibrated);
    EXPECT_LT(diagnostics["r_hat"], 1.3);
    EXPECT_GT(diagnostics["acceptance_rate"], 0.5);
    EXPECT_GT(diagnostics["effective_sample_size"], 10);
  }
}

TEST(Hamiltonian, KeepsAsManyMembersAsAskedAndTheyDiffer) {
  const Model model = SmoothModel(1);
  const TrainingData data = SampleData(12, 1, 0.2, 6);
  for (int chains : {1, 3}) {
    for (int members : {1, 5}) {
      HamiltonianOptions options;
      options.chains = chains;
      options.members_per_chain = members;
      options.warm_up = options.draws = 20;
      const auto calibrated = MakeHamiltonian(options)->Calibrate(model, {data, 2});
      ASSERT_TRUE(calibrated.ok());
      ASSERT_EQ(calibrated->members.size(), static_cast<size_t>(chains * members));
      for (size_t i = 1; i < calibrated->members.size(); ++i) {
        EXPECT_NE(calibrated->members[i].Packed(), calibrated->members[0].Packed());
      }
    }
  }
}

TEST(Hamiltonian, ThinsEvenly) {
  const Model model = SmoothModel(1);
  const TrainingData data = SampleData(12, 1, 0.2, 6);
  HamiltonianOptions options;
  options.warm_up = 20;
  options.draws = options.members_per_chain = 24;
  const auto all = MakeHamiltonian(options)->Calibrate(model, {data, 2});
  options.members_per_chain = 6;
  const auto some = MakeHamiltonian(options)->Calibrate(model, {data, 2});
  ASSERT_TRUE(all.ok() && some.ok());
  ASSERT_EQ(some->members.size(), 12u);
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(some->members[i].Packed(), all->members[4 * i + 3].Packed());
  }
}

TEST(Hamiltonian, WhereNothingIsUnknownTheOnlyMemberHoldsWhatIsGiven) {
  Model model = TwoUnknowns();
  Fix(model, kLengthscale, -0.5);
  Fix(model, kNoise, -3);
  const auto calibrated = MakeHamiltonian({})->Calibrate(model, {SampleData(12, 1, 0.2, 6), 2});
  ASSERT_TRUE(calibrated.ok()) << calibrated.status();
  ASSERT_EQ(calibrated->members.size(), 1u);
  EXPECT_EQ(calibrated->members[0].Packed(), Vector({{0, -0.5, -3, 0}}));
  EXPECT_TRUE(std::isfinite(calibrated->log_posterior));
}

TEST(Hamiltonian, AnotherSeedGivesOtherDraws) {
  const Model model = SmoothModel(1);
  const TrainingData data = SampleData(12, 1, 0.2, 6);
  HamiltonianOptions options;
  options.warm_up = options.draws = 20;
  const auto first = MakeHamiltonian(options)->Calibrate(model, {data, 1});
  const auto second = MakeHamiltonian(options)->Calibrate(model, {data, 2});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(first->members[0].Packed(), second->members[0].Packed());
}

TEST(Hamiltonian, UsesNoMoreObservationsThanItShould) {
  const Model model = SmoothModel(1);
  const TrainingData data = SampleData(60, 1, 0.2, 6);
  HamiltonianOptions options;
  options.warm_up = options.draws = 20;
  options.most_observations = 10;
  const auto few = MakeHamiltonian(options)->Calibrate(model, {data, 1});
  TrainingData changed = data;
  changed.y[0] = 50;  // Every sixth is used, the last among them.
  const auto other = MakeHamiltonian(options)->Calibrate(model, {changed, 1});
  ASSERT_TRUE(few.ok() && other.ok());
  EXPECT_EQ(few->members[0].Packed(), other->members[0].Packed());
  changed.y[59] = 50;
  const auto last = MakeHamiltonian(options)->Calibrate(model, {changed, 1});
  ASSERT_TRUE(last.ok());
  EXPECT_NE(few->members[0].Packed(), last->members[0].Packed());
}

}  // namespace
}  // namespace slipstream
