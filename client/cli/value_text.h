// Values between text and message, checked against the parameter's domain.
#ifndef SLIPSTREAM_CLIENT_CLI_VALUE_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_VALUE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/timestamp.pb.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream::cli {

// As short as it can be and still be read back exactly.
std::string FormatNumber(double value);
std::string FormatValue(const v1::ParameterValue& value);
// With six digits, for people to compare at a glance.
std::string RoundNumber(double value);
std::string RoundValue(const v1::ParameterValue& value);
// In UTC, for example "2025-03-01 12:00:00Z"; empty for an unset time.
std::string FormatTime(const google::protobuf::Timestamp& time);

// The parse functions answer INVALID_ARGUMENT with a message that names the
// text and what is wrong with it. Space around numbers is ignored.

// Finite numbers only.
absl::StatusOr<double> ParseNumber(absl::string_view text);
// Also accepts a whole number in another notation, "1e3" or "16.0".
absl::StatusOr<int64_t> ParseInteger(absl::string_view text);
// true or false, in any case, or 1 or 0.
absl::StatusOr<bool> ParseBoolean(absl::string_view text);

// The value of `parameter` that `text` stands for: legal, and of the domain's
// own kind (a discrete value is a double).
absl::StatusOr<v1::ParameterValue> ParseValue(const v1::Parameter& parameter,
                                              absl::string_view text);

// `value` in the domain's own kind, a whole double for an integer parameter as
// an integer. INVALID_ARGUMENT if it is of another kind or not legal.
absl::StatusOr<v1::ParameterValue> NormalizeValue(const v1::Parameter& parameter,
                                                  const v1::ParameterValue& value);

// Whether two values of one parameter, normalized, are the same.
bool SameValue(const v1::ParameterValue& a, const v1::ParameterValue& b);

// The legal values of a parameter in words: "1e-05..1", "one of rbf, poly".
std::string DescribeDomain(const v1::Parameter& parameter);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_VALUE_TEXT_H_
