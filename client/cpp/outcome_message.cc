#include "client/cpp/outcome_message.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/cpp/overloaded.h"

namespace slipstream::client_internal {
namespace {

constexpr size_t kLongestReason = 1024;  // Bytes.

// The bytes of the well-formed character that the text begins with; 0 if there is none.
size_t FirstCharacterBytes(absl::string_view text) {
  const auto byte = [text](size_t i) -> uint32_t { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  if (byte(0) < 0xC0 || byte(0) > 0xF4) return 0;
  const size_t bytes = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (bytes > text.size()) return 0;
  uint32_t code = byte(0) & (0xFF >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0x80, 0x800, 0x10000};  // Of 2, 3 and 4 bytes.
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[bytes - 2] || is_surrogate || code > 0x10FFFF ? 0 : bytes;
}

std::optional<double> ValueOf(const client::Outcome& outcome) {
  if (const double* const value = std::get_if<double>(&outcome)) return *value;
  const auto* const stopped = std::get_if<client::Stopped>(&outcome);
  return stopped == nullptr ? std::nullopt : stopped->value;
}

}  // namespace

std::string ReasonText(absl::string_view reason) {
  std::string text;
  while (!reason.empty()) {
    const size_t bytes = FirstCharacterBytes(reason);
    if (text.size() + std::max<size_t>(bytes, 1) > kLongestReason) break;
    absl::StrAppend(&text, bytes == 0 ? "?" : reason.substr(0, bytes));
    reason.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return text;
}

absl::StatusOr<v1::Outcome> MessageOf(const client::Outcome& outcome, const std::string& metric) {
  const std::optional<double> value = ValueOf(outcome);
  if (!std::isfinite(value.value_or(0))) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the value is ", *value, ", and the model takes finite numbers only; if the configuration "
        "is to blame, the outcome is Infeasible, otherwise Failed"));
  }
  v1::Outcome message;
  v1::Measurement* const measurement =
      std::visit(Overloaded{[&message](double) { return message.mutable_measurement(); },
                            [&message](const client::Failed& failed) -> v1::Measurement* {
                              message.mutable_failure()->set_reason(ReasonText(failed.reason));
                              return nullptr;
                            },
                            [&message](const client::Infeasible& infeasible) -> v1::Measurement* {
                              v1::Infeasibility* const told = message.mutable_infeasibility();
                              told->set_reason(ReasonText(infeasible.reason));
                              return nullptr;
                            },
                            [&message, &value](const client::Stopped& stopped) {
                              v1::EarlyStop* const stop = message.mutable_early_stop();
                              stop->set_reason(ReasonText(stopped.reason.value_or("")));
                              return value.has_value() ? stop->mutable_measurement() : nullptr;
                            }},
                 outcome);
  if (measurement != nullptr) (*measurement->mutable_metrics())[metric] = *value;
  return message;
}

}  // namespace slipstream::client_internal
