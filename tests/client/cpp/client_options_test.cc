#include "slipstream/client_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "client/cpp/channel_security.h"
#include "slipstream/messages/client.h"

namespace slipstream {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string Complaint(const ClientOptions& options) {
  const absl::Status status = CheckOptions(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ClientOptions, AreLegalByDefault) { EXPECT_TRUE(CheckOptions(ClientOptions()).ok()); }

TEST(ClientOptions, TakeWhatIsEmptyFromTheEnvironmentOrTheDefaults) {
  unsetenv("SLIPSTREAM_ADDRESS");
  EXPECT_EQ(client_internal::WithEnvironment({}).address, kDefaultAddress);
  setenv("SLIPSTREAM_ADDRESS", "10.0.0.7:7411", 1);
  setenv("SLIPSTREAM_WORKER", "gpu-3", 1);
  EXPECT_EQ(client_internal::WithEnvironment({}).address, "10.0.0.7:7411");
  EXPECT_EQ(client_internal::WithEnvironment({}).worker, "gpu-3");
  setenv("SLIPSTREAM_ADDRESS", "10.0.0.7", 1);
  EXPECT_EQ(client_internal::WithEnvironment({}).address, "10.0.0.7:7411");
  EXPECT_EQ(client_internal::WithEnvironment({.address = "::1"}).address, "[::1]:7411");
  EXPECT_EQ(client_internal::WithEnvironment({.address = "unix:/s"}).address, "unix:/s");
  unsetenv("SLIPSTREAM_ADDRESS");
  unsetenv("SLIPSTREAM_WORKER");
}

TEST(ClientOptions, TakeAProjectAsTheCommandLinePrintsIt) {
  setenv("SLIPSTREAM_PROJECT", "projects/vision", 1);
  EXPECT_EQ(client_internal::WithEnvironment({}).project, "vision");
  EXPECT_EQ(client_internal::WithEnvironment({.project = "projects/text"}).project, "text");
  EXPECT_EQ(client_internal::WithEnvironment({.project = "text"}).project, "text");
  unsetenv("SLIPSTREAM_PROJECT");
}

TEST(ClientOptions, RefuseThreadsAndWaitingCallsOutOfBounds) {
  EXPECT_THAT(Complaint({.background = {.threads = 0}}),
              HasSubstr("background.threads is 0, must be from 1 to 1000"));
  EXPECT_THAT(Complaint({.background = {.waiting = 0}}),
              HasSubstr("background.waiting is 0, must be 1 or more"));
}

TEST(ClientOptions, RefuseAnAddressThatMayHaveAPortOrNot) {
  EXPECT_THAT(Complaint({.address = "::1:7411"}), HasSubstr("address is ::1:7411, must be [::1]"));
}

TEST(ClientOptions, RefuseATokenWithALineEnd) {
  ClientOptions options;
  options.token = "ann.secret\n";
  EXPECT_THAT(Complaint(options), AllOf(HasSubstr("token has"), Not(HasSubstr("secret"))));
}

TEST(ClientOptions, RefuseACertificateWithoutItsKeyOrAFileThatIsNone) {
  for (const ClientOptions& options :
       {ClientOptions{.certificate = "c"}, ClientOptions{.ca = "a", .key = "k"},
        ClientOptions{.ca = "/nowhere"}, ClientOptions{.ca = "/dev/null"}}) {
    EXPECT_EQ(Client::Connect(options).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(Client::Connect({.ca = "system"}).ok());
}

TEST(ClientOptions, RefuseDeadlinesThatAreNotPositive) {
  ClientOptions options;
  options.suggest.attempt = std::chrono::nanoseconds::zero();
  EXPECT_THAT(Complaint(options), HasSubstr("suggest.attempt is 0, must be above 0"));
}

TEST(ClientOptions, RefuseAnAttemptLongerThanTheCall) {
  ClientOptions options;
  options.registration.overall = std::chrono::seconds(1);
  EXPECT_THAT(Complaint(options), HasSubstr("registration.overall is 1s, must be at least"));
  options = {};
  options.backup.overall = std::chrono::seconds(1);
  EXPECT_THAT(Complaint(options), HasSubstr("backup.overall is 1s, must be at least"));
}

TEST(ClientOptions, RefuseABackoffThatIsNotPositive) {
  ClientOptions options;
  options.retry.initial_backoff = -std::chrono::seconds(1);
  EXPECT_THAT(Complaint(options), HasSubstr("retry.initial_backoff is -1s"));
}

TEST(ClientOptions, RefuseANegativeNumberOfAttempts) {
  ClientOptions options;
  options.retry.max_attempts = -1;
  EXPECT_THAT(Complaint(options), HasSubstr("retry.max_attempts is -1, must be 0 or more"));
  options.retry.max_attempts = 0;
  options.retry.longest_outage = -std::chrono::seconds(1);
  EXPECT_THAT(Complaint(options), HasSubstr("retry.longest_outage is -1s, must be 0 or more"));
}

TEST(ClientOptions, AreCheckedByConnect) {
  EXPECT_EQ(Client::Connect({.background = {.threads = 0}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace slipstream
