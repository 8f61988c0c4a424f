// The description of one tunable parameter. Plain data, unchecked until
// SearchSpace::Create accepts it.
#ifndef SLIPSTREAM_CORE_SPACE_PARAMETER_H_
#define SLIPSTREAM_CORE_SPACE_PARAMETER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace slipstream {

// How distance is measured along a numeric parameter.
enum class Scale { kLinear, kLog, kReverseLog };

// A value as a person writes it, before a space interprets it.
using NamedValue = std::variant<double, int64_t, std::string, bool>;

// One "name = value" of a configuration as a person writes it.
struct Assignment {
  std::string name;
  NamedValue value;
};

// Real numbers from min to max, both included.
struct DoubleDomain {
  double min = 0;
  double max = 1;
  Scale scale = Scale::kLinear;
};

// Whole numbers from min to max, both included.
struct IntegerDomain {
  int64_t min = 0;
  int64_t max = 1;
  Scale scale = Scale::kLinear;
};

// Strictly ascending numbers.
struct DiscreteDomain {
  std::vector<double> values;
  Scale scale = Scale::kLinear;
};

// Distinct categories without order.
struct CategoricalDomain {
  std::vector<std::string> values;
};

// true or false.
struct BooleanDomain {};

using Domain =
    std::variant<DoubleDomain, IntegerDomain, DiscreteDomain, CategoricalDomain, BooleanDomain>;

// A parameter is active only while its parent is active and has one of `values`.
struct Condition {
  std::string parent;
  std::vector<NamedValue> values;
};

struct Parameter {
  std::string name;
  Domain domain;
  std::optional<NamedValue> default_value;
  std::optional<Condition> condition;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_SPACE_PARAMETER_H_
