// Trainings that learn in a small part of the space alone. Elsewhere their loss is that of guesses,
// which hardly differ from one another, or far above it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/evidence/mixed_parameters.h"
#include "tests/evidence/mixed_problems.h"

namespace slipstream::evidence {
namespace {

using Inputs = std::vector<absl::string_view>;

const double kGuesses = std::log(10.0);

// The loss of one guesser among others: as good as random, but the same whenever it is asked for.
double Guess(const Setting& setting, const Inputs& names) {
  double phase = 0;
  for (absl::string_view name : names) phase = 1.7 * phase + 1e4 * setting.At(name);
  return kGuesses + 0.005 * std::sin(phase);
}

// A training within the part that learns ends with this loss. `place` is 0 in the middle of this
// part and 1 at its edge.
double Learnt(double place) { return 0.1 + (kGuesses - 0.1) * std::pow(place, 1.5); }

// The loss of steps that are too long by so many decades.
double Diverged(double decades) { return kGuesses + std::min(30.0, std::pow(10, decades) - 1); }

std::vector<Parameter> NarrowRateSpace() {
  return {Real("rate", 1e-6, 10, Scale::kLog), Real("momentum", 0, 0.99),
          Real("decay", 1e-7, 0.1, Scale::kLog), Whole("batch", 8, 1024, Scale::kLog),
          Whole("width", 16, 1024, Scale::kLog)};
}

// Shorter steps learn nothing, although ever so little more with larger ones; longer ones diverge.
MixedTask NarrowRateTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const Inputs lesser = {"decay", "width"};
  const auto step = [](double rate, double momentum, double batch) {
    return 7 * rate - std::log10(1 - 0.99 * momentum) - batch;
  };
  const double best = step(ideal->At("rate"), ideal->At("momentum"), ideal->At("batch"));
  const auto value = [=](const Setting& setting) {
    const double longer =
        step(setting.At("rate"), setting.At("momentum"), setting.At("batch")) - best;
    const double place = std::abs(longer) / 0.4 + 0.4 * ideal->DistanceOf(setting, lesser);
    if (place < 1) return Learnt(place);
    return longer > 0 ? Diverged(longer - 0.4) : kGuesses - 0.02 * std::exp(longer + 0.4);
  };
  return {value, ideal->In(space), ""};
}

std::vector<Parameter> NarrowDepthSpace() {
  return {Whole("depth", 1, 30), Real("scale", 0.05, 20, Scale::kLog),
          Real("rate", 1e-5, 1, Scale::kLog), Words("activation", {"relu", "tanh", "gelu"})};
}

// The deeper a network, the more closely its initial scale has to keep signals as large as they
// are: below it they vanish, above it they explode.
MixedTask NarrowDepthTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  ideal->SetAt("depth", draws.Between(0.4, 0.8));
  const auto gains = draws.AllBetween<3>(-0.2, 0.2);
  const auto value = [=](const Setting& setting) {
    const double gain =
        std::log10(20 / 0.05) * (setting.At("scale") - ideal->At("scale")) +
        gains[setting.Choice("activation")] - gains[ideal->Choice("activation")];
    const double signal = gain * (1 + 29 * setting.At("depth")) / 4;
    const double rate = 5 * (setting.At("rate") - ideal->At("rate"));
    const double shallow = std::abs(setting.At("depth") - ideal->At("depth"));
    const double place = std::hypot(signal, rate) + 0.3 * shallow;
    if (place < 1) return Learnt(place);
    if (signal > 1 || rate > 1) return Diverged(std::min(2.0, std::max(signal, rate) - 1));
    return Guess(setting, {"depth", "scale", "rate"});
  };
  return {value, ideal->In(space), ""};
}

std::vector<Parameter> NarrowSlabSpace() {
  return {Share("a"), Share("b"), Share("c"), Share("d")};
}

