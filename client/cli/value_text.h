// Converts values between text and messages, checked against the domain.
#ifndef SLIPSTREAM_CLIENT_CLI_VALUE_TEXT_H_
#define SLIPSTREAM_CLIENT_CLI_VALUE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/timestamp.pb.h"
#include "slipstream/v1/space.pb.h"

namespace slipstream::cli {

// The shortest text that is read back exactly.
std::string FormatNumber(double value);
std::string FormatValue(const v1::ParameterValue& value);
// For example "kernel is rbf or poly".
std::string FormatCondition(const v1::Condition& condition);
// Six significant digits, easy for people to compare.
std::string RoundNumber(double value);
std::string RoundValue(const v1::ParameterValue& value);
// The time in UTC, for example "2025-03-01 12:00:00Z"; empty for an unset one.
std::string FormatTime(const google::protobuf::Timestamp& time);

// The parse functions return INVALID_ARGUMENT with a message that quotes the
// text and says what is wrong with it. Space around numbers is ignored.

// Accepts only finite numbers.
absl::StatusOr<double> ParseNumber(absl::string_view text);
// Also accepts a whole number in another notation, such as "1e3" or "16.0".
absl::StatusOr<int64_t> ParseInteger(absl::string_view text);
// Accepts true and false in any case, 1 and 0.
absl::StatusOr<bool> ParseBoolean(absl::string_view text);

// The legal value of `parameter` that `text` stands for, in the domain's own
// kind (a discrete value is a double).
absl::StatusOr<v1::ParameterValue> ParseValue(const v1::Parameter& parameter,
                                              absl::string_view text);

// Whether two values are equal; numbers may be so as an integer and a double.
bool SameValue(const v1::ParameterValue& a, const v1::ParameterValue& b);

// The legal values of a parameter in words: "1e-05..1", "one of rbf, poly".
std::string DescribeDomain(const v1::Parameter& parameter);

}  // namespace slipstream::cli

#endif  // SLIPSTREAM_CLIENT_CLI_VALUE_TEXT_H_
