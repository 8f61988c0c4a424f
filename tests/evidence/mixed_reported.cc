// The families that are only reported: no algorithm may be developed on them.
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/evidence/functions.h"
#include "tests/evidence/mixed_parameters.h"
#include "tests/evidence/mixed_problems.h"

namespace slipstream::evidence {
namespace {

using NameList = absl::Span<const absl::string_view>;

double SquareOf(const Ideal& ideal, const Setting& setting, NameList names) {
  return std::pow(ideal.DistanceOf(setting, names), 2);
}

constexpr absl::string_view kMethods[] = {"plain", "momentum", "adaptive", "second_order"};

std::vector<Parameter> DecoyBranchesSpace() {
  return {Words("method", {kMethods, kMethods + 4}),
          Real("rate", 1e-6, 1, Scale::kLog),
          Levels("batch", {8, 16, 32, 64, 128, 256, 512}, Scale::kLog),
          When(Real("momentum", 0, 0.99), "method", {"momentum"}),
          When(Real("first", 0, 0.99), "method", {"adaptive"}),
          When(Real("second", 0.9, 0.9999, Scale::kReverseLog), "method", {"adaptive"}),
          When(Real("damping", 1e-8, 100, Scale::kLog), "method", {"second_order"}),
          When(Whole("rank", 1, 64, Scale::kLog), "method", {"second_order"}),
          When(Whole("refresh", 1, 100, Scale::kLog), "method", {"second_order"})};
}

// The numbers that a method reads.
NameList MethodNumbers(size_t method) {
  static constexpr absl::string_view kPlain[] = {"rate"};
  static constexpr absl::string_view kMomentum[] = {"rate", "momentum"};
  static constexpr absl::string_view kAdaptive[] = {"rate", "first", "second"};
  static constexpr absl::string_view kSecondOrder[] = {"rate", "damping", "rank", "refresh"};
  constexpr NameList kLists[] = {kPlain, kMomentum, kAdaptive, kSecondOrder};
  return kLists[method];
}

// The best branch is a narrow funnel; the others are flat bowls.
MixedTask DecoyBranchesTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const size_t best = 1 + draws.Below(3);
  ideal->Set("method", std::string(kMethods[best]));
  const auto floors = draws.AllBetween<4>(0.3, 0.5);
  const auto value = [=](const Setting& setting) {
    const size_t method = setting.Choice("method");
    const double distance = ideal->DistanceOf(setting, MethodNumbers(method));
    const double branch = method == best ? 0.95 * std::pow(distance, 0.75)
                                         : floors[method] + 0.3 * distance * distance;
    return 100 * (branch + 0.05 * SquareOf(*ideal, setting, {"batch"}));
  };
  return {value, ideal->In(space), "method"};
}

constexpr size_t kThreeHundred = 300;

std::vector<Parameter> ThreeHundredWordsSpace() {
  return {Share("x"), Real("y", 0.01, 100, Scale::kLog), Levels("z", {1, 2, 5, 10}),
          Words("word", "term", kThreeHundred), Switch("inverted")};
}

// A tenth of the words are within 0.1 of the best one.
MixedTask ThreeHundredWordsTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  auto offsets = draws.AllBetween<kThreeHundred>(0.01, 1);
  offsets[ideal->Choice("word")] = 0;
  const auto value = [=](const Setting& setting) {
    const bool astray = setting.Choice("inverted") != ideal->Choice("inverted");
    return offsets[setting.Choice("word")] + SquareOf(*ideal, setting, {"x", "y", "z"}) +
           (astray ? 0.15 * setting.At("x") : 0);
  };
  return {value, ideal->In(space), "word"};
}

std::vector<Parameter> OneOfSixteenSpace() {
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < 10; ++i) parameters.push_back(Switch(absl::StrCat("s", i)));
  for (size_t i = 0; i < 6; ++i) {
    parameters.push_back(Words(absl::StrCat("c", i), "option", 3 + i));
  }
  parameters.push_back(Real("rate", 1e-4, 1, Scale::kLog));
  parameters.push_back(Real("decay", 1e-6, 1, Scale::kLog));
  return parameters;
}

// One choice matters, and a switch where the choice is right.
MixedTask OneOfSixteenTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const std::string choice = absl::StrCat("c", draws.Below(6));
  const std::string lever = absl::StrCat("s", draws.Below(10));
  auto offsets = draws.AllBetween<8>(0.3, 0.9);
  offsets[ideal->Choice(choice)] = 0;
  const auto value = [=](const Setting& setting) {
    double sum =
        offsets[setting.Choice(choice)] + 0.6 * SquareOf(*ideal, setting, {"rate", "decay"});
    const bool right = setting.Choice(choice) == ideal->Choice(choice);
    if (right && setting.Choice(lever) != ideal->Choice(lever)) sum += 0.2;
    return sum;
  };
  return {value, ideal->In(space), choice};
}

