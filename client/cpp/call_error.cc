#include "client/cpp/call_error.h"

#include <algorithm>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "slipstream/errors.h"
#include "slipstream/v1/errors.pb.h"

namespace slipstream {
namespace {

constexpr char kUsedUpUrl[] = "type.googleapis.com/slipstream.v1.CandidatesUsedUp";
constexpr char kOtherOutcomeUrl[] = "type.googleapis.com/slipstream.v1.OtherOutcome";
constexpr char kBadRequestUrl[] = "type.googleapis.com/slipstream.v1.BadRequest";

v1::BadRequest BadRequestOf(const grpc::Status& status) {
  v1::StatusDetails details;
  v1::BadRequest bad_request;
  if (!details.ParseFromString(status.error_details())) return bad_request;
  for (const google::protobuf::Any& detail : details.details()) {
    if (detail.UnpackTo(&bad_request)) return bad_request;
  }
  return {};
}

template <typename Detail>
bool HasDetail(const grpc::Status& status) {
  v1::StatusDetails details;
  if (!details.ParseFromString(status.error_details())) return false;
  return std::any_of(details.details().begin(), details.details().end(),
                     [](const google::protobuf::Any& each) { return each.Is<Detail>(); });
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

bool IsOverload(const grpc::Status& status) { return HasDetail<v1::Overload>(status); }

bool IsUsedUp(const absl::Status& status) { return status.GetPayload(kUsedUpUrl).has_value(); }

bool IsOtherOutcome(const absl::Status& status) {
  return status.GetPayload(kOtherOutcomeUrl).has_value();
}

absl::Status CallError(const FailedCall& call, const grpc::Status& status) {
  const v1::BadRequest bad_request = BadRequestOf(status);
  absl::Status error(static_cast<absl::StatusCode>(status.error_code()),
                     ErrorText(call, status, MessageOf(status, bad_request)));
  if (bad_request.field_violations_size() > 0) {
    error.SetPayload(kBadRequestUrl, absl::Cord(bad_request.SerializeAsString()));
  }
  if (HasDetail<v1::CandidatesUsedUp>(status)) error.SetPayload(kUsedUpUrl, absl::Cord());
  if (HasDetail<v1::OtherOutcome>(status)) error.SetPayload(kOtherOutcomeUrl, absl::Cord());
  return error;
}

}  // namespace client_internal

std::vector<Violation> ViolationsOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kBadRequestUrl);
  v1::BadRequest bad_request;
  if (!payload.has_value() || !bad_request.ParseFromString(std::string(*payload))) return {};
  std::vector<Violation> violations;
  for (const v1::FieldViolation& violation : bad_request.field_violations()) {
    violations.push_back(
        {violation.field(), violation.description(), violation.value(), violation.bound()});
  }
  return violations;
}

}  // namespace slipstream
