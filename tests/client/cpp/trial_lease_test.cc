#include "slipstream/trial_lease.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>

#include "tests/client/fake_clock.h"
#include "tests/client/fake_service.h"

namespace slipstream {
namespace {

class TrialLeaseTest : public testing::Test {
 protected:
  TrialLeaseTest() {
    ClientOptions options;
    options.address = server_.address();
    options.clock = std::make_shared<FakeClientClock>();
    client_ = *Client::Connect(options);
    server_.service().AddStudy(SmallStudy());
    trial_ = client_->Suggest("studies/s1", "w")->front();
  }

  int64_t Calls(const std::string& method) const {
    const auto calls = server_.service().calls();
    return std::count_if(calls.begin(), calls.end(),
                         [&method](const SeenCall& call) { return call.method == method; });
  }
  v1::Trial Stored() { return server_.service().trials("studies/s1").front(); }
  template <typename Condition>
  static void WaitUntil(Condition condition) {
    while (!condition()) std::this_thread::yield();
  }

  mutable FakeServer server_;
  std::unique_ptr<Client> client_;
  v1::Trial trial_;
};

TEST_F(TrialLeaseTest, RenewsInTheBackgroundUntilTheOutcome) {
  TrialLease lease(client_.get(), trial_, "accuracy");
  WaitUntil([this] { return Calls("Heartbeat") >= 3; });
  EXPECT_FALSE(lease.lost());
  ASSERT_TRUE(lease.Report(1, 0.5).ok());
  ASSERT_TRUE(lease.Succeed(0.75).ok());
  EXPECT_EQ(Stored().state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(Calls("Report"), 1);
}

TEST_F(TrialLeaseTest, StopsEarlyWithTheValueOfTheLastReport) {
  TrialLease lease(client_.get(), trial_, "accuracy");
  ASSERT_TRUE(lease.Report(2, 0.5).ok());
  EXPECT_FALSE(lease.ShouldStop()->stop());
  ASSERT_TRUE(lease.Report(1, 0.25).ok());
  const auto advice = lease.ShouldStop();
  ASSERT_TRUE(advice.ok() && advice->stop());
  ASSERT_TRUE(lease.Stop(advice->reason()).ok());
  EXPECT_EQ(Stored().state(), v1::Trial::STOPPED);
  EXPECT_EQ(Stored().reason(), "two are enough");
  EXPECT_EQ(Stored().measurement().metrics().at("accuracy"), 0.5);
}

TEST_F(TrialLeaseTest, GivesTheTrialBackWithoutAnOutcome) {
  { const TrialLease lease(client_.get(), trial_, "accuracy"); }
  EXPECT_EQ(Stored().state(), v1::Trial::REQUESTED);
  EXPECT_EQ(Calls("ReleaseTrials"), 1);
}

TEST_F(TrialLeaseTest, KeepsATrialThatHasItsOutcome) {
  {
    TrialLease lease(client_.get(), trial_, "accuracy");
    ASSERT_TRUE(lease.Fail("out of memory").ok());
  }
  EXPECT_EQ(Calls("ReleaseTrials"), 0);
  EXPECT_EQ(Stored().state(), v1::Trial::FAILED);
}

TEST_F(TrialLeaseTest, NoticesThatTheTrialWasTakenAway) {
  {
    const TrialLease lease(client_.get(), trial_, "accuracy");
    server_.service().TakeAway(trial_.name());
    WaitUntil([&lease] { return lease.lost(); });
  }
  EXPECT_EQ(Calls("ReleaseTrials"), 0);
  EXPECT_EQ(Stored().state(), v1::Trial::ACTIVE);
}

TEST_F(TrialLeaseTest, AnOutcomeThatIsRefusedCanBeToldAgain) {
  TrialLease lease(client_.get(), trial_, "accuracy");
  WaitUntil([this] { return Calls("Heartbeat") >= 1; });
  server_.service().FailAlways({grpc::StatusCode::INVALID_ARGUMENT, "no"});
  EXPECT_FALSE(lease.Stop("hopeless").ok());
  server_.service().FailAlways(grpc::Status::OK);
  ASSERT_TRUE(lease.Infeasible("diverged").ok());
  EXPECT_EQ(Stored().state(), v1::Trial::INFEASIBLE);
}

}  // namespace
}  // namespace slipstream
