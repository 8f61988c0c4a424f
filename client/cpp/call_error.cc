#include "client/cpp/call_error.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "slipstream/errors.h"
#include "slipstream/v1/errors.pb.h"

namespace slipstream {
namespace {

constexpr char kUsedUpUrl[] = "type.googleapis.com/slipstream.v1.CandidatesUsedUp";
constexpr char kOtherOutcomeUrl[] = "type.googleapis.com/slipstream.v1.OtherOutcome";
constexpr char kTrialLimitUrl[] = "type.googleapis.com/slipstream.v1.TrialLimitReached";
constexpr char kQuotaUrl[] = "slipstream/quota";
constexpr char kBar[] = " | ";
constexpr char kViolationsUrl[] = "slipstream/violations";

template <typename Detail>
std::optional<Detail> DetailOf(const grpc::Status& status) {
  v1::StatusDetails details;
  Detail found;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  for (const google::protobuf::Any& detail : details.details()) {
    if (detail.UnpackTo(&found)) return found;
  }
  return std::nullopt;
}

// Violations as text, because absl::Status prints it: a line for each with its parts, which are
// escaped, between bars.
std::string TextOf(const v1::BadRequest& bad_request) {
  const auto escaped = [](const std::string& part) {
    return absl::StrReplaceAll(part, {{"\\", "\\\\"}, {"\n", "\\n"}, {"|", "\\174"}});
  };
  std::vector<std::string> lines;
  for (const v1::FieldViolation& violation : bad_request.field_violations()) {
    lines.push_back(absl::StrCat(escaped(violation.field()), kBar, escaped(violation.value()), kBar,
                                 escaped(violation.bound()), kBar,
                                 escaped(violation.description())));
  }
  return absl::StrJoin(lines, "\n");
}

std::string Describe(const v1::FieldViolation& violation) {
  if (!violation.description().empty()) return violation.description();
  return absl::StrCat(violation.field(), " is ", violation.value(), ", must be ",
                      violation.bound());
}

// The server's message, followed by the violations that it does not mention.
std::string MessageOf(const grpc::Status& status, const v1::BadRequest& bad_request) {
  std::string message = status.error_message();
  for (const v1::FieldViolation& violation : bad_request.field_violations()) {
    const std::string complaint = Describe(violation);
    if (absl::StrContains(message, complaint)) continue;
    absl::StrAppend(&message, message.empty() ? "" : "; ", complaint);
  }
  return message.empty() ? "the server gave no reason" : message;
}

std::string Effort(const client_internal::FailedCall& call) {
  if (call.attempts == 1) return "1 attempt";
  return absl::StrCat(call.attempts, " attempts in ",
                      absl::FormatDuration(absl::Trunc(call.elapsed, absl::Milliseconds(100))));
}

std::string NoAnswer(const client_internal::FailedCall& call, const std::string& message) {
  return absl::StrCat("no answer from ", call.address, ": is slipstream_server running there? (",
                      call.what, "; ", Effort(call), "; ", message, ")");
}

std::string TooLate(const client_internal::FailedCall& call, const std::string& message) {
  return absl::StrCat("no answer from ", call.address, " in time (", call.what, "; ", Effort(call),
                      "; ", message, ")");
}

std::string Refused(const client_internal::FailedCall& call, const std::string& message) {
  const std::string effort = call.attempts == 1 ? "" : absl::StrCat(" (", Effort(call), ")");
  return absl::StrCat("cannot ", call.what, " on ", call.address, ": ", message, effort);
}

std::string ErrorText(const client_internal::FailedCall& call, const grpc::Status& status,
                      const std::string& message) {
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) return TooLate(call, message);
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE && !call.connected) {
    return call.mistake.empty() ? NoAnswer(call, message) : Refused(call, call.mistake);
  }
  return Refused(call, message);
}

}  // namespace

namespace client_internal {

bool IsOverload(const grpc::Status& status) { return DetailOf<v1::Overload>(status).has_value(); }

absl::Duration RetryDelayOf(const grpc::Status& status) {
  const auto overload = DetailOf<v1::Overload>(status).value_or(v1::Overload());
  const google::protobuf::Duration& delay = overload.retry_delay();
  return std::max(absl::ZeroDuration(),
                  absl::Seconds(delay.seconds()) + absl::Nanoseconds(delay.nanos()));
}

bool IsUsedUp(const absl::Status& status) { return status.GetPayload(kUsedUpUrl).has_value(); }

bool IsOtherOutcome(const absl::Status& status) {
  return status.GetPayload(kOtherOutcomeUrl).has_value();
}

absl::Status CallError(const FailedCall& call, const grpc::Status& status) {
  const auto bad_request = DetailOf<v1::BadRequest>(status).value_or(v1::BadRequest());
  absl::Status error(static_cast<absl::StatusCode>(status.error_code()),
                     ErrorText(call, status, MessageOf(status, bad_request)));
  if (bad_request.field_violations_size() > 0) {
    error.SetPayload(kViolationsUrl, absl::Cord(TextOf(bad_request)));
  }
  if (const auto exceeded = DetailOf<v1::QuotaExceeded>(status)) {
    error.SetPayload(kQuotaUrl, absl::Cord(exceeded->quota()));
  }
  if (DetailOf<v1::CandidatesUsedUp>(status)) error.SetPayload(kUsedUpUrl, absl::Cord());
  if (DetailOf<v1::TrialLimitReached>(status)) error.SetPayload(kTrialLimitUrl, absl::Cord());
  if (DetailOf<v1::OtherOutcome>(status)) error.SetPayload(kOtherOutcomeUrl, absl::Cord());
  return error;
}

}  // namespace client_internal

std::vector<Violation> ViolationsOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kViolationsUrl);
  if (!payload.has_value()) return {};
  const std::string text(*payload);
  std::vector<Violation> violations;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    std::vector<std::string> parts = absl::StrSplit(line, kBar);
    parts.resize(4);
    for (std::string& part : parts) absl::CUnescape(std::string(part), &part);
    violations.push_back({parts[0], parts[3], parts[1], parts[2]});
  }
  return violations;
}

std::string ExceededQuota(const absl::Status& status) {
  return std::string(status.GetPayload(kQuotaUrl).value_or(absl::Cord()));
}

bool HasNoMoreTrials(const absl::Status& status) {
  return client_internal::IsUsedUp(status) || status.GetPayload(kTrialLimitUrl).has_value();
}

}  // namespace slipstream
