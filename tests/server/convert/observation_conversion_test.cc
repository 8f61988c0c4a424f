#include "server/convert/observation_conversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/status.h"
#include "server/convert/space_conversion.h"
#include "tests/e2e/messages.h"

namespace slipstream {
namespace {

std::string FieldRefused(const v1::Outcome& outcome) {
  const absl::Status status = OutcomeFromProto("loss", outcome).status();
  return ViolationOf(status) ? ViolationOf(status)->field : "";
}

TEST(ObservationConversion, EveryKindOfOutcomeHasItsState) {
  const auto measured = *OutcomeFromProto("loss", LossOutcome(0.5));
  EXPECT_EQ(measured.state, TrialState::kSucceeded);
  EXPECT_EQ(measured.objective, 0.5);
  v1::Outcome outcome;
  outcome.mutable_failure()->set_reason("node lost");
  EXPECT_EQ(OutcomeFromProto("loss", outcome)->state, TrialState::kFailed);
  EXPECT_EQ(OutcomeFromProto("loss", outcome)->reason, "node lost");
  outcome.mutable_infeasibility()->set_reason("diverged");
  EXPECT_EQ(OutcomeFromProto("loss", outcome)->state, TrialState::kInfeasible);
  outcome.mutable_early_stop()->set_reason("hopeless");
  EXPECT_EQ(OutcomeFromProto("loss", outcome)->state, TrialState::kStopped);
  EXPECT_FALSE(OutcomeFromProto("loss", outcome)->objective.has_value());
  *outcome.mutable_early_stop()->mutable_measurement() = LossOutcome(9).measurement();
  EXPECT_EQ(OutcomeFromProto("loss", outcome)->objective, 9);
}

TEST(ObservationConversion, RefusalsNameThePathInsideTheOutcome) {
  EXPECT_EQ(FieldRefused(v1::Outcome()), "kind");
  EXPECT_EQ(FieldRefused(LossOutcome(NAN)), "measurement.metrics[loss]");
  v1::Outcome outcome;
  outcome.mutable_measurement();
  EXPECT_EQ(FieldRefused(outcome), "measurement.metrics");
  (*outcome.mutable_measurement()->mutable_metrics())["accuracy"] = 1;
  EXPECT_EQ(FieldRefused(outcome), "measurement.metrics[accuracy]");
  outcome.mutable_failure()->set_reason(std::string(1025, 'x'));
  EXPECT_EQ(FieldRefused(outcome), "failure.reason");
  *outcome.mutable_early_stop()->mutable_measurement() = LossOutcome(INFINITY).measurement();
  EXPECT_EQ(FieldRefused(outcome), "early_stop.measurement.metrics[loss]");
}

TEST(ObservationConversion, SourcePointsReadBack) {
  const SearchSpace space = *SpaceFromProto(ExampleStudy().space());
  v1::Outcome stopped;
  *stopped.mutable_early_stop()->mutable_measurement() = LossOutcome(9).measurement();
  v1::Outcome failed;
  failed.mutable_failure();
  v1::Outcome infeasible;
  infeasible.mutable_infeasibility();
  for (const v1::Outcome& outcome : {LossOutcome(3), stopped, failed, infeasible}) {
    v1::Observation observation;
    *observation.mutable_configuration() = ExampleConfiguration();
    *observation.mutable_outcome() = outcome;
    const auto point = SourcePointFromProto(space, "loss", observation);
    ASSERT_TRUE(point.ok()) << point.status();
    v1::Observation back;
    SourcePointToProto(space, "loss", *point, &back);
    EXPECT_EQ(back.DebugString(), observation.DebugString());
  }
  const absl::Status refused =
      SourcePointFromProto(space, "loss", MeasuredObservation(ExampleConfiguration(2), 1)).status();
  ASSERT_TRUE(ViolationOf(refused).has_value()) << refused;
  EXPECT_EQ(ViolationOf(refused)->field, "configuration.values[lr]");
}

}  // namespace
}  // namespace slipstream
