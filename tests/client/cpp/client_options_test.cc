#include "slipstream/client_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slipstream/client.h"

namespace slipstream {
namespace {

using testing::HasSubstr;

std::string Complaint(const ClientOptions& options) {
  const absl::Status status = CheckOptions(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ClientOptions, AreLegalByDefault) { EXPECT_TRUE(CheckOptions(ClientOptions()).ok()); }

TEST(ClientOptions, NeedAnAddress) {
  EXPECT_THAT(Complaint({.address = ""}), HasSubstr("address is empty"));
}

TEST(ClientOptions, RefuseDeadlinesThatAreNotPositive) {
  ClientOptions options;
  options.suggest.attempt = absl::ZeroDuration();
  EXPECT_THAT(Complaint(options), HasSubstr("suggest.attempt is 0, must be above 0"));
}

TEST(ClientOptions, RefuseAnAttemptLongerThanTheCall) {
  ClientOptions options;
  options.registration.overall = absl::Seconds(1);
  EXPECT_THAT(Complaint(options), HasSubstr("registration.overall is 1s, must be at least"));
}

TEST(ClientOptions, RefuseABackoffThatIsNotPositive) {
  ClientOptions options;
  options.retry.initial_backoff = -absl::Seconds(1);
  EXPECT_THAT(Complaint(options), HasSubstr("retry.initial_backoff is -1s"));
}

TEST(ClientOptions, RefuseANegativeNumberOfAttempts) {
  ClientOptions options;
  options.retry.max_attempts = -1;
  EXPECT_THAT(Complaint(options), HasSubstr("retry.max_attempts is -1, must be 0 or more"));
}

TEST(ClientOptions, AreCheckedByConnect) {
  EXPECT_EQ(Client::Connect({.address = ""}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace slipstream
