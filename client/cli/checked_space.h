// A search space that is known to be sound, and configurations written as text
// checked against it.
#ifndef SLIPSTREAM_CLIENT_CLI_CHECKED_SPACE_H_
#define SLIPSTREAM_CLIENT_CLI_CHECKED_SPACE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream::cli {

// Immutable, hence thread-safe.
class CheckedSpace {
 public:
  // What is wrong with the text of one parameter's value.
  struct Problem {
    int parameter = 0;
    std::string complaint;
  };

  // INVALID_ARGUMENT that names the parameter: no parameters, a name missing or
  // given twice, an empty or non-finite range, a logarithmic scale that does
  // not start above 0, choices missing, repeated or not ascending, an illegal
  // default, a condition on a parameter that is unknown, a double or in a
  // circle, or on values that it cannot have. A candidate list is dropped.
  static absl::StatusOr<CheckedSpace> Create(v1::SearchSpace space);

  const v1::SearchSpace& space() const { return space_; }
  int size() const { return space_.parameters_size(); }
  const v1::Parameter& parameter(int index) const { return space_.parameters(index); }
  std::optional<int> IndexOf(const std::string& name) const;

  // Fills `configuration`, which must be empty, from the texts of all
  // parameters in the space's order, absent or empty for a parameter without a
  // value. Exactly the active parameters must have one, each in its domain. On
  // a problem the configuration is left half filled.
  std::optional<Problem> Read(const std::vector<std::optional<std::string>>& texts,
                              v1::Configuration* configuration) const;

 private:
  CheckedSpace() = default;
  absl::Status IndexNames();
  absl::Status ResolveConditions();
  absl::Status OrderByCondition();
  bool IsActive(int parameter, const v1::Configuration& configuration) const;

  v1::SearchSpace space_;                          // Condition values normalized.
  absl::flat_hash_map<std::string, int> indices_;  // By name.
  std::vector<int> parents_;                       // -1 for an unconditional parameter.
  std::vector<int> order_;                         // Parents before their children.
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_CHECKED_SPACE_H_
