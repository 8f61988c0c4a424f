#include "client/cli/trial_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/cli/times.h"
#include "slipstream/messages/configuration.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

class TrialView : public testing::Test {
 protected:
  TrialView() {
    study_.mutable_space()->add_parameters()->set_name("lr");
    study_.add_metrics()->set_name("loss");
    trial_.set_name("studies/digits/trials/3");
    trial_.set_state(v1::Trial::SUCCEEDED);
    SetDouble(trial_.mutable_configuration(), "lr", 0.123456789);
    (*trial_.mutable_measurement()->mutable_metrics())["loss"] = 0.5;
  }

  // The text that `print` writes to a session of this format.
  template <typename Print>
  std::string Written(Format format, const Print& print) {
    std::istringstream in;
    std::ostringstream out;
    const auto client = *Client::Connect({.address = "unix:/nonexistent"});
    Session session(*client, {in, out, out}, format);
    print(session);
    return out.str();
  }

  template <typename Print>
  Json Parsed(const Print& print) {
    return Json::parse(Written(Format::kJson, print));
  }

  v1::Study study_;
  v1::Trial trial_;
};

TEST_F(TrialView, TellsHowOldATrialIsHowLongItTookAndHowLongItIsHeld) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  trial_.mutable_create_time()->set_seconds(now - 7200);
  trial_.mutable_start_time()->set_seconds(now - 3600);
  trial_.mutable_end_time()->set_seconds(now - 3510);
  v1::Trial held = trial_;
  held.set_state(v1::Trial::ACTIVE);
  held.clear_end_time();
  held.mutable_lease_end_time()->set_seconds(now + 600);
  const auto print = [&](Session& session) {
    PrintTrials(study_, {trial_, held}, Numbers::kRounded, session);
  };
  const std::string table = Written(Format::kTable, print);
  EXPECT_THAT(table, HasSubstr("2 h  2 min"));
  EXPECT_THAT(table, testing::ContainsRegex("2 h +1 h +10 min"));
  const std::string csv = Written(Format::kCsv, print);
  EXPECT_THAT(csv, testing::ContainsRegex(",720[01].?[0-9]*,90,\r\n"));
  trial_.set_note("looks odd");
  trial_.set_requeued_as("studies/digits/trials/9");
  const std::string whole =
      Written(Format::kTable, [&](Session& session) { PrintWholeTrial(trial_, {}, {}, session); });
  EXPECT_THAT(whole, HasSubstr("looks odd"));
  EXPECT_THAT(whole, HasSubstr("digits/9"));
}

