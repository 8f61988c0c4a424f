#include "client/cpp/upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slipstream/messages/client.h"
#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SourceUpload : public testing::Test {
 protected:
  SourceUpload() {
    ClientOptions options;
    options.address = server_.address();
    options.clock = std::make_shared<FakeClientClock>();
    client_ = *Client::Connect(options);
  }

  FakeServer server_;
  std::unique_ptr<Client> client_;
};

v1::Observation Numbered(int number, size_t padding) {
  v1::Observation observation;
  SetInteger(observation.mutable_configuration(), "n", number);
  observation.mutable_outcome()->mutable_failure()->set_reason(std::string(padding, 'x'));
  return observation;
}

std::vector<v1::Observation> Many(int count, size_t padding) {
  std::vector<v1::Observation> observations;
  for (int i = 0; i < count; ++i) observations.push_back(Numbered(i, padding));
  return observations;
}

// A reader that fails after some observations.
class BreakingReader final : public ObservationReader {
 public:
  explicit BreakingReader(int good) : good_(good) {}
  absl::Status Rewind() override { return absl::OkStatus(); }
  absl::StatusOr<bool> Next(v1::Observation* observation) override {
    if (good_-- == 0) return absl::DataLossError("the file broke");
    *observation = Numbered(good_, 1);
    return true;
  }

 private:
  int good_;
};

TEST_F(SourceUpload, SendsTheHeaderAloneAndThenAtMostAThousandObservations) {
  ASSERT_TRUE(client_->RegisterSourceTask({}, Many(2500, 1)).ok());
  EXPECT_THAT(server_.service().chunks(), ElementsAre(0, 1000, 1000, 500));
}

TEST_F(SourceUpload, SendsNoEmptyMessageAfterAFullOne) {
  ASSERT_TRUE(client_->RegisterSourceTask({}, Many(1000, 1)).ok());
  EXPECT_THAT(server_.service().chunks(), ElementsAre(0, 1000));
}

TEST_F(SourceUpload, SendsEveryObservationOnceAndInOrder) {
  ASSERT_TRUE(client_->RegisterSourceTask({}, Many(2001, 1)).ok());
  const auto observations = server_.service().observations();
  ASSERT_EQ(observations.size(), 2001u);
  for (int i = 0; i < 2001; ++i) {
    EXPECT_EQ(GetInteger(observations[i].configuration(), "n").value(), i);
  }
}

TEST_F(SourceUpload, KeepsMessagesNearAMebibyte) {
  ASSERT_TRUE(client_->RegisterSourceTask({}, Many(50, 100'000)).ok());
  EXPECT_THAT(server_.service().chunks(), ElementsAre(0, 10, 10, 10, 10, 10));
  EXPECT_LT(server_.service().largest_message(), client_internal::UploadLimits::kBytes + 4096);
}

TEST_F(SourceUpload, SendsAnOversizedObservationAlone) {
  auto observations = Many(2, 1);
  observations.insert(observations.begin() + 1, Numbered(7, 2'000'000));
  ASSERT_TRUE(client_->RegisterSourceTask({}, observations).ok());
  EXPECT_THAT(server_.service().chunks(), ElementsAre(0, 1, 1, 1));
}

TEST_F(SourceUpload, RestartsFromTheFirstObservation) {
  server_.service().FailNext(2, {.status = {grpc::StatusCode::UNAVAILABLE, "down"}});
  ASSERT_TRUE(client_->RegisterSourceTask({}, Many(1500, 1)).ok());
  EXPECT_EQ(server_.service().observations().size(), 1500u);
  const auto calls = server_.service().calls();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].request_id, calls[2].request_id);
  EXPECT_EQ(calls[0].request_id.size(), 36u);
}

TEST_F(SourceUpload, KeepsTheHeader) {
  v1::RegisterSourceTaskRequest::Header header;
  header.mutable_source_task()->set_display_name("night run");
  header.set_request_id("mine");
  const auto response = client_->RegisterSourceTask(header, Many(1, 1));
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response->source_task().display_name(), "night run");
  EXPECT_EQ(server_.service().calls()[0].request_id, "mine");
}

TEST_F(SourceUpload, ReturnsTheReadersErrorAndRegistersNothing) {
  BreakingReader reader(1200);
  const auto response = client_->RegisterSourceTask({}, reader);
  EXPECT_EQ(response.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(std::string(response.status().message()), "the file broke");
}

TEST_F(SourceUpload, ReturnsTheServersRefusal) {
  server_.service().FailNext(1, {.status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "too many"}});
  const auto response = client_->RegisterSourceTask({}, Many(10, 1));
  EXPECT_EQ(response.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(response.status().message()),
              HasSubstr("cannot register a source task on "));
}

}  // namespace
}  // namespace slipstream
