// Reads configurations of a search space that are written as text.
#ifndef SLIPSTREAM_CLIENT_CLI_CONFIGURATION_READER_H_
#define SLIPSTREAM_CLIENT_CLI_CONFIGURATION_READER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream::cli {

// Whether the space itself is legal is for the server to say. Immutable, hence
// thread-safe.
class ConfigurationReader {
 public:
  // What is wrong with the text of one parameter's value.
  struct Problem {
    int parameter = 0;
    std::string complaint;
  };

  // INVALID_ARGUMENT if two parameters have the same name.
  static absl::StatusOr<ConfigurationReader> Create(v1::SearchSpace space);

  int size() const { return space_.parameters_size(); }
  const v1::Parameter& parameter(int index) const { return space_.parameters(index); }
  std::optional<int> IndexOf(const std::string& name) const;

  // Fills `configuration`, which must be empty, from the texts of all
  // parameters in the space's order, absent or empty for a parameter without a
  // value. Exactly the active parameters must have one, each in its domain; with
  // `use_defaults` those that lack one get their declared defaults. On a problem
  // the configuration is left half filled.
  std::optional<Problem> Read(const std::vector<std::optional<std::string>>& texts,
                              v1::Configuration* configuration, bool use_defaults = false) const;

 private:
  ConfigurationReader() = default;
  // Whether the parameter's condition holds, and its parent's, and so on.
  // Absent if one of them is on an unknown parameter or on itself, which the
  // server refuses.
  std::optional<bool> IsActive(int index, const v1::Configuration& configuration) const;

  v1::SearchSpace space_;
  absl::flat_hash_map<std::string, int> indices_;  // By name.
};

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_CONFIGURATION_READER_H_