std::vector<Parameter> NestedSolverSpace() {
  const auto iterative = [](Parameter parameter) {
    return When(std::move(parameter), "solver", {"iterative"});
  };
  return {Words("solver", {"direct", "iterative"}),
          When(Words("ordering", {"degree", "bisection", "natural"}), "solver", {"direct"}),
          iterative(Words("method", {"conjugate", "residual", "stabilised"})),
          When(Whole("restart", 5, 200, Scale::kLog), "method", {"residual"}),
          iterative(Real("tolerance", 1e-12, 1e-2, Scale::kLog)),
          iterative(Switch("preconditioned")),
          When(Words("kind", {"diagonal", "incomplete", "multigrid"}), "preconditioned", {true}),
          When(Whole("fill", 0, 10), "kind", {"incomplete"}),
          When(Real("drop", 1e-8, 0.1, Scale::kLog), "kind", {"incomplete"}),
          When(Whole("levels", 2, 12), "kind", {"multigrid"}),
          When(Words("smoother", {"jacobi", "gauss", "polynomial"}), "kind", {"multigrid"}),
          When(Whole("degree", 1, 8), "smoother", {"polynomial"})};
}

// What preconditioning adds; 0 at the ideal, which is never the diagonal.
double SolverConditioning(const Ideal& ideal, const Setting& setting) {
  if (!setting.On("preconditioned")) return 0.7;
  if (setting.Is("kind", "diagonal")) return 0.5;
  const double other = setting.Choice("kind") == ideal.Choice("kind") ? 0 : 0.15;
  if (setting.Is("kind", "incomplete")) {
    return other + 0.5 * ideal.DistanceOf(setting, NameList{"fill", "drop"});
  }
  double smoother = setting.Choice("smoother") == ideal.Choice("smoother") ? 0 : 0.15;
  if (setting.Is("smoother", "polynomial")) {
    smoother += 0.3 * SquareOf(ideal, setting, {"degree"});
  }
  return other + smoother + 0.4 * ideal.DistanceOf(setting, NameList{"levels"});
}

// The time that a solver takes: a direct one is never bad, a well-tuned iterative one
// is many times faster, and most iterative ones are many times slower.
MixedTask NestedSolverTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  ideal->Set("solver", std::string("iterative"));
  ideal->Set("preconditioned", true);
  ideal->Set("kind", std::string(draws.Below(2) == 0 ? "incomplete" : "multigrid"));
  const auto orderings = draws.AllBetween<3>(0.3, 0.5);
  auto methods = draws.AllBetween<3>(0.05, 0.3);
  methods[ideal->Choice("method")] = 0;
  const auto value = [=](const Setting& setting) {
    if (setting.Is("solver", "direct")) return std::exp(4 * orderings[setting.Choice("ordering")]);
    const double restart =
        setting.Is("method", "residual") ? 0.2 * SquareOf(*ideal, setting, {"restart"}) : 0;
    return std::exp(4 * (methods[setting.Choice("method")] + restart +
                         0.1 * SquareOf(*ideal, setting, {"tolerance"}) +
                         SolverConditioning(*ideal, setting)));
  };
  return {value, ideal->In(space), "solver"};
}

std::vector<Parameter> PlateausSpace() {
  return {Switch("cache"),
          Switch("prefetch"),
          Switch("compress"),
          Switch("pin"),
          Switch("sync"),
          Switch("trace"),
          Levels("block", {4, 8, 16, 32, 64, 128, 256}, Scale::kLog),
          Levels("queue", {1, 2, 4, 8, 16, 32, 64}, Scale::kLog),
          Whole("threads", 1, 16),
          Whole("retries", 0, 8),
          Words("codec", {"none", "run", "block", "stream", "delta"}),
          Words("policy", {"first", "least", "random", "clock"})};
}

// Most of the space is a plain of value 1; below it the value changes in steps.
MixedTask PlateausTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const auto value = [=](const Setting& setting) {
    const auto miss = [&](absl::string_view name, double cost) {
      return setting.Choice(name) == ideal->Choice(name) ? 0 : cost;
    };
    const double sum = 0.6 * ideal->DistanceOf(setting, NameList{"block", "queue", "threads"}) +
                       miss("cache", 0.12) + miss("compress", 0.12) + miss("pin", 0.06) +
                       miss("codec", 0.2);
    return sum < 0.45 ? std::floor(sum / 0.05) / 9 : 1;
  };
  return {value, ideal->In(space), "codec"};
}

constexpr absl::string_view kKernels[] = {"linear", "polynomial", "radial", "sigmoid", "cosine"};

std::vector<Parameter> BoundOrInsideSpace() {
  return {Words("kernel", {kKernels, kKernels + 5}), Real("cost", 1e-3, 1e3, Scale::kLog),
          When(Real("gamma", 1e-5, 10, Scale::kLog), "kernel", {"polynomial", "radial", "sigmoid"}),
          When(Whole("degree", 2, 6), "kernel", {"polynomial"}),
          When(Real("shift", 0, 10), "kernel", {"polynomial", "sigmoid"})};
}

