#include "server/convert/transfer_conversion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"

namespace slipstream {
namespace {

void AddNumber(const char* name, double number, v1::Provenance* provenance) {
  v1::Provenance::Fact* const fact = provenance->add_facts();
  fact->set_name(name);
  fact->set_number(number);
}

TrialProvenance Weighed(int64_t number, const char* state, double share) {
  v1::Provenance provenance;
  v1::Provenance::Fact* const fact = provenance.add_facts();
  fact->set_name("transfer");
  fact->set_text(state);
  AddNumber("transfer_share", share, &provenance);
  AddNumber("transfer_results", static_cast<double>(number - 1), &provenance);
  AddNumber("transfer_gain", 0.5, &provenance);
  AddNumber("transfer_gain_low", 0.1, &provenance);
  AddNumber("transfer_gain_high", 0.9, &provenance);
  v1::Provenance::SourceWeight* const source = provenance.add_sources();
  source->set_source_task("sourceTasks/a");
  source->set_weight(share / 2);
  return {number, provenance.SerializeAsString()};
}

v1::Algorithm Preset(const std::string& name) {
  v1::Algorithm algorithm;
  algorithm.set_preset(name);
  return algorithm;
}

v1::Algorithm Auto() { return Preset("auto"); }

v1::Study StudyWith(const v1::Algorithm& algorithm, const std::string& source = "") {
  v1::Study study;
  *study.mutable_algorithm() = algorithm;
  if (!source.empty()) study.add_source_tasks(source);
  return study;
}

TrialProvenance WithoutTransfer(int64_t number) {
  v1::Provenance provenance;
  provenance.set_preset("gp_log_ei");
  return {number, provenance.SerializeAsString()};
}

TEST(TransferConversion, IsWhatTheLatestWeighedSuggestionSays) {
  const auto summary = TransferSummaryOf(
      Auto(), {Weighed(3, "unknown", 0.5), Weighed(7, "helping", 0.9), WithoutTransfer(8)}, false);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->state(), v1::TransferSummary::HELPING);
  EXPECT_EQ(summary->share(), 0.9);
  EXPECT_EQ(summary->results(), 6);
  EXPECT_EQ(summary->gain(), 0.5);
  EXPECT_EQ(summary->gain_low(), 0.1);
  EXPECT_EQ(summary->gain_high(), 0.9);
  ASSERT_EQ(summary->sources_size(), 1);
  EXPECT_EQ(summary->sources(0).weight(), 0.45);
  EXPECT_TRUE(summary->shares().empty());
}

TEST(TransferConversion, TellsOfTheStart) {
  TrialProvenance begun = Weighed(7, "helping", 0.9);
  EXPECT_FALSE(TransferSummaryOf(Auto(), {begun}, false)->has_start());
  v1::Provenance provenance;
  ASSERT_TRUE(provenance.ParseFromString(begun.provenance));
  AddNumber("start_trials", 3, &provenance);
  AddNumber("start_better", 0.75, &provenance);
  AddNumber("start_worse", 0.125, &provenance);
  begun.provenance = provenance.SerializeAsString();
  const auto summary = TransferSummaryOf(Auto(), {begun}, false);
  ASSERT_TRUE(summary.ok());
  ASSERT_TRUE(summary->has_start());
  EXPECT_EQ(summary->start().trials(), 3);
  EXPECT_EQ(summary->start().better(), 0.75);
  EXPECT_EQ(summary->start().worse(), 0.125);
}

TEST(TransferConversion, TellsThatTheLatestSuggestionReversesTheSources) {
  TrialProvenance reversed = Weighed(7, "helping", 0.9);
  v1::Provenance provenance;
  ASSERT_TRUE(provenance.ParseFromString(reversed.provenance));
  v1::Provenance::Fact* const fact = provenance.add_facts();
  fact->set_name("reversed");
  fact->set_text("results are the opposite of what sources say");
  reversed.provenance = provenance.SerializeAsString();
  EXPECT_TRUE(TransferSummaryOf(Auto(), {reversed}, false)->reversed());
  EXPECT_FALSE(TransferSummaryOf(Auto(), {Weighed(7, "helping", 0.9)}, false)->reversed());
  const auto later = TransferSummaryOf(Auto(), {reversed, Weighed(8, "helping", 0.9)}, false);
  EXPECT_FALSE(later->reversed());
}

TEST(TransferConversion, SuggestionsInBetweenThatUseNoSourcesSayNothingOfThem) {
  TrialProvenance turn = Weighed(8, "neutral", 0.7);
  v1::Provenance provenance;
  ASSERT_TRUE(provenance.ParseFromString(turn.provenance));
  provenance.clear_sources();
  provenance.add_facts()->set_name("sources_unused_here");
  turn.provenance = provenance.SerializeAsString();
  const auto summary = TransferSummaryOf(Auto(), {Weighed(7, "helping", 0.9), turn}, false);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->state(), v1::TransferSummary::NEUTRAL);
  EXPECT_EQ(summary->share(), 0.7);
  ASSERT_EQ(summary->sources_size(), 1);
  EXPECT_EQ(summary->sources(0).weight(), 0.45);
}

