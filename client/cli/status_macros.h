// Macros that return errors to the caller.
#ifndef SLIPSTREAM_CLIENT_CLI_STATUS_MACROS_H_
#define SLIPSTREAM_CLIENT_CLI_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns from the enclosing function when `expression`, an absl::Status, is
// not OK.
#define RETURN_IF_ERROR(expression)                      \
  do {                                                   \
    ::absl::Status returned_status_ = (expression);      \
    if (!returned_status_.ok()) return returned_status_; \
  } while (false)

#define STATUS_MACROS_CONCAT_INNER_(a, b) a##b
#define STATUS_MACROS_CONCAT_(a, b) STATUS_MACROS_CONCAT_INNER_(a, b)

// Evaluates `expression`, an absl::StatusOr; returns its status when it is not
// OK, else moves its value into `lhs`.
#define ASSIGN_OR_RETURN(lhs, expression) \
  ASSIGN_OR_RETURN_(STATUS_MACROS_CONCAT_(status_or_, __LINE__), lhs, expression)
#define ASSIGN_OR_RETURN_(temporary, lhs, expression)        \
  auto temporary = (expression);                             \
  if (!temporary.ok()) return std::move(temporary).status(); \
  lhs = *std::move(temporary)

#endif  // SLIPSTREAM_CLIENT_CLI_STATUS_MACROS_H_