TEST_F(TrialView, SaysOfAStaleTrialWhatBecameOfItAndOfItsRepeat) {
  trial_.set_state(v1::Trial::STALE);
  trial_.clear_measurement();
  trial_.set_requeued_as("studies/digits/trials/9");
  trial_.mutable_end_time()->set_seconds(1'740'830'400);
  v1::Trial repeat;
  repeat.set_name("studies/digits/trials/9");
  repeat.set_state(v1::Trial::REQUESTED);
  repeat.set_requeue_of("studies/digits/trials/3");
  const std::string table = Written(Format::kTable, [&](Session& session) {
    PrintTrials(study_, {trial_, repeat}, Numbers::kRounded, session);
  });
  EXPECT_THAT(table, HasSubstr("lease ran out; again as digits/9"));
  EXPECT_THAT(table, HasSubstr(" again for digits/3"));
  const std::string whole =
      Written(Format::kTable, [&](Session& session) { PrintWholeTrial(trial_, {}, {}, session); });
  EXPECT_THAT(whole, testing::ContainsRegex("reason: +lease ran out\n"));
  EXPECT_THAT(whole, testing::ContainsRegex("ended: +2025-03-01 12:00:00Z\n"));
}

TEST_F(TrialView, SaysWhyAConfigurationWasNotQueuedAgain) {
  trial_.set_state(v1::Trial::STALE);
  trial_.clear_measurement();
  trial_.set_reason("lease ran out; not queued again");
  const std::string table = Written(Format::kTable, [&](Session& session) {
    PrintTrials(study_, {trial_}, Numbers::kRounded, session);
  });
  EXPECT_THAT(table, HasSubstr("lease ran out; not queued again"));
}

TEST_F(TrialView, AFileHasTheWorkersReasonAloneAndTheLinksInColumnsOfTheirOwn) {
  trial_.set_state(v1::Trial::STALE);
  trial_.clear_measurement();
  trial_.set_requeued_as("studies/digits/trials/9");
  v1::Trial repeat;
  repeat.set_name("studies/digits/trials/9");
  repeat.set_state(v1::Trial::FAILED);
  repeat.set_reason("oom");
  repeat.set_note("odd");
  repeat.set_requeue_of("studies/digits/trials/3");
  EXPECT_EQ(Written(Format::kCsv,
                    [&](Session& session) {
                      PrintTrials(study_, {trial_, repeat}, Numbers::kRounded, session);
                    }),
            "trial,state,lr,loss,worker,reason,age,took,lease,note,requeued_as,requeue_of\r\n"
            "digits/3,stale,0.123456789,,,,,,,,digits/9,\r\n"
            "digits/9,failed,,,,oom,,,,odd,,digits/3\r\n");
  const std::string whole =
      Written(Format::kCsv, [&](Session& session) { PrintWholeTrial(trial_, {}, {}, session); });
  EXPECT_THAT(whole, testing::Not(HasSubstr("reason,")));
  EXPECT_THAT(whole, HasSubstr("queued again as,digits/9\r\n"));
}

TEST_F(TrialView, NamesATrialInFullHoweverLongItsStudysNameIs) {
  trial_.set_name("projects/vision-team/studies/resnet50-imagenet-lr-sweep/trials/12");
  const std::string table = Written(Format::kTable, [&](Session& session) {
    PrintTrials(study_, {trial_}, Numbers::kRounded, session);
  });
  EXPECT_THAT(table, HasSubstr("projects/vision-team/studies/resnet50-imagenet-lr-sweep/12 "));
}

TEST_F(TrialView, NoTwoColumnsOfAFileAreCalledTheSame) {
  study_.mutable_space()->add_parameters()->set_name("state");
  study_.mutable_space()->add_parameters()->set_name("loss");
  study_.add_metrics()->set_name("worker");
  const std::string csv = Written(Format::kCsv, [&](Session& session) {
    PrintTrials(study_, {trial_}, Numbers::kRounded, session);
  });
  EXPECT_THAT(csv, testing::StartsWith("trial,trial_state,lr,state,loss,measured loss,worker,"
                                       "trial_worker,reason,"));
}

TEST_F(TrialView, ANameThatAParameterHasTakenAlreadyIsNotGivenToAnotherColumn) {
  for (const char* name : {"state", "trial_state", "loss", "measured loss"}) {
    study_.mutable_space()->add_parameters()->set_name(name);
  }
  const std::string csv = Written(Format::kCsv, [&](Session& session) {
    PrintTrials(study_, {trial_}, Numbers::kRounded, session);
  });
  EXPECT_THAT(csv, testing::StartsWith("trial,trial_trial_state,lr,state,trial_state,loss,"
                                       "measured loss,measured measured loss,worker,"));
}

TEST_F(TrialView, TellsTimesInSecondsBesideTheFieldsInJson) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  trial_.mutable_create_time()->set_seconds(now - 7200);
  trial_.mutable_start_time()->set_seconds(now - 3600);
  trial_.mutable_end_time()->set_seconds(now - 3510);
  trial_.mutable_end_time()->set_nanos(250'000'000);
  v1::Trial held = trial_;
  held.set_state(v1::Trial::ACTIVE);
  held.clear_end_time();
  held.mutable_lease_end_time()->set_seconds(now + 600);
  const Json list = Parsed([&](Session& session) {
    PrintTrials(study_, {trial_, held}, Numbers::kRounded, session);
  });
  EXPECT_EQ(list[0]["name"], "studies/digits/trials/3");
  EXPECT_TRUE(list[0]["createTime"].is_string());
  EXPECT_EQ(list[0]["durationSeconds"], 90.25);
  EXPECT_FALSE(list[0].contains("leaseLeftSeconds"));
  EXPECT_NEAR(list[0]["ageSeconds"], 7200, 60);
  EXPECT_NEAR(list[1]["durationSeconds"], 3600, 60);
  EXPECT_NEAR(list[1]["leaseLeftSeconds"], 600, 60);
  const Json one = Parsed([&](Session& session) { PrintTrial(study_, held, session); });
  EXPECT_NEAR(one["leaseLeftSeconds"], 600, 60);
}

