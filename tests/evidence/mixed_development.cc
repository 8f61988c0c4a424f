// The families on which algorithms may be developed.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "tests/evidence/functions.h"
#include "tests/evidence/mixed_parameters.h"
#include "tests/evidence/mixed_problems.h"

namespace slipstream::evidence {
namespace {

using Names = absl::Span<const absl::string_view>;

constexpr absl::string_view kWinds[] = {"north", "east", "south", "west"};
constexpr absl::string_view kWindSides[][2] = {
    {"north_x", "north_y"}, {"east_x", "east_y"}, {"south_x", "south_y"}, {"west_x", "west_y"}};

std::vector<Parameter> FourBranchesSpace() {
  std::vector<Parameter> parameters = {Words("wind", {kWinds, kWinds + 4})};
  for (size_t i = 0; i < 4; ++i) {
    for (const absl::string_view side : kWindSides[i]) {
      parameters.push_back(When(Share(std::string(side)), "wind", {std::string(kWinds[i])}));
    }
  }
  return parameters;
}

// The best branch is about 1 but for a basin; the others are flat bowls.
MixedTask FourBranchesTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const size_t best = ideal->Choice("wind");
  const auto floors = draws.AllBetween<4>(0.2, 0.4);
  const double width = draws.Between(0.2, 0.28);
  const auto value = [=](const Setting& setting) {
    const size_t wind = setting.Choice("wind");
    const double square = std::pow(ideal->DistanceOf(setting, kWindSides[wind]), 2);
    if (wind != best) return floors[wind] + 0.35 * square;
    return 1 - std::exp(-0.5 * square / (width * width));
  };
  return {value, ideal->In(space), "wind"};
}

// The best branch has a value in two fifths of it alone, around its best point; the others have one
// everywhere.
MixedTask FailingBranchTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const size_t best = ideal->Choice("wind");
  const auto floors = draws.AllBetween<4>(0.1, 0.4);
  const auto value = [=](const Setting& setting) {
    const size_t wind = setting.Choice("wind");
    const double distance = ideal->DistanceOf(setting, kWindSides[wind]);
    if (wind != best) return floors[wind] + 0.7 * std::pow(distance, 2);
    return distance > 0.4 ? std::numeric_limits<double>::quiet_NaN() : 2 * std::pow(distance, 2);
  };
  return {value, ideal->In(space), "wind"};
}

constexpr size_t kHundred = 100;

std::vector<Parameter> HundredWordsSpace() {
  return {Words("word", "w", kHundred), Share("x"), Share("y")};
}

MixedTask HundredWordsTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  auto offsets = draws.AllBetween<kHundred>(0.05, 1);
  offsets[ideal->Choice("word")] = 0;
  const auto value = [=](const Setting& setting) {
    return offsets[setting.Choice("word")] +
           0.6 * std::pow(ideal->DistanceOf(setting, Names{"x", "y"}), 2);
  };
  return {value, ideal->In(space), "word"};
}

std::vector<Parameter> HiddenSwitchSpace() {
  std::vector<Parameter> parameters = {Share("x"), Share("y"), Share("z")};
  for (size_t i = 0; i < 8; ++i) parameters.push_back(Switch(absl::StrCat("s", i)));
  for (size_t i = 0; i < 4; ++i) {
    parameters.push_back(Words(absl::StrCat("c", i), "level", 4 + 2 * i));
  }
  return parameters;
}

MixedTask HiddenSwitchTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const std::string informative = absl::StrCat("c", draws.Below(4));
  const std::string hidden = absl::StrCat("s", draws.Below(8));
  auto offsets = draws.AllBetween<10>(0.2, 0.7);
  offsets[ideal->Choice(informative)] = 0;
  const auto value = [=](const Setting& setting) {
    const bool is_right = setting.Choice(informative) == ideal->Choice(informative);
    const bool is_astray = setting.Choice(hidden) != ideal->Choice(hidden);
    return offsets[setting.Choice(informative)] +
           0.5 * std::pow(ideal->DistanceOf(setting, Names{"x", "y"}), 2) +
           (is_right && is_astray ? 0.15 : 0);
  };
  return {value, ideal->In(space), informative};
}

std::vector<Parameter> OneOfTenSpace() {
  std::vector<Parameter> parameters = {Share("x"), Share("y")};
  for (size_t i = 0; i < 10; ++i) {
    parameters.push_back(Words(absl::StrCat("c", i), "level", 3 + i % 6));
  }
  return parameters;
}