NameList KernelNumbers(const Setting& setting) {
  static constexpr absl::string_view kFew[] = {"cost"};
  static constexpr absl::string_view kRadial[] = {"cost", "gamma"};
  static constexpr absl::string_view kSigmoid[] = {"cost", "gamma", "shift"};
  static constexpr absl::string_view kPolynomial[] = {"cost", "gamma", "degree", "shift"};
  if (setting.Is("kernel", "polynomial")) return kPolynomial;
  if (setting.Is("kernel", "sigmoid")) return kSigmoid;
  return setting.Is("kernel", "radial") ? NameList(kRadial) : NameList(kFew);
}

// Every kernel has an optimum of its own; the best one's is at a bound in every second task.
MixedTask BoundOrInsideTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const size_t best = ideal->Choice("kernel");
  if (draws.Below(2) == 0) {
    ideal->SetAt("cost", static_cast<double>(draws.Below(2)));
    ideal->SetAt("gamma", static_cast<double>(draws.Below(2)));
  }
  std::array<std::shared_ptr<const Ideal>, 5> others;
  for (auto& other : others) other = std::make_shared<Ideal>(space, draws);
  const auto floors = draws.AllBetween<5>(0.05, 0.3);
  const auto value = [=](const Setting& setting) {
    const size_t kernel = setting.Choice("kernel");
    if (kernel == best) return ideal->DistanceOf(setting, KernelNumbers(setting));
    return floors[kernel] + 0.6 * SquareOf(*others[kernel], setting, KernelNumbers(setting));
  };
  return {value, ideal->In(space), "kernel"};
}

constexpr absl::string_view kBumps[] = {"h1", "h2", "h3", "h4", "h5", "h6"};
constexpr absl::string_view kRipples[] = {"r1", "r2", "r3", "r4"};

std::vector<Parameter> TwoModelsSpace() {
  std::vector<Parameter> parameters = {Switch("rippled")};
  for (const absl::string_view name : kBumps) {
    parameters.push_back(When(Share(std::string(name)), "rippled", {false}));
  }
  for (const absl::string_view name : kRipples) {
    parameters.push_back(When(Share(std::string(name)), "rippled", {true}));
  }
  return parameters;
}

// Hartmann's function of six numbers, reflected, or a rippled funnel.
MixedTask TwoModelsTask(const SearchSpace& space, Draws& draws) {
  constexpr double kHartmannMinimum = -3.322368011415515;
  const std::array<double, 6> minimum = {0.20168951, 0.15001069, 0.47687397,
                                         0.27533243, 0.31165162, 0.65730053};
  const auto ideal = std::make_shared<Ideal>(space, draws);
  std::array<bool, 6> reflected = {};
  for (size_t i = 0; i < 6; ++i) {
    reflected[i] = draws.Below(2) == 1;
    ideal->SetAt(kBumps[i], reflected[i] ? 1 - minimum[i] : minimum[i]);
  }
  const size_t best = ideal->Choice("rippled");
  const auto value = [=](const Setting& setting) {
    const double floor = setting.Choice("rippled") == best ? 0 : 0.2;
    if (!setting.On("rippled")) {
      std::array<double, 6> x = {};
      for (size_t i = 0; i < 6; ++i) {
        x[i] = reflected[i] ? 1 - setting.At(kBumps[i]) : setting.At(kBumps[i]);
      }
      return floor + 1 - Hartmann6(kHartmannWeights, x) / kHartmannMinimum;
    }
    double ripples = 0;
    for (const absl::string_view name : kRipples) {
      const double offset = setting.At(name) - ideal->At(name);
      ripples += 0.25 * (1 - std::cos(6 * std::numbers::pi * offset));
    }
    return floor + 0.8 * ideal->DistanceOf(setting, kRipples) + 0.1 * ripples;
  };
  return {value, ideal->In(space), "rippled"};
}

}  // namespace

std::vector<MixedProblem> MixedProblemsForReports() {
  return {
      {"decoy_branches", "The best of four branches is a funnel; flat bowls look better", kMixed,
       DecoyBranchesSpace, DecoyBranchesTask},
      {"three_hundred_words", "Five times as many choices as trials, some nearly the best", kMixed,
       ThreeHundredWordsSpace, ThreeHundredWordsTask},
      {"one_of_sixteen_choices", "One of sixteen choices matters, and a switch beside it", kMixed,
       OneOfSixteenSpace, OneOfSixteenTask},
      {"nested_solver", "The best branch is three conditions deep; most of its branch is slow",
       kMixed, NestedSolverSpace, NestedSolverTask},
      {"plateaus", "Switches, ordinals and words; most of the space is a plain", kMixed,
       PlateausSpace, PlateausTask},
      {"bound_or_inside", "Branches share numbers but not their optimum, often at a bound", kMixed,
       BoundOrInsideSpace, BoundOrInsideTask},
      {"two_models", "A switch between six smooth numbers and four rippled ones", kMixed,
       TwoModelsSpace, TwoModelsTask},
  };
}

}  // namespace slipstream::evidence
