// Tests of differences.h, and of the texts and the kinds of values that it compares.
#include "client/cpp/differences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cpp/parameter_text.h"
#include "client/cpp/value_message.h"

namespace slipstream::client {
namespace {

using client_internal::Differences;
using client_internal::TextOf;
using testing::ElementsAre;
using testing::IsEmpty;

NewStudy Svm() {
  return {.space = {{"C", Log(1e-2, 1e3)},
                    {"kernel", Choice({"rbf", "poly"})},
                    {"degree", Integer(2, 5).When("kernel", {"poly"})}},
          .maximize = "accuracy"};
}

TEST(Differences, AreNoneOfWhatWasLeftOut) {
  NewStudy existing = Svm();
  existing.preset = "auto";
  existing.seed = 7;
  existing.sources = {"sourceTasks/a"};
  existing.lease = std::chrono::hours(1);
  existing.requeues = 3;
  existing.title = "SVM";
  EXPECT_THAT(Differences(Svm(), existing), IsEmpty());
}

TEST(Differences, NameEachParameterThatIsNotTheSame) {
  NewStudy asked = Svm();
  asked.space = {{"C", Log(1e-3, 1e3)}, {"kernel", Choice({"rbf", "poly"})}, {"gamma", Real(0, 1)}};
  EXPECT_THAT(
      Differences(asked, Svm()),
      ElementsAre("parameter 'C': asked for Log(0.001, 1000), the study has Log(0.01, 1000)",
                  "parameter 'gamma': asked for Real(0, 1), the study has none",
                  "parameter 'degree': not asked for, the study has "
                  "Integer(2, 5).When(\"kernel\", {\"poly\"})"));
}

TEST(Differences, NameTheObjectiveAndTheSettings) {
  NewStudy existing = Svm();
  existing.preset = "auto";
  existing.lease = std::chrono::hours(1);
  existing.requeues = 3;
  existing.recipe = {{"acquisition", "ucb"}};
  NewStudy asked = Svm();
  asked.maximize.clear();
  asked.minimize = "loss";
  asked.exact = true;
  asked.preset = "gp_ei";
  asked.recipe = {{"acquisition", "ei"}};
  asked.seed = 7;
  asked.stopping = "median";
  asked.stopping_options = {{"share", 0.5}};
  asked.lease = std::chrono::minutes(10);
  asked.requeues = 1;
  EXPECT_THAT(
      Differences(asked, existing),
      ElementsAre(
          "objective: asked for minimize loss, exact, the study has maximize accuracy",
          "preset: asked for gp_ei, the study has auto", "recipe: the study has a different one",
          "seed: asked for 7, the study has 0", "stopping: asked for median, the study has none",
          "stopping_options: the study has different ones",
          "lease: asked for 10m, the study has 1h", "requeues: asked for 1, the study has 3"));
}

TEST(Differences, CountLeasesInMillisecondsAsTheServerDoes) {
  NewStudy existing = Svm(), asked = Svm();
  existing.lease = std::chrono::milliseconds(85'714);
  asked.lease = std::chrono::nanoseconds(std::chrono::minutes(10)) / 7;
  EXPECT_THAT(Differences(asked, existing), IsEmpty());
  asked.lease = std::chrono::milliseconds(85'715);
  EXPECT_THAT(Differences(asked, existing),
              ElementsAre("lease: asked for 1m25.715s, the study has 1m25.714s"));
}

TEST(Differences, NameSourcesOnBothSides) {
  NewStudy existing = Svm(), asked = Svm();
  existing.sources = {"sourceTasks/a", "sourceTasks/b"};
  asked.sources = {"sourceTasks/c", "sourceTasks/b"};
  EXPECT_THAT(Differences(asked, existing),
              ElementsAre("source task sourceTasks/c: asked for, the study does not use it",
                          "source task sourceTasks/a: not asked for, the study uses it"));
  // Which ones there are in all was decided when the study was created.
  for (const char* all : {"sourceTasks/-", "projects/vision/sourceTasks/-"}) {
    asked.sources = {all};
    EXPECT_THAT(Differences(asked, existing), IsEmpty());
  }
}

TEST(Differences, NameTheFirstCandidateThatIsAnother) {
  NewStudy existing = Svm(), asked = Svm();
  existing.candidates = {{{"C", 1.0}}, {{"C", 2.0}}};
  asked.candidates = {{{"C", 1}}};
  EXPECT_THAT(Differences(asked, existing),
              ElementsAre("candidates: asked for 1, the study has 2"));
  asked.candidates = {{{"C", 1}}, {{"C", 3}}};
  EXPECT_THAT(Differences(asked, existing), 
              ElementsAre("candidate 1: asked for C=3, the study has C=2"));
  asked.candidates = {{{"C", 1}}, {{"C", 2}}};
  asked.allow_repeats = true;
  EXPECT_THAT(Differences(asked, existing),
              ElementsAre("allow_repeats: asked for 1, the study has 0"));
}

TEST(Differences, AreNoneBetweenNumbersThatAreWrittenInTwoWays) {
  const NewStudy whole = {.space = {{"x", Real(0, 1).Default(1)},
                                    {"n", Integer(1, 3)},
                                    {"y", Real(0, 1).When("n", {2})}},
                          .minimize = "loss"};
  const NewStudy broken = {.space = {{"x", Real(0, 1).Default(1.0)},
                                     {"n", Integer(1, 3)},
                                     {"y", Real(0, 1).When("n", {2.0})}},
                           .minimize = "loss"};
  EXPECT_THAT(Differences(whole, broken), IsEmpty());
}

TEST(ParameterText, IsWhatMakesTheParameter) {
  EXPECT_EQ(TextOf(ReverseLog(0.9, 0.9999).Default(0.95)), "ReverseLog(0.9, 0.9999).Default(0.95)");
  EXPECT_EQ(TextOf(Integer(1, 8).On(Parameter::Scale::kLog)), "Integer(1, 8).On(kLog)");
  EXPECT_EQ(TextOf(Discrete({16, 32}).Default(16)), "Discrete({16, 32}).Default(16)");
  EXPECT_EQ(TextOf(Choice({"a", "b"})), "Choice({\"a\", \"b\"})");
  EXPECT_EQ(TextOf(Boolean().Default(true)), "Boolean().Default(true)");
  EXPECT_EQ(TextOf(Value(1.0 / 3)), "0.3333333333333333");
}

TEST(InKindOf, KeepsWhatIsNoNumberOfTheParameter) {
  using client_internal::InKindOf;
  EXPECT_EQ(InKindOf(Integer(1, 3), Value(2.5)), Value(2.5));
  EXPECT_EQ(InKindOf(Choice({"a"}), Value(2.0)), Value(2.0));
  EXPECT_EQ(InKindOf(Discrete({1, 2}), Value(int64_t{2})), Value(2.0));
}

}  // namespace
}  // namespace slipstream::client