// Three of four numbers have to be within a fifth of their range around the best ones.
MixedTask NarrowSlabTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const Inputs all = {"a", "b", "c", "d"};
  const auto value = [=](const Setting& setting) {
    double place = 0;
    for (absl::string_view name : {"a", "b", "c"}) {
      place = std::max(place, std::abs(setting.At(name) - ideal->At(name)) / 0.2);
    }
    if (place < 1) return Learnt(place);
    const double beyond = setting.At("a") - ideal->At("a") - 0.3;
    return beyond > 0 ? Diverged(2 * beyond) : Guess(setting, all);
  };
  return {value, ideal->In(space), ""};
}

// The same, but nothing is worse than a guess.
MixedTask NarrowErrorTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const Inputs all = {"a", "b", "c", "d"};
  const auto value = [=](const Setting& setting) {
    const double place = ideal->DistanceOf(setting, all) / 0.25;
    return place < 1 ? Learnt(place) : Guess(setting, all);
  };
  return {value, ideal->In(space), ""};
}

// Guesses get better towards a place that teaches nothing; steps that are too long diverge.
MixedTask NarrowTrendTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const auto decoy = std::make_shared<Ideal>(space, draws);
  const Inputs all = {"rate", "momentum", "decay", "batch", "width"};
  const auto value = [=](const Setting& setting) {
    const double longer = 7 * (setting.At("rate") - ideal->At("rate"));
    const double others = ideal->DistanceOf(setting, Inputs{"momentum", "batch"});
    const double place = std::hypot(longer / 0.7, others / 0.4);
    if (place < 1) return Learnt(place);
    if (longer > 1) return Diverged(longer - 1);
    return kGuesses - 0.02 * std::exp(-4 * std::pow(decoy->DistanceOf(setting, all), 2));
  };
  return {value, ideal->In(space), ""};
}

// All guesses are equally good, and many results far worse.
MixedTask NarrowWallTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const Inputs all = {"a", "b", "c", "d"};
  const auto value = [=](const Setting& setting) {
    const double place = ideal->DistanceOf(setting, all) / 0.25;
    if (place < 1) return Learnt(place);
    const double beyond = setting.At("a") - ideal->At("a") - 0.2;
    return beyond > 0 ? Diverged(2 * beyond) : kGuesses;
  };
  return {value, ideal->In(space), ""};
}

constexpr absl::string_view kOptimizers[] = {"plain", "momentum", "adaptive"};

std::vector<Parameter> RateOfEachSpace() {
  std::vector<Parameter> parameters = {Words("optimizer", {kOptimizers, kOptimizers + 3}),
                                       Whole("layers", 1, 12),
                                       Real("decay", 1e-6, 0.1, Scale::kLog)};
  for (absl::string_view optimizer : kOptimizers) {
    parameters.push_back(When(Real(absl::StrCat(optimizer, "_rate"), 1e-6, 10, Scale::kLog),
                              "optimizer", {std::string(optimizer)}));
  }
  return parameters;
}

// Each optimizer has a rate of its own with which deeper networks learn in a narrower band.
MixedTask RateOfEachTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const auto value = [=](const Setting& setting) {
    const size_t optimizer = setting.Choice("optimizer");
    const std::string rate = absl::StrCat(kOptimizers[optimizer], "_rate");
    const double longer = 7 * (setting.At(rate) - ideal->At(rate));
    const double decay = std::abs(setting.At("decay") - ideal->At("decay"));
    const double place = std::abs(longer) * (0.8 + 2 * setting.At("layers")) + decay;
    const double lead = optimizer == ideal->Choice("optimizer") ? 0.05 : 0;
    if (place < 1) return Learnt(0.3 + 0.7 * place) - lead;
    if (longer > 0.5) return Diverged(longer - 0.5);
    return Guess(setting, {"layers", "decay", rate});
  };
  return {value, ideal->In(space), "optimizer"};
}

