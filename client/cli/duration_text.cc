#include "client/cli/duration_text.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/usage_error.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

constexpr char kDuration[] = "a duration such as 90s, 30m, 1h, 2d or 1h30m";

// Absent for texts that are none, and for negative and infinite durations.
std::optional<absl::Duration> DurationIn(const std::string& text) {
  std::string in_hours = text;
  absl::Duration days;
  const size_t end_of_days = text.find('d');
  if (end_of_days != std::string::npos) {
    const std::string number = text.substr(0, end_of_days);
    // Other units come after the days, or "1h2d" would be a day for each hour of "1h2h".
    if (number.find_first_of("hmsun") != std::string::npos) return std::nullopt;
    // Abseil has no unit for days.
    if (!absl::ParseDuration(absl::StrCat(number, "h"), &days)) {
      return std::nullopt;
    }
    in_hours = text.substr(end_of_days + 1);
    if (in_hours.empty()) in_hours = "0";
  }
  absl::Duration duration;
  if (!absl::ParseDuration(in_hours, &duration)) return std::nullopt;
  if (duration < absl::ZeroDuration() || days < absl::ZeroDuration()) return std::nullopt;
  const absl::Duration sum = 24 * days + duration;
  return sum < absl::InfiniteDuration() ? std::make_optional(sum) : std::nullopt;
}

}  // namespace

std::string RoundDuration(absl::Duration duration) {
  if (duration <= -absl::Milliseconds(500)) return absl::StrCat("-", RoundDuration(-duration));
  const double seconds = absl::ToDoubleSeconds(duration);
  if (seconds < 59.5) return absl::StrCat(std::lround(seconds), " s");
  if (seconds < 59.5 * 60) return absl::StrCat(std::lround(seconds / 60), " min");
  const double hours = seconds / 3600;
  if (hours < 9.95) return absl::StrCat(std::round(hours * 10) / 10, " h");
  if (hours < 47.5) return absl::StrCat(std::lround(hours), " h");
  return absl::StrCat(std::lround(hours / 24), " d");
}

std::string ExactDuration(absl::Duration duration) {
  const std::pair<const char*, absl::Duration> units[] = {
      {" d", absl::Hours(24)}, {" h", absl::Hours(1)}, {" min", absl::Minutes(1)}};
  std::vector<std::string> parts;
  for (const auto& [unit, length] : units) {
    const int64_t count = absl::IDivDuration(duration, length, &duration);
    if (count > 0) parts.push_back(absl::StrCat(count, unit));
  }
  if (duration > absl::ZeroDuration() || parts.empty()) {
    parts.push_back(absl::StrCat(FormatNumber(absl::ToDoubleSeconds(duration)), " s"));
  }
  return absl::StrJoin(parts, " ");
}

absl::StatusOr<absl::Duration> ReadDuration(const std::string& option, const std::string& text) {
  if (text == "off") return absl::ZeroDuration();
  const std::optional<absl::Duration> duration = DurationIn(text);
  if (duration.has_value()) return *duration;
  return UsageError(absl::StrCat(option, " '", text, "' is neither off nor ", kDuration));
}

absl::StatusOr<absl::Duration> ReadInterval(const std::string& option, const std::string& text) {
  const std::optional<absl::Duration> duration = DurationIn(text);
  if (!duration.has_value()) {
    return UsageError(absl::StrCat(option, " '", text, "' is not ", kDuration));
  }
  if (*duration > absl::ZeroDuration()) return *duration;
  return UsageError(absl::StrCat(option, " '", text, "' must be above 0"));
}

}  // namespace slipstream::cli
