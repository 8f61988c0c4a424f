#include "server/grpc/status_conversion.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "core/base/refusals.h"
#include "core/base/status.h"
#include "slipstream/v1/errors.pb.h"

namespace slipstream {
namespace {

v1::BadRequest ToProto(const FieldViolation& violation, const std::string& message) {
  v1::BadRequest bad_request;
  v1::FieldViolation* entry = bad_request.add_field_violations();
  entry->set_field(violation.field);
  entry->set_description(message);
  entry->set_value(violation.value);
  entry->set_bound(violation.bound);
  return bad_request;
}

v1::Overload OverloadOf(const absl::Status& status) {
  v1::Overload overload;
  if (const std::optional<absl::Duration> delay = RetryDelayOf(status)) {
    absl::Duration rest;
    overload.mutable_retry_delay()->set_seconds(
        absl::IDivDuration(*delay, absl::Seconds(1), &rest));
    overload.mutable_retry_delay()->set_nanos(
        static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  }
  return overload;
}

std::string DetailsOf(const absl::Status& status, const std::string& message) {
  v1::StatusDetails details;
  const auto add = [&](const google::protobuf::Message& detail) {
    details.add_details()->PackFrom(detail);
  };
  if (const auto violation = ViolationOf(status)) add(ToProto(*violation, message));
  if (IsOverload(status)) add(OverloadOf(status));
  if (const auto quota = QuotaOf(status)) {
    v1::QuotaExceeded exceeded;
    exceeded.set_quota(*quota);
    add(exceeded);
  }
  if (HasMark(status, kCandidatesUsedUp)) add(v1::CandidatesUsedUp());
  if (HasMark(status, kOtherOutcome)) add(v1::OtherOutcome());
  if (HasMark(status, kTrialLimitReached)) add(v1::TrialLimitReached());
  // Clients of gRPC say UNAVAILABLE, too, where nobody answers.
  if (details.details().empty() && !absl::IsUnavailable(status)) return {};
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  return details.SerializeAsString();
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const std::string message(status.message());
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), message,
                      DetailsOf(status, message));
}

}  // namespace slipstream