TEST(TransferConversion, BeforeAnySuggestionUsesTheSourcesTheReasonIsTold) {
  TrialProvenance turn = Weighed(5, "neutral", 0.7);
  v1::Provenance provenance;
  ASSERT_TRUE(provenance.ParseFromString(turn.provenance));
  provenance.clear_sources();
  v1::Provenance::Fact* const why = provenance.add_facts();
  why->set_name("sources_unused_here");
  why->set_text("it fills the space");
  turn.provenance = provenance.SerializeAsString();
  EXPECT_EQ(TransferSummaryOf(Auto(), {turn}, false)->unused_because(), "it fills the space");
  // As it is of sources that have lost their weight.
  TrialProvenance given_up = Weighed(4, "helping", 0.01);
  ASSERT_TRUE(provenance.ParseFromString(given_up.provenance));
  provenance.clear_sources();
  given_up.provenance = provenance.SerializeAsString();
  EXPECT_EQ(TransferSummaryOf(Auto(), {given_up, turn}, false)->unused_because(), "");
}

TEST(TransferConversion, NumbersThatAreNoneCountAsZero) {
  TrialProvenance imported = Weighed(7, "helping", 0.9);
  v1::Provenance provenance;
  ASSERT_TRUE(provenance.ParseFromString(imported.provenance));
  for (v1::Provenance::Fact& fact : *provenance.mutable_facts()) {
    if (fact.kind_case() == v1::Provenance::Fact::kNumber) fact.set_number(std::nan(""));
  }
  imported.provenance = provenance.SerializeAsString();
  const auto summary = TransferSummaryOf(Auto(), {imported}, false);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->results(), 0);
  EXPECT_EQ(summary->gain(), 0);
}

TEST(TransferConversion, SaysWhyTheLatestSuggestionDidWithoutTheSources) {
  v1::Provenance provenance;
  provenance.set_rung(v1::Provenance::WITHOUT_TRANSFER);
  provenance.set_rung_reason("not ready: 1 of 1 source tasks are still being fitted");
  const TrialProvenance without{8, provenance.SerializeAsString()};
  const auto first = TransferSummaryOf(Auto(), {without}, false);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->state(), v1::TransferSummary::UNKNOWN);
  EXPECT_EQ(first->unused_because(), provenance.rung_reason());
  provenance.set_rung(v1::Provenance::QUASI_RANDOM);
  const TrialProvenance without_model{8, provenance.SerializeAsString()};
  EXPECT_EQ(TransferSummaryOf(Auto(), {without_model}, false)->unused_because(),
            provenance.rung_reason());
  const auto later = TransferSummaryOf(Auto(), {Weighed(7, "helping", 0.9), without}, false);
  EXPECT_EQ(later->state(), v1::TransferSummary::HELPING);
  EXPECT_EQ(later->unused_because(), provenance.rung_reason());
  const auto used = TransferSummaryOf(Auto(), {without, Weighed(9, "helping", 0.9)}, false);
  EXPECT_EQ(used->unused_because(), "");
}

