#include "server/convert/study_conversion.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/status.h"
#include "core/recipe/recipe_names.h"
#include "tests/e2e/messages.h"

namespace slipstream {
namespace {

// `study` as a store would return it.
StudyRecord Stored(const NewStudy& study) {
  StudyRecord record;
  record.id = study.id;
  record.definition = study.definition;
  record.display_name = study.display_name;
  record.labels = study.labels;
  return record;
}

std::string FieldRefused(const v1::Study& study) {
  const absl::Status status = StudyDefinitionFromProto(study).status();
  return ViolationOf(status) ? ViolationOf(status)->field : "";
}

TEST(StudyConversion, AStoredStudyReadsBackForTheServiceAndForTheWire) {
  v1::Study study = CandidateStudy(5, "gp_log_ei");
  study.set_display_name("An example");
  (*study.mutable_labels())["team"] = "vision";
  study.add_source_tasks("sourceTasks/" + std::string(32, 'a'));
  study.mutable_algorithm()->mutable_recipe()->set_acquisition("ei");
  const auto definition = StudyDefinitionFromProto(study);
  ASSERT_TRUE(definition.ok()) << definition.status();
  const NewStudy stored = NewStudyOf(study, *definition, "s");

  const auto read = StoredStudyDefinition(Stored(stored), stored.candidates);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->space->candidates().size(), 5u);
  EXPECT_EQ(read->metric, "loss");
  EXPECT_EQ(read->goal, Goal::kMinimize);
  EXPECT_EQ(read->recipe.acquisition, "ei");
  EXPECT_EQ(read->seed, 7u);
  EXPECT_EQ(read->source_ids, definition->source_ids);

  v1::Study shown = *StudyToProto(Stored(stored), stored.candidates);
  EXPECT_EQ(shown.name(), "studies/s");
  EXPECT_EQ(shown.state(), v1::Study::ACTIVE);
  EXPECT_EQ(shown.display_name(), "An example");
  EXPECT_EQ(shown.labels().at("team"), "vision");
  EXPECT_EQ(shown.space().DebugString(), study.space().DebugString());
  EXPECT_FALSE(StudyToProto(Stored(stored), "")->space().has_candidates());
}

TEST(StudyConversion, TheBestResultAndTheNewestTrialAreToldOnceTheyAreThere) {
  StudyRecord record;
  record.id = "s";
  EXPECT_FALSE(StudyToProto(record, "")->has_best_value());
  EXPECT_FALSE(StudyToProto(record, "")->has_last_trial_time());
  record.best = 0.25;
  record.last_trial_ms = 2000;
  EXPECT_EQ(StudyToProto(record, "")->best_value(), 0.25);
  EXPECT_EQ(StudyToProto(record, "")->last_trial_time().seconds(), 2);
}

TEST(StudyConversion, RefusalsNameThePathInsideTheStudy) {
  v1::Study study = ExampleStudy("no_such_preset");
  EXPECT_EQ(FieldRefused(study), "algorithm.preset");
  study = ExampleStudy("gp_log_ei");
  study.mutable_algorithm()->mutable_recipe()->set_acquisition("magic");
  EXPECT_EQ(FieldRefused(study), "algorithm.recipe.acquisition");
  study = ExampleStudy();
  study.clear_metrics();
  EXPECT_EQ(FieldRefused(study), "metrics");
  study = ExampleStudy();
  study.mutable_metrics(0)->clear_goal();
  EXPECT_EQ(FieldRefused(study), "metrics[0].goal");
  study = ExampleStudy();
  study.set_state(v1::Study::PAUSED);
  EXPECT_EQ(FieldRefused(study), "state");
  study = ExampleStudy();
  for (int i = 0; i < 2; ++i) study.add_source_tasks("sourceTasks/" + std::string(32, 'a'));
  EXPECT_EQ(FieldRefused(study), "source_tasks[1]");
  study = ExampleStudy();
  study.mutable_space()->mutable_parameters(1)->set_name("lr");
  EXPECT_EQ(FieldRefused(study), "space.parameters[1].name");
}

TEST(StudyConversion, AnUnknownOptionIsRefusedWithWholeNamesOfOthers) {
  v1::Study study = ExampleStudy("gp_log_ei");
  (*study.mutable_algorithm()->mutable_recipe()->mutable_options())["foo"] = 1;
  EXPECT_EQ(FieldRefused(study), "algorithm.recipe.options[foo]");
  const std::string message(StudyDefinitionFromProto(study).status().message());
  const size_t list = message.find("an option of ") + std::string("an option of ").size();
  const size_t end = message.find(" and ", list);
  ASSERT_NE(end, std::string::npos) << message;
  std::set<std::string> known;
  for (const RecipeOption& option : RecipeOptions()) known.emplace(option.info.name);
  const std::vector<std::string> named =
      absl::StrSplit(message.substr(list, end - list), ", ");
  for (const std::string& name : named) EXPECT_TRUE(known.contains(name)) << name;
  EXPECT_EQ(message.substr(end), absl::StrCat(" and ", known.size() - named.size(), " more"));
}

// Studies that were made before are read all the same.
TEST(StudyConversion, AnOptionWithoutEffectIsRefusedInNewStudiesAlone) {
  v1::Study study = ExampleStudy("gp_log_ei");
  auto& options = *study.mutable_algorithm()->mutable_recipe()->mutable_options();
  options["hedge_rate"] = 3;
  const auto violation = ViolationOf(CheckNewStudy(study));
  ASSERT_TRUE(violation.has_value());
  EXPECT_EQ(violation->field, "algorithm.recipe.options[hedge_rate]");
  EXPECT_TRUE(StudyDefinitionFromProto(study).ok());
  study.mutable_algorithm()->mutable_recipe()->set_exploration("hedge");
  EXPECT_TRUE(CheckNewStudy(study).ok());
}

TEST(StudyConversion, DamagedRecordsAreDataLoss) {
  StudyRecord record;
  record.id = "s";
  record.definition = "\xff";
  EXPECT_TRUE(absl::IsDataLoss(StoredStudyDefinition(record, "").status()));
  EXPECT_TRUE(absl::IsDataLoss(StudyToProto(record, "").status()));
}

TEST(StudyConversion, SourcesAreFittedOnlyForPresetsWhosePriorUsesThem) {
  v1::Study study = ExampleStudy("cmbo_wss_wss");
  EXPECT_FALSE(SourceFitFor(*StudyDefinitionFromProto(study), {}).has_value()) << "no sources";
  study.add_source_tasks("sourceTasks/" + std::string(32, 'a'));
  const auto cmbo = SourceFitFor(*StudyDefinitionFromProto(study), {});
  ASSERT_TRUE(cmbo.has_value());
  EXPECT_EQ(cmbo->kernel, SourceKernel::kMatern32TimesMatern12);
  study.mutable_algorithm()->set_preset("stacked");
  EXPECT_EQ(SourceFitFor(*StudyDefinitionFromProto(study), {})->kernel, SourceKernel::kMatern52);
  for (const char* preset : {"gp_log_ei", "source_portfolio", "random"}) {
    study.mutable_algorithm()->set_preset(preset);
    EXPECT_FALSE(SourceFitFor(*StudyDefinitionFromProto(study), {}).has_value()) << preset;
  }
}

}  // namespace
}  // namespace slipstream
