// Reads and writes the values of a configuration.
//
//   absl::StatusOr<double> rate = GetDouble(trial, "learning_rate");
//   if (HasValue(trial.configuration(), "degree")) Use(*GetInteger(trial, "degree"));
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_CONFIGURATION_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_CONFIGURATION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// Whether the parameter has a value, as an active one does.
bool HasValue(const v1::Configuration& configuration, const std::string& parameter);

// These return NOT_FOUND if the parameter has no value and INVALID_ARGUMENT if
// its value is of another kind. A whole number can be read both as an integer
// and as a double; OUT_OF_RANGE if that would not be exact.
absl::StatusOr<double> GetDouble(const v1::Configuration& configuration,
                                 const std::string& parameter);
absl::StatusOr<int64_t> GetInteger(const v1::Configuration& configuration,
                                   const std::string& parameter);
absl::StatusOr<std::string> GetCategory(const v1::Configuration& configuration,
                                        const std::string& parameter);
absl::StatusOr<bool> GetBoolean(const v1::Configuration& configuration,
                                const std::string& parameter);

// The same for a trial's configuration.
absl::StatusOr<double> GetDouble(const v1::Trial& trial, const std::string& parameter);
absl::StatusOr<int64_t> GetInteger(const v1::Trial& trial, const std::string& parameter);
absl::StatusOr<std::string> GetCategory(const v1::Trial& trial, const std::string& parameter);
absl::StatusOr<bool> GetBoolean(const v1::Trial& trial, const std::string& parameter);

// Set the parameter's value, replacing any previous one.
void SetDouble(v1::Configuration* configuration, const std::string& parameter, double value);
void SetInteger(v1::Configuration* configuration, const std::string& parameter, int64_t value);
void SetCategory(v1::Configuration* configuration, const std::string& parameter,
                 const std::string& value);
void SetBoolean(v1::Configuration* configuration, const std::string& parameter, bool value);

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_CONFIGURATION_H_
