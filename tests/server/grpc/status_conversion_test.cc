#include "server/grpc/status_conversion.h"

#include <gtest/gtest.h>

#include "absl/time/time.h"
#include "core/base/refusals.h"
#include "core/base/status.h"
#include "slipstream/v1/errors.pb.h"

namespace slipstream {
namespace {

TEST(StatusConversion, KeepsCodeAndMessage) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  const grpc::Status status = ToGrpcStatus(absl::NotFoundError("studies/s does not exist"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "studies/s does not exist");
  EXPECT_TRUE(status.error_details().empty());
  EXPECT_EQ(ToGrpcStatus(absl::AbortedError("")).error_code(), grpc::StatusCode::ABORTED);
}

TEST(StatusConversion, AStatusForWhichThereIsNoMemoryIsAShortOne) {
  const auto fine = OrNoMemory([] { return grpc::Status(grpc::StatusCode::NOT_FOUND, "gone"); });
  EXPECT_EQ(fine.error_code(), grpc::StatusCode::NOT_FOUND);
  const auto failing = OrNoMemory([]() -> grpc::Status { throw std::bad_alloc(); });
  EXPECT_EQ(failing.error_code(), grpc::StatusCode::UNAVAILABLE) << "to be repeated";
  const auto too_long =
      OrNoMemory([] { return grpc::Status(grpc::StatusCode::INTERNAL, std::string(-1, 'x')); });
  EXPECT_EQ(too_long.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(too_long.error_message(), "no memory");
}

TEST(StatusConversion, SendsAnInvalidFieldAsOneViolationInTheDetails) {
  const grpc::Status status = ToGrpcStatus(InvalidField("count", "1001", "1 to 1000"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), static_cast<int>(grpc::StatusCode::INVALID_ARGUMENT));
  EXPECT_EQ(details.message(), status.error_message());
  ASSERT_EQ(details.details_size(), 1);
  v1::BadRequest bad_request;
  ASSERT_TRUE(details.details(0).UnpackTo(&bad_request));
  ASSERT_EQ(bad_request.field_violations_size(), 1);
  EXPECT_EQ(bad_request.field_violations(0).field(), "count");
  EXPECT_EQ(bad_request.field_violations(0).value(), "1001");
  EXPECT_EQ(bad_request.field_violations(0).bound(), "1 to 1000");
  EXPECT_EQ(bad_request.field_violations(0).description(), status.error_message());
}

TEST(StatusConversion, MarksALackThatPassesAndNoOther) {
  const grpc::Status status = ToGrpcStatus(OverloadError("the server is busy"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  ASSERT_EQ(details.details_size(), 1);
  v1::Overload overload;
  ASSERT_TRUE(details.details(0).UnpackTo(&overload));
  EXPECT_EQ(overload.retry_delay().seconds(), 0);
  EXPECT_GE(overload.retry_delay().nanos(), 500'000'000);
  EXPECT_TRUE(ToGrpcStatus(absl::ResourceExhaustedError("a limit")).error_details().empty());
}

TEST(StatusConversion, SendsTheQuotaAndForHowLongItRefuses) {
  const absl::Status refusal =
      WithRetryDelay(WithQuota(OverloadError("too many calls"), "calls_per_second"),
                     absl::Milliseconds(1500));
  v1::StatusDetails details;
  ASSERT_TRUE(details.ParseFromString(ToGrpcStatus(refusal).error_details()));
  ASSERT_EQ(details.details_size(), 2);
  v1::Overload overload;
  ASSERT_TRUE(details.details(0).UnpackTo(&overload));
  EXPECT_EQ(overload.retry_delay().seconds(), 1);
  EXPECT_EQ(overload.retry_delay().nanos(), 500'000'000);
  v1::QuotaExceeded exceeded;
  ASSERT_TRUE(details.details(1).UnpackTo(&exceeded));
  EXPECT_EQ(exceeded.quota(), "calls_per_second");
}

TEST(StatusConversion, TellsThatTheServerItselfIsUnavailable) {
  v1::StatusDetails details;
  const grpc::Status status = ToGrpcStatus(absl::UnavailableError("the store is locked"));
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), static_cast<int>(grpc::StatusCode::UNAVAILABLE));
  EXPECT_EQ(details.message(), "the store is locked");
}

TEST(StatusConversion, MarksRefusalsThatAreToldApartAndNoOther) {
  const auto detail_of = [](const RefusalMark& mark) {
    const grpc::Status status = ToGrpcStatus(MarkedError(mark, "it is as it is"));
    EXPECT_EQ(static_cast<int>(status.error_code()), static_cast<int>(mark.code));
    EXPECT_EQ(status.error_message(), "it is as it is");
    v1::StatusDetails details;
    EXPECT_TRUE(details.ParseFromString(status.error_details()));
    return details.details_size() == 1 ? details.details(0) : google::protobuf::Any();
  };
  EXPECT_TRUE(detail_of(kCandidatesUsedUp).Is<v1::CandidatesUsedUp>());
  EXPECT_TRUE(detail_of(kOtherOutcome).Is<v1::OtherOutcome>());
  EXPECT_TRUE(detail_of(kTrialLimitReached).Is<v1::TrialLimitReached>());
  EXPECT_TRUE(ToGrpcStatus(absl::FailedPreconditionError("paused")).error_details().empty());
  EXPECT_TRUE(ToGrpcStatus(absl::ResourceExhaustedError("too large")).error_details().empty());
}

}  // namespace
}  // namespace slipstream
