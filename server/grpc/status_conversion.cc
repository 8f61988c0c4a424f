#include "server/grpc/status_conversion.h"

#include <optional>
#include <string>

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

std::string DetailsOf(const absl::Status& status, const std::string& message) {
  const std::optional<FieldViolation> violation = ViolationOf(status);
  const bool is_told_apart = IsOverload(status) || IsUsedUp(status) || IsOtherOutcome(status);
  if (!violation && !is_told_apart) return {};
  v1::StatusDetails details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(message);
  if (violation) details.add_details()->PackFrom(ToProto(*violation, message));
  if (IsOverload(status)) details.add_details()->PackFrom(v1::Overload());
  if (IsUsedUp(status)) details.add_details()->PackFrom(v1::CandidatesUsedUp());
  if (IsOtherOutcome(status)) details.add_details()->PackFrom(v1::OtherOutcome());
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