TEST_F(TrialView, NoTimeThatHasPassedIsNegativeWhenAClockWasSetBack) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  trial_.mutable_create_time()->set_seconds(now + 7200);
  trial_.mutable_start_time()->set_seconds(now + 7200);
  v1::Trial ended = trial_;
  ended.mutable_end_time()->set_seconds(now + 3600);
  trial_.set_state(v1::Trial::ACTIVE);
  for (const v1::Trial& trial : {trial_, ended}) {
    const Json shown = Parsed([&](Session& session) { PrintTrial(study_, trial, session); });
    EXPECT_EQ(shown["ageSeconds"], 0);
    EXPECT_EQ(shown["durationSeconds"], 0);
  }
}

TEST_F(TrialView, TellsTimesOfATrialThatIsShownAlone) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  trial_.mutable_create_time()->set_seconds(now - 7200);
  trial_.mutable_start_time()->set_seconds(now - 3600);
  trial_.mutable_end_time()->set_seconds(now - 3510);
  v1::ListReportsResponse reports;
  reports.add_reports()->set_step(4);
  const auto print = [&](Session& session) { PrintWholeTrial(trial_, {}, reports, session); };
  const Json shown = Parsed(print);
  EXPECT_EQ(shown["durationSeconds"], 90);
  EXPECT_EQ(shown["reports"][0]["step"], "4");
  EXPECT_THAT(Written(Format::kCsv, print), HasSubstr("took,90\r\n"));
  EXPECT_THAT(Written(Format::kTable, print), HasSubstr("2 min"));
  v1::Explanation explanation;
  *explanation.mutable_trial() = trial_;
  explanation.mutable_provenance()->set_preset("auto");
  const Json explained =
      Parsed([&](Session& session) { PrintExplanation(explanation, study_, {}, session); });
  EXPECT_EQ(explained["trial"]["durationSeconds"], 90);
  EXPECT_EQ(explained["provenance"]["preset"], "auto");
}

TEST_F(TrialView, LeavesOutTimesThatATrialDoesNotHave) {
  const Json json = Parsed([&](Session& session) { PrintTrial(study_, trial_, session); });
  for (const TrialTime& time : kTrialTimes) EXPECT_FALSE(json.contains(time.key)) << time.key;
}

TEST_F(TrialView, RoundsNumbersInTablesOnly) {
  const auto print = [&](Session& session) {
    PrintTrials(study_, {trial_}, Numbers::kRounded, session);
  };
  EXPECT_THAT(Written(Format::kTable, print), HasSubstr("0.123457 "));
  EXPECT_EQ(Written(Format::kCsv, print),
            "trial,state,lr,loss,worker,reason,age,took,lease\r\n"
            "digits/3,succeeded,0.123456789,0.5,,,,,\r\n");
  EXPECT_THAT(Written(Format::kJson, print), HasSubstr("0.123456789"));
}

TEST_F(TrialView, ShowsLabelsWhereATrialHasOne) {
  v1::Trial labelled = trial_;
  (*labelled.mutable_labels())["gpu"] = "a100";
  (*labelled.mutable_labels())["fold"] = "3";
  const auto print = [&](Session& session) {
    PrintTrials(study_, {trial_, labelled}, Numbers::kRounded, session);
  };
  EXPECT_THAT(Written(Format::kTable, print), HasSubstr("fold=3, gpu=a100\n"));
  EXPECT_EQ(Written(Format::kCsv, print),
            "trial,state,lr,loss,worker,reason,age,took,lease,labels\r\n"
            "digits/3,succeeded,0.123456789,0.5,,,,,,\r\n"
            "digits/3,succeeded,0.123456789,0.5,,,,,,\"fold=3, gpu=a100\"\r\n");
  const Json json = Parsed(print);
  EXPECT_TRUE(json[0]["labels"].empty());
  EXPECT_EQ(json[1]["labels"], Json({{"fold", "3"}, {"gpu", "a100"}}));
  study_.mutable_space()->add_parameters()->set_name("labels");
  EXPECT_THAT(Written(Format::kCsv, print), HasSubstr(",lease,trial_labels\r\n"));
  (*labelled.mutable_labels())["host"] = std::string(200, 'h');
  std::istringstream lines(Written(Format::kTable, print));
  for (std::string line; std::getline(lines, line);) EXPECT_LT(line.size(), 110u) << line;
  const auto one = [&](Session& session) { PrintTrial(study_, labelled, session); };
  EXPECT_THAT(Written(Format::kTable, one), HasSubstr("fold=3, gpu=a100"));
}