std::vector<Parameter> RewardSpace() {
  return {Real("rate", 1e-6, 0.1, Scale::kLog), Real("discount", 0.8, 0.9999, Scale::kReverseLog),
          Share("clip"), Real("entropy", 1e-5, 0.1, Scale::kLog), Whole("epochs", 1, 20),
          Whole("batch", 32, 4096, Scale::kLog)};
}

// The costs of an agent: 200 wherever it learns nothing, up to 1,000 where it learns what is wrong,
// less than 200 where three of six numbers are right. There it learns in another place, too, but
// less.
MixedTask RewardTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const auto other = std::make_shared<Ideal>(space, draws);
  const Inputs needed = {"rate", "discount", "entropy"};
  const auto value = [=](const Setting& setting) {
    const double place = ideal->DistanceOf(setting, needed) / 0.22;
    if (place < 1) return 20 + 180 * place;
    const double lesser = other->DistanceOf(setting, needed) / 0.25;
    if (lesser < 1) return 120 + 80 * lesser;
    const double wrong = setting.At("clip") + setting.At("rate") - 1.3;
    return wrong > 0 ? 200 + std::min(800.0, 2000 * wrong) : 200;
  };
  return {value, ideal->In(space), ""};
}

std::vector<Parameter> LongRunSpace() {
  std::vector<Parameter> parameters = {Real("rate", 1e-7, 1, Scale::kLog),
                                       Real("warmup", 1, 1e4, Scale::kLog)};
  for (size_t i = 0; i < 8; ++i) parameters.push_back(Share(absl::StrCat("x", i)));
  return parameters;
}

// Ten numbers, of which two decide whether there is anything to learn, and the others how much.
MixedTask LongRunTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const Inputs others = {"x0", "x1", "x2", "x3"};
  const auto value = [=](const Setting& setting) {
    const double longer = setting.At("rate") - ideal->At("rate") -
                          0.3 * (setting.At("warmup") - ideal->At("warmup"));
    const double warm = setting.At("warmup") - ideal->At("warmup");
    const double place = std::hypot(longer / 0.07, warm / 0.3);
    if (place < 1) return Learnt(0.6 * place) + 0.3 * ideal->DistanceOf(setting, others);
    if (longer > 0.1) return Diverged(5 * (longer - 0.1));
    return kGuesses + 0.01 * (setting.At("x0") - setting.At("x5")) + 0.02 * longer;
  };
  return {value, ideal->In(space), ""};
}

}  // namespace

std::vector<MixedProblem> ChanceProblems() {
  return {
      {"narrow_rate", "Learns with steps of the right length alone", kChanceDevelopment,
       NarrowRateSpace, NarrowRateTask, false},
      {"narrow_depth", "Learns where signals keep their size alone", kChanceDevelopment,
       NarrowDepthSpace, NarrowDepthTask, false},
      {"narrow_slab", "Learns where three numbers are right at once", kChanceDevelopment,
       NarrowSlabSpace, NarrowSlabTask, false},
      {"narrow_error", "The same in a ball, and nothing is worse than a guess", kChanceDevelopment,
       NarrowSlabSpace, NarrowErrorTask, false},
      {"narrow_trend", "Guesses get better elsewhere than where training learns",
       kChanceDevelopment, NarrowRateSpace, NarrowTrendTask, false},
      {"narrow_wall", "All guesses are equally good, and many results far worse",
       kChanceDevelopment, NarrowSlabSpace, NarrowWallTask, false},
      {"rate_of_each", "Each optimizer learns with rates of its own alone", kChance,
       RateOfEachSpace, RateOfEachTask, false},
      {"reward", "Equal costs where nothing is learnt, and two places where something is", kChance,
       RewardSpace, RewardTask, false},
      {"long_run", "Two of ten numbers decide whether there is anything to learn", kChance,
       LongRunSpace, LongRunTask, false},
  };
}

}  // namespace slipstream::evidence