MixedTask OneOfTenTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const std::string informative = absl::StrCat("c", draws.Below(10));
  auto offsets = draws.AllBetween<8>(0.15, 0.8);
  offsets[ideal->Choice(informative)] = 0;
  const auto value = [=](const Setting& setting) {
    return offsets[setting.Choice(informative)] +
           0.5 * std::pow(ideal->DistanceOf(setting, Names{"x", "y"}), 2);
  };
  return {value, ideal->In(space), informative};
}

std::vector<Parameter> NestedPipelineSpace() {
  return {
      Words("scaler", {"none", "standard", "quantile"}),
      When(Whole("quantiles", 10, 1000, Scale::kLog), "scaler", {"quantile"}),
      Words("model", {"linear", "trees", "neighbours"}),
      When(Words("penalty", {"l1", "l2", "elastic"}), "model", {"linear"}),
      When(Share("mixing"), "penalty", {"elastic"}),
      When(Real("strength", 1e-4, 1e4, Scale::kLog), "model", {"linear"}),
      When(Whole("depth", 1, 20), "model", {"trees"}),
      When(Whole("leaf", 1, 50, Scale::kLog), "model", {"trees"}),
      When(Switch("bootstrap"), "model", {"trees"}),
      When(Share("sample"), "bootstrap", {true}),
      When(Whole("nearest", 1, 50, Scale::kLog), "model", {"neighbours"}),
      When(Words("metric", {"euclid", "minkowski"}), "model", {"neighbours"}),
      When(Real("power", 1, 5), "metric", {"minkowski"}),
  };
}

// What the parameters below one model add; 0 at the ideal.
double PipelineModelTerm(const Ideal& ideal, const Setting& setting) {
  const auto square = [&](Names names) { return std::pow(ideal.DistanceOf(setting, names), 2); };
  const auto miss = [&](absl::string_view name, double cost) {
    return setting.Choice(name) == ideal.Choice(name) ? 0 : cost;
  };
  if (setting.Is("model", "linear")) {
    const double mixing = setting.Is("penalty", "elastic") ? 0.2 * square({"mixing"}) : 0;
    return 0.4 * square({"strength"}) + miss("penalty", 0.1) + mixing;
  }
  if (setting.Is("model", "trees")) {
    const double sample = setting.On("bootstrap") ? 0.15 * square({"sample"}) : 0;
    return 0.5 * square({"depth", "leaf"}) + miss("bootstrap", 0.1) + sample;
  }
  const double power = setting.Is("metric", "minkowski") ? 0.2 * square({"power"}) : 0;
  return 0.5 * square({"nearest"}) + miss("metric", 0.1) + power;
}

MixedTask NestedPipelineTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  std::array<double, 3> floors = {};
  std::array<std::array<double, 3>, 3> scaling = {};  // By model and scaler.
  for (size_t model = 0; model < 3; ++model) {
    floors[model] = model == ideal->Choice("model") ? 0 : draws.Between(0.08, 0.25);
    for (double& cost : scaling[model]) cost = draws.Between(0.05, 0.3);
    scaling[model][draws.Below(3)] = 0;
  }
  std::array<double, 3>& of_best = scaling[ideal->Choice("model")];
  const auto scaler = std::min_element(of_best.begin(), of_best.end()) - of_best.begin();
  ideal->Set("scaler", space.NameValue(*space.IndexOf("scaler"), Value::Level(scaler)));
  const auto value = [=](const Setting& setting) {
    const size_t model = setting.Choice("model");
    const double quantiles =
        setting.Is("scaler", "quantile") ? 0.1 * ideal->DistanceOf(setting, Names{"quantiles"}) : 0;
    return floors[model] + scaling[model][setting.Choice("scaler")] + quantiles +
           PipelineModelTerm(*ideal, setting);
  };
  return {value, ideal->In(space), "model"};
}

std::vector<Parameter> OrdinalStepsSpace() {
  return {Levels("batch", {16, 32, 64, 128, 256, 512, 1024, 2048, 4096}, Scale::kLog),
          Whole("layers", 1, 12),
          Levels("dropout", {0, 0.1, 0.2, 0.3, 0.4, 0.5}),
          Levels("width", {32, 64, 128, 256, 512, 1024}, Scale::kLog),
          Real("rate", 1e-5, 1, Scale::kLog),
          Words("activation", {"relu", "tanh", "gelu", "swish"}),
          Switch("residual"),
          Switch("normalised")};
}