TEST_F(TrialView, ShowsWhyASuggestionIsNotTheRecipes) {
  v1::Explanation explanation;
  *explanation.mutable_trial() = trial_;
  explanation.mutable_provenance()->set_rung(v1::Provenance::WITHOUT_TRANSFER);
  explanation.mutable_provenance()->set_rung_reason("the deadline passed");
  EXPECT_THAT(
      Written(Format::kTable,
              [&](Session& session) { PrintExplanation(explanation, study_, {}, session); }),
      HasSubstr("the study's algorithm without its source tasks: the deadline passed"));
}

TEST_F(TrialView, PeopleSeeTheHeaviestSourcesRounded) {
  v1::Explanation explanation;
  *explanation.mutable_trial() = trial_;
  for (int i = 0; i < 12; ++i) {
    v1::Provenance::SourceWeight* const source = explanation.mutable_provenance()->add_sources();
    source->set_source_task("sourceTasks/" + std::string(31, 'a') + "0123456789ab"[i]);
    source->set_weight(1.0 / (i + 3));
  }
  const auto print = [&](Session& session) { PrintExplanation(explanation, study_, {}, session); };
  const std::string table = Written(Format::kTable, print);
  EXPECT_THAT(table, ContainsRegex("\nsource weight: +0.333333 a{12}"
                                   "\nsource weight: +0.25 a{12}\n"));
  EXPECT_THAT(table, HasSubstr(" of 4 others in total\n"));
  EXPECT_THAT(Written(Format::kCsv, print), HasSubstr("weight of aaaaaaaaaaaa,0.3333333333333333"));
  EXPECT_THAT(Written(Format::kCsv, print), Not(HasSubstr("others")));
  const std::vector<std::string> heaviest = HeaviestSources(explanation);
  ASSERT_EQ(heaviest.size(), 8u);
  const SourceTitles titles = {{heaviest[1], "SVM on digits"}};
  EXPECT_THAT(Written(Format::kTable, [&](Session& session) {
                PrintExplanation(explanation, study_, titles, session);
              }),
              HasSubstr(" 0.25 SVM on digits (aaaaaaaaaaaa)\n"));
}

// An explanation of the trial by this preset, as the study's algorithm gives it.
v1::Explanation ExplanationOf(const v1::Trial& trial, const std::string& preset) {
  v1::Explanation explanation;
  *explanation.mutable_trial() = trial;
  explanation.mutable_provenance()->set_preset(preset);
  explanation.mutable_provenance()->set_rung(v1::Provenance::RECIPE);
  return explanation;
}

void AddFact(const std::string& name, const std::string& text, v1::Explanation* explanation) {
  auto& fact = *explanation->mutable_provenance()->add_facts();
  fact.set_name(name);
  fact.set_text(text);
}

TEST_F(TrialView, ExplainsWithParametersInTheSpacesOrder) {
  study_.mutable_space()->add_parameters()->set_name("alpha");
  SetDouble(trial_.mutable_configuration(), "alpha", 0.5);
  v1::Explanation explanation = ExplanationOf(trial_, "auto");
  AddFact("lengthscales", "0.3 1.25", &explanation);
  const auto print = [&](Session& session) { PrintExplanation(explanation, study_, {}, session); };
  EXPECT_THAT(Written(Format::kCsv, print), HasSubstr("lr,0.123456789\r\nalpha,0.5\r\n"));
  EXPECT_THAT(Written(Format::kCsv, print), HasSubstr("lengthscales,lr=0.3 alpha=1.25\r\n"));
  explanation.mutable_provenance()->mutable_facts(0)->set_text("0.3");
  EXPECT_THAT(Written(Format::kCsv, print), HasSubstr("lengthscales,0.3\r\n"));
}

