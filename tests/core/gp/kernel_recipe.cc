#include "tests/core/gp/kernel_recipe.h"

#include <cmath>
#include <utility>

namespace slipstream {
namespace {

constexpr Smoothness kSmoothnesses[] = {Smoothness::kMatern12, Smoothness::kMatern32,
                                        Smoothness::kMatern52, Smoothness::kSquaredExponential};

std::string NameOf(Smoothness smoothness) {
  switch (smoothness) {
    case Smoothness::kMatern12:
      return "Matern12";
    case Smoothness::kMatern32:
      return "Matern32";
    case Smoothness::kMatern52:
      return "Matern52";
    case Smoothness::kSquaredExponential:
      return "SquaredExponential";
  }
  return "";
}

long double SquaredDistance(const CoordinateKinds& kinds, const LongVector& lengthscales,
                            const LongVector& a, const LongVector& b) {
  long double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const long double difference =
        kinds[i] == CoordinateKind::kNumber ? a[i] - b[i] : (a[i] == b[i] ? 0.0L : 1.0L);
    const long double part = difference / lengthscales[i];
    sum += part * part;
  }
  return sum;
}

// Its parts' values, each with its own hyperparameters, one after the other.
using Combination = std::function<long double(long double, long double)>;
KernelRecipe Combined(std::string name, std::vector<KernelRecipe> parts, const Combination& combine,
                      std::unique_ptr<Kernel> (*make)(std::vector<std::unique_ptr<Kernel>>)) {
  KernelRecipe recipe{std::move(name), parts[0].kinds, 0, nullptr, nullptr};
  for (const KernelRecipe& part : parts) {
    recipe.name += part.name;
    recipe.parameter_count += part.parameter_count;
  }
  recipe.make = [parts, make] {
    std::vector<std::unique_ptr<Kernel>> made;
    for (const KernelRecipe& part : parts) made.push_back(part.make());
    return make(std::move(made));
  };
  recipe.oracle = [parts, combine](const LongVector& parameters, const LongVector& a,
                                   const LongVector& b) {
    auto begin = parameters.begin();
    long double value = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto end = begin + parts[i].parameter_count;
      const long double part = parts[i].oracle(LongVector(begin, end), a, b);
      value = i == 0 ? part : combine(value, part);
      begin = end;
    }
    return value;
  };
  return recipe;
}

}  // namespace

long double LongCorrelation(Smoothness smoothness, long double r) {
  switch (smoothness) {
    case Smoothness::kMatern12:
      return std::exp(-r);
    case Smoothness::kMatern32:
      return (1 + std::sqrt(3.0L) * r) * std::exp(-std::sqrt(3.0L) * r);
    case Smoothness::kMatern52:
      return (1 + std::sqrt(5.0L) * r + 5 * r * r / 3) * std::exp(-std::sqrt(5.0L) * r);
    case Smoothness::kSquaredExponential:
      return std::exp(-r * r / 2);
  }
  return 0;
}

KernelRecipe StationaryRecipe(Smoothness smoothness, const CoordinateKinds& kinds,
                              Lengthscales lengthscales) {
  const bool each = lengthscales == Lengthscales::kEach;
  KernelRecipe recipe;
  recipe.name = NameOf(smoothness) + (each ? "Each" : "Shared");
  recipe.kinds = kinds;
  recipe.parameter_count = each ? 1 + static_cast<Index>(kinds.size()) : 2;
  recipe.make = [=] { return MakeStationary(smoothness, kinds, lengthscales); };
  recipe.oracle = [=](const LongVector& parameters, const LongVector& a, const LongVector& b) {
    LongVector scales;
    for (size_t i = 0; i < a.size(); ++i) scales.push_back(std::exp(parameters[each ? 1 + i : 1]));
    const long double r = std::sqrt(SquaredDistance(kinds, scales, a, b));
    return std::exp(2 * parameters[0]) * LongCorrelation(smoothness, r);
  };
  return recipe;
}

KernelRecipe ProductRecipe(std::vector<KernelRecipe> parts) {
  return Combined(
      "ProductOf", std::move(parts), [](long double a, long double b) { return a * b; },
      MakeProduct);
}

KernelRecipe WarpedRecipe(const KernelRecipe& inner) {
  KernelRecipe recipe = inner;
  recipe.name = "Warped" + inner.name;
  for (const CoordinateKind kind : inner.kinds) {
    if (kind == CoordinateKind::kNumber) recipe.parameter_count += 2;
  }
  recipe.make = [inner] { return MakeWarped(inner.make(), inner.kinds); };
  recipe.oracle = [inner](const LongVector& parameters, const LongVector& a, const LongVector& b) {
    const auto end = parameters.begin() + inner.parameter_count;
    const auto bent = [&](LongVector point) {
      auto next = end;
      for (size_t i = 0; i < point.size(); ++i) {
        if (inner.kinds[i] != CoordinateKind::kNumber) continue;
        const long double first = std::exp(*next++);
        const long double second = std::exp(*next++);
        const long double x = 1e-6L + (1 - 2e-6L) * point[i];
        point[i] = 1 - std::pow(1 - std::pow(x, first), second);
      }
      return point;
    };
    return inner.oracle(LongVector(parameters.begin(), end), bent(a), bent(b));
  };
  return recipe;
}

std::vector<KernelRecipe> AllRecipes() {
  const CoordinateKinds mixed{CoordinateKind::kNumber, CoordinateKind::kWord,
                              CoordinateKind::kNumber, CoordinateKind::kWord};
  std::vector<KernelRecipe> each;
  std::vector<KernelRecipe> recipes;
  for (const Smoothness smoothness : kSmoothnesses) {
    each.push_back(StationaryRecipe(smoothness, mixed, Lengthscales::kEach));
    recipes.push_back(each.back());
    recipes.push_back(StationaryRecipe(smoothness, mixed, Lengthscales::kShared));
  }
  const KernelRecipe shared = StationaryRecipe(Smoothness::kMatern52, mixed, Lengthscales::kShared);
  recipes.push_back(ProductRecipe({each[2]}));
  recipes.push_back(ProductRecipe({each[1], shared, each[0]}));
  recipes.push_back(ProductRecipe({ProductRecipe({each[1], each[3]}), each[0]}));
  recipes.push_back(
      ProductRecipe({shared, ProductRecipe({each[2], ProductRecipe({each[0], shared})}), each[3]}));
  KernelRecipe numbers = StationaryRecipe(Smoothness::kMatern52, Numbers(3), Lengthscales::kEach);
  numbers.name += "OfNumbers";
  KernelRecipe words =
      StationaryRecipe(Smoothness::kMatern32, {2, CoordinateKind::kWord}, Lengthscales::kShared);
  words.name += "OfWords";
  recipes.push_back(numbers);
  recipes.push_back(words);
  recipes.push_back(WarpedRecipe(numbers));
  recipes.push_back(WarpedRecipe(words));
  recipes.push_back(WarpedRecipe(each[3]));
  recipes.push_back(ProductRecipe({WarpedRecipe(ProductRecipe({each[1], shared})), each[2]}));
  return recipes;
}

LongBelief ToLongBelief(const KernelRecipe& recipe, const LongVector& parameters,
                        long double mean) {
  return {[mean](const LongPoint&) { return mean; },
          [oracle = recipe.oracle, parameters](const LongPoint& a, const LongPoint& b) {
            return oracle(parameters, a.x, b.x);
          }};
}

}  // namespace slipstream
