#include "server/convert/trial_conversion.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/status.h"
#include "server/convert/space_conversion.h"
#include "tests/e2e/messages.h"

namespace slipstream {
namespace {

TEST(TrialConversion, TimesHaveMilliseconds) {
  const google::protobuf::Timestamp time = TimestampOf(1700000000123);
  EXPECT_EQ(time.seconds(), 1700000000);
  EXPECT_EQ(time.nanos(), 123000000);
}

TEST(TrialConversion, AnAddedTrialReadsBackForTheWireAndForTheCore) {
  const SearchSpace space = *SpaceFromProto(ExampleStudy().space());
  const auto added =
      AddedTrial(space, "loss", MeasuredObservation(ExampleConfiguration(0.25, 7), 3));
  ASSERT_TRUE(added.ok()) << added.status();
  ASSERT_TRUE(added->outcome.has_value());
  TrialRecord record;
  record.number = 4;
  record.state = added->outcome->state;
  record.objective = added->outcome->objective;
  record.measurement = added->outcome->measurement;
  record.configuration = added->configuration;
  record.create_ms = 1000;
  record.end_ms = 2000;
  v1::Trial trial;
  ASSERT_TRUE(TrialToProto("s", record, &trial).ok());
  EXPECT_EQ(trial.name(), "studies/s/trials/4");
  EXPECT_EQ(trial.state(), v1::Trial::SUCCEEDED);
  EXPECT_EQ(trial.configuration().values().at("layers").integer_value(), 7);
  EXPECT_EQ(trial.measurement().metrics().at("loss"), 3);
  EXPECT_EQ(trial.end_time().seconds(), 2);
  EXPECT_FALSE(trial.has_start_time());
  v1::Configuration core;
  ConfigurationToProto(space, *StoredConfiguration(space, record), &core);
  EXPECT_EQ(core.DebugString(), trial.configuration().DebugString());
  v1::Trial outline;
  ASSERT_TRUE(TrialOutlineToProto("s", record, &outline).ok());
  EXPECT_EQ(outline.DebugString(), WithoutConfiguration(trial).DebugString());
}

TEST(TrialConversion, AnAddedTrialMustBeACandidateWhereThereAreAny) {
  const SearchSpace space = *SpaceFromProto(CandidateStudy(3).space());
  v1::Observation observation;
  (*observation.mutable_configuration()->mutable_values())["x"].set_double_value(1.5);
  EXPECT_EQ(AddedTrial(space, "loss", observation)->candidate, 1);
  EXPECT_FALSE(AddedTrial(space, "loss", observation)->outcome.has_value());
  (*observation.mutable_configuration()->mutable_values())["x"].set_double_value(1.25);
  const absl::Status refused = AddedTrial(space, "loss", observation).status();
  ASSERT_TRUE(ViolationOf(refused).has_value()) << refused;
  EXPECT_EQ(ViolationOf(refused)->field, "configuration");
}

TEST(TrialConversion, ASuggestionKeepsItsProvenance) {
  const SearchSpace space = *SpaceFromProto(ExampleStudy().space());
  Suggestion suggestion;
  suggestion.configuration = *ConfigurationFromProto(space, ExampleConfiguration());
  suggestion.provenance.preset = "gp_log_ei";
  suggestion.provenance.seed = 7;
  suggestion.provenance.rung = Rung::kWithoutTransfer;
  suggestion.provenance.rung_reason = "being fitted";
  suggestion.provenance.sources = {{"sourceTasks/a", 0.75}};
  suggestion.provenance.facts = {{"predicted_mean", 0.5}, {"recipe", std::string("mixed")}};
  suggestion.provenance.notes = {{"block", {1, 2}}};
  const NewTrial trial = SuggestedTrial(space, suggestion, "1.2");
  v1::Provenance provenance;
  ASSERT_TRUE(provenance.ParseFromString(trial.provenance));
  EXPECT_EQ(provenance.preset(), "gp_log_ei");
  EXPECT_EQ(provenance.version(), "1.2");
  EXPECT_EQ(provenance.seed(), 7u);
  EXPECT_EQ(provenance.rung(), v1::Provenance::WITHOUT_TRANSFER);
  EXPECT_EQ(provenance.rung_reason(), "being fitted");
  EXPECT_EQ(provenance.sources(0).weight(), 0.75);
  EXPECT_EQ(provenance.facts(0).number(), 0.5);
  EXPECT_EQ(provenance.facts(1).text(), "mixed");
  EXPECT_EQ(*StoredNotes(1, trial.provenance), suggestion.provenance.notes);
  EXPECT_TRUE(StoredNotes(1, "")->empty());
  EXPECT_TRUE(absl::IsDataLoss(StoredNotes(1, "\xff").status()));
}

TEST(TrialConversion, NoTrialWithoutAnOutcomeIsLongerThanTheBound) {
  const v1::Study study = ExampleStudy();
  const SearchSpace space = *SpaceFromProto(study.space());
  TrialRecord record;
  record.number = 1000000;
  record.worker = std::string(128, 'w');
  record.create_ms = record.start_ms.emplace(1700000000123);
  v1::Configuration longest = ExampleConfiguration();
  (*longest.mutable_values())["kernel"].set_category_value("poly");
  (*longest.mutable_values())["degree"].set_integer_value(5);
  record.configuration = longest.SerializeAsString();
  v1::Trial trial;
  ASSERT_TRUE(TrialToProto(std::string(63, 's'), record, &trial).ok());
  EXPECT_LE(trial.ByteSizeLong(), MostTrialBytes(space));
}

TEST(TrialConversion, TimesAndDurationsAreReadAsNumbers) {
  EXPECT_EQ(SecondsText(90, 0), "90 s");
  EXPECT_EQ(SecondsText(0, 1'000'000), "0.001 s");
  EXPECT_EQ(SecondsText(-1, -500'000'000), "-1.5 s");
  EXPECT_EQ(SecondsText(0, -1), "-1e-09 s");
  // What is no number is shown as it is.
  EXPECT_EQ(SecondsText(1, -1), "1 s and -1 ns");
  EXPECT_EQ(SecondsText(0, 1'000'000'000), "0 s and 1000000000 ns");
  google::protobuf::Timestamp time;
  time.set_seconds(-2);
  EXPECT_EQ(MsFromProto("create_time", time).status().message(),
            "create_time is -2 s, must be a time from 1970 to 9999");
}

TEST(TrialConversion, DamagedRecordsAreDataLoss) {
  const SearchSpace space = *SpaceFromProto(ExampleStudy().space());
  TrialRecord record;
  record.number = 1;
  record.configuration = "\xff";
  v1::Trial trial;
  EXPECT_TRUE(absl::IsDataLoss(TrialToProto("s", record, &trial)));
  EXPECT_TRUE(absl::IsDataLoss(StoredConfiguration(space, record).status()));
  EXPECT_FALSE(TrialStateFromProto("states[0]", static_cast<v1::Trial::State>(77)).ok());
  EXPECT_EQ(*TrialStateFromProto("f", v1::Trial::STOPPED), TrialState::kStopped);
}

}  // namespace
}  // namespace slipstream