// Values come in steps of 0.04; deep networks need residuals.
MixedTask OrdinalStepsTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  ideal->Set("residual", true);
  auto offsets = draws.AllBetween<4>(0.06, 0.25);
  offsets[ideal->Choice("activation")] = 0;
  const auto value = [=](const Setting& setting) {
    double sum =
        0.6 * ideal->DistanceOf(setting, Names{"batch", "layers", "dropout", "width", "rate"});
    sum += offsets[setting.Choice("activation")];
    if (!setting.On("residual")) sum += 0.25 * setting.At("layers");
    if (setting.On("normalised") != (ideal->Choice("normalised") == 1)) sum += 0.05;
    return 0.04 * std::floor(sum / 0.04);
  };
  return {value, ideal->In(space), "activation"};
}

constexpr absl::string_view kLayouts[] = {"sparse", "dense", "blocked"};
constexpr absl::string_view kLayoutNumbers[][3] = {{"sparse_a", "sparse_b", "sparse_c"},
                                                   {"dense_a", "dense_b", "dense_c"},
                                                   {"blocked_a", "blocked_b", "blocked_c"}};

std::vector<Parameter> CornerBranchesSpace() {
  std::vector<Parameter> parameters = {Words("layout", {kLayouts, kLayouts + 3}),
                                       Real("rate", 1e-4, 1, Scale::kLog)};
  for (size_t i = 0; i < 3; ++i) {
    for (const absl::string_view number : kLayoutNumbers[i]) {
      parameters.push_back(When(Share(std::string(number)), "layout", {std::string(kLayouts[i])}));
    }
  }
  return parameters;
}

// The best branch is a cone with its tip at an edge; the others are bowls.
MixedTask CornerBranchesTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const size_t best = ideal->Choice("layout");
  ideal->SetAt("rate", static_cast<double>(draws.Below(2)));
  ideal->SetAt(kLayoutNumbers[best][0], static_cast<double>(draws.Below(2)));
  ideal->SetAt(kLayoutNumbers[best][1], static_cast<double>(draws.Below(2)));
  const auto floors = draws.AllBetween<3>(0.15, 0.3);
  const auto value = [=](const Setting& setting) {
    const size_t layout = setting.Choice("layout");
    const double distance = ideal->DistanceOf(setting, kLayoutNumbers[layout]);
    const double rate = 0.3 * std::pow(ideal->DistanceOf(setting, Names{"rate"}), 2);
    return rate + (layout == best ? 0.8 * distance : floors[layout] + 0.5 * distance * distance);
  };
  return {value, ideal->In(space), "layout"};
}

std::vector<Parameter> EitherWaySpace() {
  std::vector<Parameter> parameters = {Switch("curved")};
  for (const char* name : {"u1", "u2", "u3"}) {
    parameters.push_back(When(Share(name), "curved", {false}));
  }
  parameters.push_back(When(Real("v1", -5, 10), "curved", {true}));
  parameters.push_back(When(Real("v2", 0, 15), "curved", {true}));
  return parameters;
}

// Hartmann's function or Branin's; a reflection of each.
MixedTask EitherWayTask(const SearchSpace& space, Draws& draws) {
  constexpr double kHartmannMinimum = -3.862779787332663;
  constexpr double kBraninMinimum = 0.39788735772973816;
  const std::array<double, 5> minima = {0.11461434, 0.55564885, 0.85254695,
                                        (std::numbers::pi + 5) / 15, 2.275 / 15};
  const std::array<absl::string_view, 5> names = {"u1", "u2", "u3", "v1", "v2"};
  const auto ideal = std::make_shared<Ideal>(space, draws);
  std::array<bool, 5> reflected = {};
  for (size_t i = 0; i < 5; ++i) {
    reflected[i] = draws.Below(2) == 1;
    ideal->SetAt(names[i], reflected[i] ? 1 - minima[i] : minima[i]);
  }
  const bool curved = ideal->Choice("curved") == 1;
  const auto value = [=](const Setting& setting) {
    std::array<double, 5> x = {};
    for (size_t i = 0; i < 5; ++i) {
      x[i] = reflected[i] ? 1 - setting.At(names[i]) : setting.At(names[i]);
    }
    const double floor = setting.On("curved") == curved ? 0 : 0.15;
    if (!setting.On("curved")) {
      return floor + 1 - Hartmann3(kHartmannWeights, {x.data(), 3}) / kHartmannMinimum;
    }
    const std::array<double, 2> raw = {15 * x[3] - 5, 15 * x[4]};
    return floor + std::log1p(std::max(0.0, Branin({}, raw) - kBraninMinimum)) / std::log(309);
  };
  return {value, ideal->In(space), "curved"};
}

