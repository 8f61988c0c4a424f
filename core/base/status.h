// Errors that name a field, its value and the bound that it broke, and the two
// macros that return errors to the caller.
//
//   absl::Status CheckCount(int count) {
//     if (count > 1000) return InvalidField("count", absl::StrCat(count), "1 to 1000");
//     return absl::OkStatus();
//   }
//
// Thread-safe: free functions without state.
#ifndef SLIPSTREAM_CORE_BASE_STATUS_H_
#define SLIPSTREAM_CORE_BASE_STATUS_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace slipstream {

// What is wrong with one field of an input.
struct FieldViolation {
  std::string field;  // The field's path, for example "space.parameters[2].min".
  std::string value;  // The given value, truncated to 128 bytes.
  std::string bound;  // What would be accepted, for example "> 0".
};

// INVALID_ARGUMENT whose message reads "<field> is <value>, must be <bound>"
// and which carries the three parts as a FieldViolation.
absl::Status InvalidField(absl::string_view field, absl::string_view value,
                          absl::string_view bound);

// The violation that `status` carries, if it was made by InvalidField.
std::optional<FieldViolation> ViolationOf(const absl::Status& status);

// `status` with `prefix` before the field's path in both message and violation;
// other statuses are returned unchanged.
absl::Status WithFieldPrefix(const absl::Status& status, absl::string_view prefix);

// RESOURCE_EXHAUSTED for a shortage that passes by itself, unlike a quota or the size of a request:
// the same call may succeed after the delay that the status carries (RetryDelayOf in refusals.h).
absl::Status OverloadError(absl::string_view message);

// Whether `status` was made by OverloadError.
bool IsOverload(const absl::Status& status);

// The shortest text that is read back exactly.
std::string FormatNumber(double value);

}  // namespace slipstream

// Returns from the enclosing function if `expression`, an absl::Status, is not
// OK.
#define SLIPSTREAM_RETURN_IF_ERROR(expression)               \
  do {                                                       \
    ::absl::Status slipstream_status_ = (expression);        \
    if (!slipstream_status_.ok()) return slipstream_status_; \
  } while (false)

#define SLIPSTREAM_CONCAT_INNER_(a, b) a##b
#define SLIPSTREAM_CONCAT_(a, b) SLIPSTREAM_CONCAT_INNER_(a, b)

// Evaluates `expression`, an absl::StatusOr. Returns its status if it is not OK,
// otherwise moves its value into `lhs`.
#define SLIPSTREAM_ASSIGN_OR_RETURN(lhs, expression) \
  SLIPSTREAM_ASSIGN_OR_RETURN_(SLIPSTREAM_CONCAT_(slipstream_or_, __LINE__), lhs, expression)
#define SLIPSTREAM_ASSIGN_OR_RETURN_(temporary, lhs, expression) \
  auto temporary = (expression);                                 \
  if (!temporary.ok()) return std::move(temporary).status();     \
  lhs = *std::move(temporary)

#endif  // SLIPSTREAM_CORE_BASE_STATUS_H_