TEST_F(TrialView, AParameterThatIsCalledLikeAnotherFieldIsToldApart) {
  for (const char* name : {"seed", "turn", "state", "free"}) {
    SetDouble(trial_.mutable_configuration(), name, 0.5);
  }
  v1::Explanation explanation = ExplanationOf(trial_, "auto");
  AddFact("turn", "fills the space", &explanation);
  const std::string csv = Written(Format::kCsv, [&](Session& session) {
    PrintExplanation(explanation, study_, {}, session);
  });
  for (const char* field : {"parameter seed", "parameter turn", "parameter state", "free"}) {
    EXPECT_THAT(csv, HasSubstr(absl::StrCat("\r\n", field, ",0.5\r\n")));
  }
  EXPECT_THAT(csv, HasSubstr("\r\nturn,fills the space\r\n"));
  EXPECT_THAT(Written(Format::kTable,
                      [&](Session& session) { PrintWholeTrial(trial_, {}, {}, session); }),
              AllOf(HasSubstr("\nparameter state:"), HasSubstr("\nseed:")));
}

TEST_F(TrialView, SaysBesideEachFactWhatItMeans) {
  v1::Explanation explanation = ExplanationOf(trial_, "auto");
  AddFact("turn", "fills the space", &explanation);
  AddFact("new", "1", &explanation);
  (*explanation.mutable_fact_meanings())["turn"] = "why it does not follow the acquisition";
  const auto print = [&](Session& session) { PrintExplanation(explanation, study_, {}, session); };
  EXPECT_THAT(Written(Format::kTable, print),
              testing::EndsWith("\n\n"
                                "fact  value            what it says\n"
                                "turn  fills the space  why it does not follow the acquisition\n"
                                "new   1\n"));
  EXPECT_THAT(Written(Format::kCsv, print), HasSubstr("turn,fills the space\r\nnew,1\r\n"));
}

TEST_F(TrialView, ExplainsFirstPointsAndContrastsInWords) {
  v1::Explanation first = ExplanationOf(trial_, "auto");
  auto& index = *first.mutable_provenance()->add_facts();
  index.set_name("sobol_index");
  index.set_number(0);
  const auto print = [&](Session& session) { PrintExplanation(first, study_, {}, session); };
  EXPECT_THAT(Written(Format::kTable, print), HasSubstr("one of its first points, which fill"));
  first.mutable_provenance()->set_preset("quasi_random");
  EXPECT_THAT(Written(Format::kTable, print), HasSubstr("the study's algorithm\n"));
  v1::Explanation contrast = ExplanationOf(trial_, "auto");
  AddFact("contrast", "no model asked for this point", &contrast);
  const std::string shown = Written(
      Format::kTable, [&](Session& session) { PrintExplanation(contrast, study_, {}, session); });
  EXPECT_THAT(shown, HasSubstr("tells whether the source tasks are right"));
  EXPECT_THAT(shown, testing::Not(HasSubstr("no model asked")));
}

TEST_F(TrialView, SaysThatWithoutSourceTasksThereIsNoPrior) {
  v1::Explanation explanation = ExplanationOf(trial_, "auto");
  AddFact("recipe", "prior empirical, calibration map, acquisition log_ei", &explanation);
  const auto print = [&](Session& session) { PrintExplanation(explanation, study_, {}, session); };
  EXPECT_THAT(Written(Format::kTable, print),
              HasSubstr("prior none (the study has no source tasks, which empirical needs), "
                        "calibration map, acquisition log_ei\n"));
  study_.add_source_tasks("sourceTasks/0123456789abcdef0123456789abcdef");
  EXPECT_THAT(Written(Format::kTable, print), HasSubstr("prior empirical, calibration map"));
}

TEST_F(TrialView, SaysThatAPersonAddedATrialWithoutProvenance) {
  v1::Explanation explanation;
  *explanation.mutable_trial() = trial_;
  EXPECT_THAT(
      Written(Format::kCsv,
              [&](Session& session) { PrintExplanation(explanation, study_, {}, session); }),
      HasSubstr("suggested by,nobody: a person added the trial\r\n"));
}

}  // namespace
}  // namespace slipstream::cli
