// Search spaces, configurations and branches as text for programs in other languages.
#ifndef SLIPSTREAM_TESTS_EVIDENCE_SPACE_TEXT_H_
#define SLIPSTREAM_TESTS_EVIDENCE_SPACE_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/space/configuration.h"
#include "core/space/parameter.h"
#include "core/space/search_space.h"
#include "tests/evidence/problem.h"

namespace slipstream::evidence {

// A value without quotes: 0.5, 3, rbf or true.
std::string NamedValueText(const NamedValue& value);

// `text` as a JSON string.
std::string JsonString(absl::string_view text);

// The parameters as a JSON list on one line. Each has a name, a type ("double",
// "integer", "discrete", "categorical" or "boolean"), min and max or values, a scale
// ("linear", "log" or "reverse_log") unless it has no order, and where it is
// conditional a condition with the parent and the values.
std::string JsonOf(const SearchSpace& space);

// The configuration's branch; empty if the problem has none.
std::string BranchText(const Problem& problem, const Configuration& configuration);

// The branches with the best value, separated by bars.
std::string BestBranchesText(const Problem& problem);

// The configuration that a line such as "kernel=rbf\tgamma=0.5" writes: active
// parameters, separated by tabs. The errors of SearchSpace::Resolve.
absl::StatusOr<Configuration> ParseConfiguration(const SearchSpace& space, absl::string_view line);

}  // namespace slipstream::evidence

#endif  // SLIPSTREAM_TESTS_EVIDENCE_SPACE_TEXT_H_
