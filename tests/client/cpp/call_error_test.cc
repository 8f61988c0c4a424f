#include "client/cpp/call_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slipstream/errors.h"
#include "tests/client/fake_service.h"

namespace slipstream {
namespace {

using client_internal::CallError;
using client_internal::FailedCall;
using testing::HasSubstr;
using testing::Not;

FailedCall Failed(bool connected) {
  return {"create study digits", "10.0.0.7:7411", 3, absl::Milliseconds(4321), connected};
}

v1::FieldViolation LowViolation() {
  v1::FieldViolation violation;
  violation.set_field("study.space.parameters[2].double_domain.min");
  violation.set_description("study.space.parameters[2].double_domain.min is -1, must be > 0");
  violation.set_value("-1");
  violation.set_bound("> 0");
  return violation;
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(CallError, AsksWhetherAMissingServerRuns) {
  const absl::Status error =
      CallError(Failed(false), {grpc::StatusCode::UNAVAILABLE, "connection refused"});
  EXPECT_EQ(error.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(error),
            "no answer from 10.0.0.7:7411: is slipstream_server running there? (create study "
            "digits; 3 attempts in 4.3s; connection refused)");
}

TEST(CallError, TellsOfAMistakeInsteadWhereOneIsKnown) {
  FailedCall call = Failed(false);
  call.mistake = "the server speaks TLS";
  const absl::Status error = CallError(call, {grpc::StatusCode::UNAVAILABLE, "handshake failed"});
  EXPECT_EQ(error.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Message(error),
            "cannot create study digits on 10.0.0.7:7411: the server speaks TLS (3 attempts in "
            "4.3s)");
}

TEST(CallError, DoesNotAskWhetherABusyServerRuns) {
  const absl::Status error =
      CallError(Failed(true), {grpc::StatusCode::UNAVAILABLE, "shutting down"});
  EXPECT_THAT(Message(error), HasSubstr("cannot create study digits on 10.0.0.7:7411"));
  EXPECT_THAT(Message(error), Not(HasSubstr("running")));
}

TEST(CallError, SaysThatTheAnswerDidNotComeBeforeTheDeadline) {
  const absl::Status error =
      CallError(Failed(true), {grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"});
  EXPECT_EQ(error.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(Message(error), HasSubstr("no answer from 10.0.0.7:7411 in time"));
}

TEST(CallError, CarriesTheViolationsOfABadRequest) {
  const absl::Status error =
      CallError(Failed(true), BadRequestStatus("the space is wrong", LowViolation()));
  EXPECT_EQ(error.code(), absl::StatusCode::kInvalidArgument);
  const auto violations = ViolationsOf(error);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, LowViolation().field());
  EXPECT_EQ(violations[0].value, "-1");
  EXPECT_EQ(violations[0].bound, "> 0");
  EXPECT_THAT(Message(error), HasSubstr("the space is wrong; study.space.parameters[2]"));
}

TEST(CallError, PrintsItsViolationsAsText) {
  const absl::Status error =
      CallError(Failed(true), BadRequestStatus("the space is wrong", LowViolation()));
  EXPECT_THAT(error.ToString(),
              HasSubstr("[slipstream/violations='study.space.parameters[2].double_domain.min | "
                        "-1 | > 0 | study.space.parameters[2].double_domain.min is -1, must be "
                        "> 0']"));
}

TEST(CallError, KeepsAViolationAsItWasSent) {
  v1::FieldViolation odd;
  odd.set_field("labels[\"a | b\"]");
  odd.set_value("two\nlines, a back\\slash and \xc3\xa4");
  const auto violations = ViolationsOf(CallError(Failed(true), BadRequestStatus("wrong", odd)));
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].field, odd.field());
  EXPECT_EQ(violations[0].value, odd.value());
  EXPECT_EQ(violations[0].bound, "");
  EXPECT_EQ(violations[0].description, "");
}

TEST(CallError, TellsWhichQuotaIsExceeded) {
  EXPECT_EQ(ExceededQuota(CallError(Failed(true), QuotaStatus("too many trials", "trials"))),
            "trials");
  EXPECT_EQ(ExceededQuota(CallError(Failed(true), UsedUpStatus("no candidate is left"))), "");
}

TEST(CallError, TellsThatAStudyHasNoMoreTrials) {
  const auto tells = [](const grpc::Status& status) {
    return HasNoMoreTrials(CallError(Failed(true), status));
  };
  EXPECT_TRUE(tells(UsedUpStatus("no candidate is left")));
  EXPECT_TRUE(tells(TrialLimitStatus("1 more would be above the limit")));
  EXPECT_FALSE(tells(QuotaStatus("too many trials", "trials")));
  EXPECT_FALSE(tells({grpc::StatusCode::FAILED_PRECONDITION, "as it is"}));
}

TEST(CallError, DoesNotSayAViolationTwice) {
  const std::string message = LowViolation().description();
  const absl::Status error = CallError(Failed(true), BadRequestStatus(message, LowViolation()));
  EXPECT_THAT(Message(error), HasSubstr(message));
  EXPECT_THAT(Message(error), Not(HasSubstr(message + ";")));
}

TEST(CallError, DescribesAViolationThatHasNoDescription) {
  v1::FieldViolation violation = LowViolation();
  violation.clear_description();
  const absl::Status error = CallError(Failed(true), BadRequestStatus("wrong", violation));
  EXPECT_THAT(Message(error),
              HasSubstr("study.space.parameters[2].double_domain.min is -1, must be > 0"));
}

TEST(CallError, SurvivesATrailerThatIsNotAMessage) {
  const absl::Status error =
      CallError(Failed(true), {grpc::StatusCode::INVALID_ARGUMENT, "wrong", "\xff\xff\xff"});
  EXPECT_THAT(Message(error), HasSubstr("wrong"));
  EXPECT_TRUE(ViolationsOf(error).empty());
}

TEST(CallError, SaysIfTheServerGaveNoReason) {
  const absl::Status error = CallError(Failed(true), {grpc::StatusCode::INTERNAL, ""});
  EXPECT_THAT(Message(error), HasSubstr("the server gave no reason"));
}

TEST(CallError, HasNoViolationsForOtherErrors) {
  EXPECT_TRUE(ViolationsOf(absl::OkStatus()).empty());
  EXPECT_TRUE(ViolationsOf(absl::InvalidArgumentError("mine")).empty());
}

}  // namespace
}  // namespace slipstream