TEST(TransferConversion, SaysWhichRecipesMakeNoUseOfSources) {
  for (const char* preset : {"gp_log_ei", "random", "quasi_random"}) {
    const auto summary = UnusedTransfer(StudyWith(Preset(preset), "sourceTasks/a"));
    ASSERT_TRUE(summary.has_value()) << preset;
    EXPECT_EQ(summary->state(), v1::TransferSummary::UNKNOWN);
    EXPECT_EQ(summary->unused_because(),
              absl::StrCat("the recipe of ", preset, " makes no use of source tasks"));
    EXPECT_FALSE(UnusedTransfer(StudyWith(Preset(preset))).has_value()) << preset;
  }
  v1::Algorithm started = Preset("gp_log_ei");
  started.mutable_recipe()->set_initial("source_portfolio");
  for (const v1::Algorithm& user :
       {started, Auto(), Preset("rgpe"), Preset("source_portfolio"), Preset("portfolio_gp")}) {
    EXPECT_FALSE(UnusedTransfer(StudyWith(user, "sourceTasks/a")).has_value()) << user.preset();
  }
}

TEST(TransferConversion, SaysWhichRecipesUseSourcesThatTheStudyLacks) {
  for (const char* preset : {"scaml", "rgpe", "portfolio_gp", "source_portfolio"}) {
    const auto summary = UnusedTransfer(StudyWith(Preset(preset)));
    ASSERT_TRUE(summary.has_value()) << preset;
    EXPECT_EQ(summary->state(), v1::TransferSummary::UNKNOWN);
    EXPECT_EQ(summary->unused_because(),
              absl::StrCat("the recipe of ", preset, " uses source tasks, and the study has none"));
  }
  EXPECT_FALSE(UnusedTransfer(StudyWith(Auto())).has_value());
}

// A newer version may have made the study.
TEST(TransferConversion, SaysNothingOfRecipesThatThisVersionDoesNotKnow) {
  v1::Algorithm altered = Preset("gp_log_ei");
  altered.mutable_recipe()->set_prior("of_tomorrow");
  for (const v1::Algorithm& unknown : {Preset("of_tomorrow"), altered}) {
    EXPECT_FALSE(UnusedTransfer(StudyWith(unknown)).has_value()) << unknown.ShortDebugString();
    EXPECT_FALSE(UnusedTransfer(StudyWith(unknown, "sourceTasks/a")).has_value());
  }
}

TEST(TransferConversion, GivesTheShareOverTime) {
  const auto summary = TransferSummaryOf(
      Auto(), {Weighed(3, "unknown", 0.5), WithoutTransfer(4), Weighed(7, "hurting", 0.1)}, true);
  ASSERT_EQ(summary->shares_size(), 2);
  EXPECT_EQ(summary->shares(0).trial(), 3);
  EXPECT_EQ(summary->shares(1).trial(), 7);
  EXPECT_EQ(summary->shares(1).share(), 0.1);
  EXPECT_EQ(summary->state(), v1::TransferSummary::HURTING);
}

TEST(TransferConversion, HasNoStateWhereNothingWasWeighed) {
  EXPECT_EQ(TransferSummaryOf(Auto(), {}, true)->state(), v1::TransferSummary::STATE_UNSPECIFIED);
  const auto unknown =
      TransferSummaryOf(Auto(), {WithoutTransfer(1), Weighed(2, "splendid", 1)}, true);
  EXPECT_EQ(unknown->state(), v1::TransferSummary::STATE_UNSPECIFIED);
}

TEST(TransferConversion, DamageIsTold) {
  EXPECT_TRUE(absl::IsDataLoss(TransferSummaryOf(Auto(), {{4, "\xff"}}, false).status()));
}

}  // namespace
}  // namespace slipstream
