// Trees of choices: what a word opens has words of its own. A study sees each of many leaves a few
// times at best, and the best leaf says little of itself away from its ideal.
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/evidence/mixed_parameters.h"
#include "tests/evidence/mixed_problems.h"

namespace slipstream::evidence {
namespace {

struct Shape {
  size_t families = 0;
  size_t variants = 0;  // Of each family.
  size_t modes = 0;     // Of each variant of every family but the last, whose variants have none.
  // How much of a leaf's floor is its family's and its variant's; the rest is its own.
  double shared = 0;
  double bowl = 0;  // How much is lost at the longest distance from the ideal.
};

constexpr Shape kDeep = {.families = 3, .variants = 3, .modes = 3, .shared = 0, .bowl = 0.6};
constexpr Shape kShared = {.families = 4, .variants = 4, .modes = 2, .shared = 0.7, .bowl = 0.4};
constexpr Shape kWide = {.families = 2, .variants = 6, .modes = 4, .shared = 0.3, .bowl = 0.5};
constexpr Shape kBushy = {.families = 5, .variants = 4, .modes = 2, .shared = 0, .bowl = 0.3};

constexpr double kLeastFloor = 0.08;
constexpr double kMostFloor = 0.5;

std::string Variant(size_t family) { return absl::StrCat("variant", family); }
std::string Size(size_t family) { return absl::StrCat("size", family); }
std::string Mode(size_t family, size_t variant) { return absl::StrCat("mode", family, variant); }
std::string Rate(size_t family, size_t variant) { return absl::StrCat("rate", family, variant); }

template <const Shape& shape>
std::vector<Parameter> TreeSpace() {
  std::vector<Parameter> parameters = {Words("family", "f", shape.families), Share("x")};
  for (size_t i = 0; i < shape.families; ++i) {
    const std::string family = absl::StrCat("f", i);
    parameters.push_back(When(Words(Variant(i), "v", shape.variants), "family", {family}));
    parameters.push_back(When(Whole(Size(i), 1, 200, Scale::kLog), "family", {family}));
    for (size_t j = 0; j < shape.variants && i + 1 < shape.families; ++j) {
      const std::string variant = absl::StrCat("v", j);
      parameters.push_back(When(Words(Mode(i, j), "m", shape.modes), Variant(i), {variant}));
      parameters.push_back(When(Real(Rate(i, j), 1e-4, 1, Scale::kLog), Variant(i), {variant}));
    }
  }
  return parameters;
}

struct Leaf {
  size_t family = 0;
  size_t variant = 0;
  size_t mode = 0;
};

// Where a setting or an ideal is.
template <const Shape& shape, typename Chosen>
Leaf LeafOf(const Chosen& chosen) {
  Leaf leaf = {.family = chosen.Choice("family")};
  leaf.variant = chosen.Choice(Variant(leaf.family));
  if (leaf.family + 1 < shape.families) leaf.mode = chosen.Choice(Mode(leaf.family, leaf.variant));
  return leaf;
}

template <const Shape& shape>
MixedTask TreeTask(const SearchSpace& space, Draws& draws) {
  const auto ideal = std::make_shared<Ideal>(space, draws);
  const auto own_floors =
      draws.AllBetween<shape.families * shape.variants * shape.modes>(kLeastFloor, kMostFloor);
  const auto variant_floors =
      draws.AllBetween<shape.families * shape.variants>(kLeastFloor, kMostFloor);
  const Leaf best = LeafOf<shape>(*ideal);
  const auto value = [=](const Setting& setting) {
    const Leaf leaf = LeafOf<shape>(setting);
    const size_t variant = leaf.family * shape.variants + leaf.variant;
    const bool is_best =
        leaf.family == best.family && leaf.variant == best.variant && leaf.mode == best.mode;
    const double floor = (1 - shape.shared) * own_floors[variant * shape.modes + leaf.mode] +
                         shape.shared * variant_floors[variant];
    std::vector<std::string> numbers = {"x", Size(leaf.family)};
    if (leaf.family + 1 < shape.families) numbers.push_back(Rate(leaf.family, leaf.variant));
    const std::vector<absl::string_view> names(numbers.begin(), numbers.end());
    return (is_best ? 0 : floor) + shape.bowl * std::pow(ideal->DistanceOf(setting, names), 2);
  };
  return {value, ideal->In(space), "family"};
}

template <const Shape& shape>
MixedProblem Tree(absl::string_view name, absl::string_view summary, absl::string_view group) {
  return {name, summary, group, TreeSpace<shape>, TreeTask<shape>};
}

}  // namespace

std::vector<MixedProblem> TreeProblems() {
  return {
      Tree<kDeep>("deep_tree", "21 leaves of two or three choices, which share nothing",
                  kTreesDevelopment),
      Tree<kShared>("shared_tree", "28 leaves of two or three choices, much like their siblings",
                    kTreesDevelopment),
      Tree<kWide>("wide_tree", "30 leaves of two or three choices, a bit like their siblings",
                  kTrees),
      Tree<kBushy>("bushy_tree", "36 leaves of two or three choices, which share nothing",
                   kTrees),
  };
}

}  // namespace slipstream::evidence
