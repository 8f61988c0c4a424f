#include "core/base/status.h"

#include <atomic>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "core/base/refusals.h"
#include "core/base/utf8.h"

namespace slipstream {
namespace {

constexpr char kPayloadUrl[] = "slipstream/field_violation";
constexpr char kOverloadUrl[] = "slipstream/overload";
// Separates the three parts of a payload, none of which has control characters.
constexpr char kSeparator[] = "\n";

constexpr size_t kMaxValueBytes = 128;
// Limits, because statuses travel in headers, which are small, and paths and
// bounds can quote what a caller sent.
constexpr size_t kMaxFieldBytes = 512;
constexpr size_t kMaxBoundBytes = 1024;

// How long the next caller who is refused is asked to wait: half a second to a second, which is how
// often the server itself looks whether a full disk has room. Those who are refused together are
// not to come back together, so of 64 callers in a row each gets another time: 39 and 64 have no
// common divisor.
absl::Duration NextRetryDelay() {
  constexpr uint32_t kLeastMs = 500;
  constexpr uint32_t kParts = 64;
  constexpr uint32_t kStep = 39;
  static std::atomic<uint32_t> steps{0};
  const uint32_t part = steps.fetch_add(kStep, std::memory_order_relaxed) % kParts;
  return absl::Milliseconds(kLeastMs + kLeastMs * part / kParts);
}

}  // namespace

absl::Status InvalidField(absl::string_view field, absl::string_view value,
                          absl::string_view bound) {
  const FieldViolation violation = {PrintableText(field, kMaxFieldBytes),
                                    PrintableText(value, kMaxValueBytes),
                                    PrintableText(bound, kMaxBoundBytes)};
  absl::Status status = absl::InvalidArgumentError(
      absl::StrCat(violation.field, " is ", violation.value.empty() ? "empty" : violation.value,
                   ", must be ", violation.bound));
  status.SetPayload(
      kPayloadUrl, absl::Cord(absl::StrCat(violation.field, kSeparator, violation.value, kSeparator,
                                           violation.bound)));
  return status;
}

std::optional<FieldViolation> ViolationOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  const std::string text(*payload);
  const std::vector<std::string> parts = absl::StrSplit(text, kSeparator);
  if (parts.size() != 3) return std::nullopt;
  return FieldViolation{parts[0], parts[1], parts[2]};
}

absl::Status WithFieldPrefix(const absl::Status& status, absl::string_view prefix) {
  std::optional<FieldViolation> violation = ViolationOf(status);
  if (!violation.has_value()) return status;
  return InvalidField(absl::StrCat(prefix, violation->field), violation->value, violation->bound);
}

absl::Status OverloadError(absl::string_view message) {
  absl::Status status = absl::ResourceExhaustedError(message);
  status.SetPayload(kOverloadUrl, absl::Cord());
  return WithRetryDelay(std::move(status), NextRetryDelay());
}

bool IsOverload(const absl::Status& status) {
  return status.GetPayload(kOverloadUrl).has_value();
}

std::string FormatNumber(double value) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

}  // namespace slipstream