constexpr size_t kFifty = 50;

std::vector<Parameter> FiftyBesideEightSpace() {
  std::vector<Parameter> parameters = {Words("word", "w", kFifty)};
  for (size_t i = 0; i < 8; ++i) parameters.push_back(Words(absl::StrCat("c", i), "level", 5));
  return parameters;
}

// One choice has a value for each of its fifty categories, and nothing else matters.
MixedTask FiftyBesideEightTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  auto offsets = draws.AllBetween<kFifty>(0, 1);
  for (double& offset : offsets) offset = std::sqrt(offset);
  offsets[ideal->Choice("word")] = 0;
  const auto value = [=](const Setting& setting) { return offsets[setting.Choice("word")]; };
  return {value, ideal->In(space), "word"};
}

std::vector<Parameter> FlatChoiceSpace() {
  return {Words("word", "w", 6), Share("x"), Share("y"), Share("z")};
}

// One choice is good wherever the numbers are; in one of the others they have a better spot.
MixedTask FlatChoiceTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const size_t best = ideal->Choice("word");
  const size_t flat = (best + 1 + draws.Below(5)) % 6;
  const auto value = [=](const Setting& setting) {
    const size_t word = setting.Choice("word");
    if (word == flat) return 0.3;
    const double distance = ideal->DistanceOf(setting, Names{"x", "y", "z"});
    return (word == best ? 0 : 0.35) + 1.2 * std::min(distance, 0.8);
  };
  return {value, ideal->In(space), "word"};
}

std::vector<Parameter> FlatEdgeSpace() {
  return {Switch("on"), Share("x"), Share("y")};
}

// A slope along one number to the edge, where the other one does nothing, and a small basin inside.
MixedTask FlatEdgeTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  ideal->SetAt("x", draws.Between(0.2, 0.8));
  ideal->SetAt("y", draws.Between(0.2, 0.8));
  const auto value = [=](const Setting& setting) {
    const double distance = ideal->DistanceOf(setting, Names{"x", "y"});
    return distance < 0.15 ? distance / 0.15 : 1 + 0.3 * setting.At("x");
  };
  return {value, ideal->In(space), "on"};
}

}  // namespace

std::vector<MixedProblem> MixedProblemsForDevelopment() {
  return {
      {"four_branches", "The best of four branches looks bad at most of its points",
       kMixedDevelopment, FourBranchesSpace, FourBranchesTask},
      {"hundred_words", "More choices than trials, each with a value of its own", kMixedDevelopment,
       HundredWordsSpace, HundredWordsTask},
      {"one_of_ten_choices", "One of ten choices matters, the other nine do nothing",
       kMixedDevelopment, OneOfTenSpace, OneOfTenTask},
      {"hidden_switch", "A switch among eight matters, and only with the right word of one choice",
       kMixedDevelopment, HiddenSwitchSpace, HiddenSwitchTask},
      {"nested_pipeline", "Conditions below conditions, and a choice that suits only one model",
       kMixedDevelopment, NestedPipelineSpace, NestedPipelineTask},
      {"ordinal_steps", "Ordinals and switches, and a value that changes in steps",
       kMixedDevelopment, OrdinalStepsSpace, OrdinalStepsTask},
      {"corner_branches", "The optimum is on an edge of the branch with the sharpest slope",
       kMixedDevelopment, CornerBranchesSpace, CornerBranchesTask},
      {"either_way", "A switch between a curved valley and four bumps, one slightly better",
       kMixedDevelopment, EitherWaySpace, EitherWayTask},
      {"fifty_beside_eight", "One choice of fifty matters, and eight others do nothing",
       kStuckDevelopment, FiftyBesideEightSpace, FiftyBesideEightTask},
      {"failing_branch", "The best of four branches has no value in most of its points",
       kStuckDevelopment, FourBranchesSpace, FailingBranchTask},
      {"flat_choice", "One choice is good throughout; another one is better at a spot",
       kStuckDevelopment, FlatChoiceSpace, FlatChoiceTask},
      {"flat_edge", "A slope to an edge along which nothing changes, and a basin inside",
       kStuckDevelopment, FlatEdgeSpace, FlatEdgeTask},
  };
}

}  // namespace slipstream::evidence
