#include "tests/core/optim/spaces.h"
#include "tests/core/space/configurations.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace slipstream {
namespace {

std::vector<Value> ValuesOf(const Domain& domain) {
  std::vector<Value> values;
  if (const auto* integers = std::get_if<IntegerDomain>(&domain)) {
    for (int64_t i = integers->min; i <= integers->max; ++i) values.push_back(Value::Integer(i));
  } else if (const auto* numbers = std::get_if<DiscreteDomain>(&domain)) {
    for (double number : numbers->values) values.push_back(Value::Double(number));
  } else if (const auto* words = std::get_if<CategoricalDomain>(&domain)) {
    for (size_t i = 0; i < words->values.size(); ++i) {
      values.push_back(Value::Level(static_cast<int64_t>(i)));
    }
  } else {
    values = {Value::Boolean(false), Value::Boolean(true)};
  }
  return values;
}

}  // namespace

SearchSpace MakeSpace(std::vector<Parameter> parameters) {
  absl::StatusOr<SearchSpace> space = SearchSpace::Create(std::move(parameters));
  if (!space.ok()) {
    std::fprintf(stderr, "not a legal space: %s\n", space.status().ToString().c_str());
    std::abort();
  }
  return *std::move(space);
}

SearchSpace Cube(size_t dimension) {
  std::vector<Parameter> parameters;
  for (size_t i = 0; i < dimension; ++i) {
    parameters.push_back({"x" + std::to_string(i), DoubleDomain{0, 1}, {}, {}});
  }
  return MakeSpace(std::move(parameters));
}

SearchSpace ConditionalSpace() {
  const std::string forest = "forest";
  const std::string boosted = "boosted";
  return MakeSpace({
      {"shrinkage", DiscreteDomain{{0.01, 0.1, 0.3}}, {}, Condition{"depth", {int64_t{2}}}},
      {"model", CategoricalDomain{{"linear", forest, boosted}}, {}, {}},
      {"depth", IntegerDomain{1, 4}, int64_t{3}, Condition{"model", {forest, boosted}}},
      {"loss", CategoricalDomain{{"square", "absolute"}}, {}, Condition{"model", {boosted}}},
      {"scaled", BooleanDomain{}, {}, {}},
  });
}

std::vector<Configuration> NaiveConfigurations(const SearchSpace& space) {
  std::vector<Configuration> combinations(1);
  for (const Parameter& parameter : space.parameters()) {
    std::vector<Value> values = ValuesOf(parameter.domain);
    values.push_back(Value());
    std::vector<Configuration> longer;
    for (const Configuration& combination : combinations) {
      for (const Value& value : values) {
        longer.push_back(combination);
        longer.back().values.push_back(value);
      }
    }
    combinations = std::move(longer);
  }
  std::vector<Configuration> legal;
  for (Configuration& combination : combinations) {
    if (IsLegal(space, combination)) legal.push_back(std::move(combination));
  }
  return legal;
}

PointFunction Smooth(std::function<double(ConstVectorView)> value,
                     std::function<Vector(ConstVectorView)> gradient) {
  PointFunction function;
  function.values = [value](const PointMatrix& x) {
    Vector values(x.rows());
    for (Index i = 0; i < x.rows(); ++i) values[i] = value(x.row(i).transpose());
    return values;
  };
  function.value_and_gradient = [value, gradient](ConstVectorView x, VectorView slope) {
    slope = gradient(x);
    return value(x);
  };
  return function;
}

PointFunction Hill(const SearchSpace& space, Vector centre) {
  Vector numbers(static_cast<Index>(space.dimension()));
  for (size_t i = 0; i < space.dimension(); ++i) {
    numbers[static_cast<Index>(i)] = space.IsUnordered(i) ? 0 : 1;
  }
  return Smooth([centre](ConstVectorView x) { return -(x - centre).squaredNorm(); },
                [centre, numbers](ConstVectorView x) -> Vector {
                  return (-2 * (x - centre)).cwiseProduct(numbers);
                });
}

}  // namespace slipstream
