#include "client/cli/trial_holder.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/client/fake_service.h"

namespace slipstream::cli {
namespace {

class TrialHolder : public testing::Test {
 protected:
  // Adds a trial to the study s1.
  v1::Trial Add(v1::Trial::State state, const std::string& worker) {
    v1::Trial trial;
    trial.set_state(state);
    trial.set_worker(worker);
    trial.mutable_create_time()->set_seconds(1740830400);
    return server_.service().AddTrial("studies/s1", trial);
  }

  absl::StatusOr<google::protobuf::Timestamp> Ask(const std::string& trial) {
    const Terminal terminal = {in_, out_, out_};
    const auto client = *Client::Connect({.address = server_.address()});
    Session session(*client, terminal, Format::kTable);
    return CreateTimeOfHeld(trial, "w", session);
  }

  FakeServer server_;
  std::istringstream in_;
  std::ostringstream out_;
};

TEST_F(TrialHolder, IsAlsoWhoHadTheTrial) {
  for (const auto state : {v1::Trial::ACTIVE, v1::Trial::STALE, v1::Trial::SUCCEEDED}) {
    EXPECT_EQ(Ask(Add(state, "w").name()).value().seconds(), 1740830400);
  }
}

TEST_F(TrialHolder, IsNamedIfItIsAnother) {
  const std::string text = " is not a trial of worker w: ";
  const absl::Status held = Ask(Add(v1::Trial::ACTIVE, "v").name()).status();
  EXPECT_EQ(held.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(held.message(), "s1/1" + text + "worker v holds it");
  EXPECT_EQ(Ask(Add(v1::Trial::STALE, "v").name()).status().message(),
            "s1/2" + text + "worker v held it");
  EXPECT_EQ(Ask(Add(v1::Trial::REQUESTED, "").name()).status().message(),
            "s1/3" + text + "no worker holds it");
}

TEST_F(TrialHolder, IsOfATrialThatIsThere) {
  EXPECT_EQ(Ask("studies/s1/trials/9").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace slipstream::cli
