// Writes the parameters of mixed and conditional spaces in a line each:
//
//   When(Whole("degree", 2, 10), "kernel", {"poly"})
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_MIXED_PARAMETERS_H_
#define SLIPSTREAM_TESTS_EVIDENCE_MIXED_PARAMETERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/space/parameter.h"

namespace slipstream::evidence {

// A real number from 0 to 1.
inline Parameter Share(std::string name) {
  return {std::move(name), DoubleDomain{0, 1, Scale::kLinear}, {}, {}};
}

inline Parameter Real(std::string name, double min, double max, Scale scale = Scale::kLinear) {
  return {std::move(name), DoubleDomain{min, max, scale}, {}, {}};
}

inline Parameter Whole(std::string name, int64_t min, int64_t max, Scale scale = Scale::kLinear) {
  return {std::move(name), IntegerDomain{min, max, scale}, {}, {}};
}

// Ascending numbers.
inline Parameter Levels(std::string name, std::vector<double> values,
                        Scale scale = Scale::kLinear) {
  return {std::move(name), DiscreteDomain{std::move(values), scale}, {}, {}};
}

inline Parameter Words(std::string name, std::vector<std::string> values) {
  return {std::move(name), CategoricalDomain{std::move(values)}, {}, {}};
}

// `count` words that say nothing: prefix0, prefix1 and so on.
inline Parameter Words(std::string name, absl::string_view prefix, size_t count) {
  std::vector<std::string> values;
  for (size_t i = 0; i < count; ++i) values.push_back(absl::StrCat(prefix, i));
  return Words(std::move(name), std::move(values));
}

inline Parameter Switch(std::string name) { return {std::move(name), BooleanDomain{}, {}, {}}; }

// `parameter`, active only while `parent` has one of `values`.
inline Parameter When(Parameter parameter, std::string parent, std::vector<NamedValue> values) {
  parameter.condition = Condition{std::move(parent), std::move(values)};
  return parameter;
}

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_MIXED_PARAMETERS_H_
