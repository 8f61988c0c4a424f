#include "client/cli/space_grammar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/usage_error.h"

namespace slipstream::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string Complaint(const std::vector<std::string>& texts) {
  const auto space = ParseSpace(texts);
  EXPECT_TRUE(IsUsageError(space.status())) << texts[0] << " gave " << space.status();
  return std::string(space.status().message());
}

TEST(SpaceGrammar, ReadsEveryKindOfDomain) {
  const auto space =
      ParseSpace({"lr=double:1e-5..1:log", "layers=integer:-2..8", "batch=discrete:16,32,64",
                  "kernel=categorical:rbf,poly", "bias=boolean"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->parameters(0).name(), "lr");
  EXPECT_EQ(space->parameters(0).double_domain().min(), 1e-5);
  EXPECT_EQ(space->parameters(0).double_domain().max(), 1);
  EXPECT_EQ(space->parameters(0).double_domain().scale(), v1::LOG);
  EXPECT_EQ(space->parameters(1).integer_domain().min(), -2);
  EXPECT_EQ(space->parameters(1).integer_domain().scale(), v1::SCALE_UNSPECIFIED);
  EXPECT_THAT(space->parameters(2).discrete_domain().values(), ElementsAre(16, 32, 64));
  EXPECT_THAT(space->parameters(3).categorical_domain().values(), ElementsAre("rbf", "poly"));
  EXPECT_TRUE(space->parameters(4).has_boolean_domain());
}

TEST(SpaceGrammar, ReadsScales) {
  const auto space =
      ParseSpace({"a=double:0.5..0.999:reverse_log", "b=double:0.5..0.999:reverse-log",
                  "c=double:0..1:linear", "d=discrete:1,10,100:log"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->parameters(0).double_domain().scale(), v1::REVERSE_LOG);
  EXPECT_EQ(space->parameters(1).double_domain().scale(), v1::REVERSE_LOG);
  EXPECT_EQ(space->parameters(2).double_domain().scale(), v1::SCALE_UNSPECIFIED);
  EXPECT_EQ(space->parameters(3).discrete_domain().scale(), v1::LOG);
}

TEST(SpaceGrammar, ReadsNegativeAndExponentBounds) {
  const auto space = ParseSpace({"a=double:-2..-1", "b=double:0...5", "c=double:-1e-3..1e-3"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->parameters(0).double_domain().max(), -1);
  EXPECT_EQ(space->parameters(1).double_domain().max(), 0.5);
  EXPECT_EQ(space->parameters(2).double_domain().min(), -1e-3);
}

TEST(SpaceGrammar, ReadsDefaultsAndConditionsInEitherOrder) {
  const auto space =
      ParseSpace({"degree=integer:2..5;when=kernel:poly|sigmoid;default=3",
                  "coef=double:0..1;default=0.5;when=kernel:poly",
                  "kernel=categorical:rbf,poly,sigmoid;default=rbf"});
  ASSERT_TRUE(space.ok()) << space.status();
  const v1::Parameter& degree = space->parameters(0);
  EXPECT_EQ(degree.default_value().integer_value(), 3);
  EXPECT_EQ(degree.condition().parent(), "kernel");
  ASSERT_EQ(degree.condition().values_size(), 2);
  EXPECT_EQ(degree.condition().values(1).category_value(), "sigmoid");
  EXPECT_EQ(space->parameters(1).default_value().double_value(), 0.5);
  EXPECT_EQ(space->parameters(2).default_value().category_value(), "rbf");
}

TEST(SpaceGrammar, ReadsConditionsInTheKindOfTheParent) {
  const auto space = ParseSpace({"bias=boolean", "layers=integer:1..3", "batch=discrete:16,32",
                                 "a=boolean;when=bias:true", "b=boolean;when=layers:2|3",
                                 "c=boolean;when=batch:16"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_TRUE(space->parameters(3).condition().values(0).boolean_value());
  EXPECT_EQ(space->parameters(4).condition().values(1).integer_value(), 3);
  EXPECT_EQ(space->parameters(5).condition().values(0).double_value(), 16);
}

TEST(SpaceGrammar, TreatsEscapedCharactersAsOrdinary) {
  const auto space = ParseSpace({R"(a\=b=categorical:x\,y,x\:y,p\;q,\\;default=x\:y)",
                                 R"(z=boolean;when=a\=b:x\,y|p\;q)"});
  ASSERT_TRUE(space.ok()) << space.status();
  EXPECT_EQ(space->parameters(0).name(), "a=b");
  EXPECT_THAT(space->parameters(0).categorical_domain().values(),
              ElementsAre("x,y", "x:y", "p;q", "\\"));
  EXPECT_EQ(space->parameters(0).default_value().category_value(), "x:y");
  EXPECT_EQ(space->parameters(1).condition().values(0).category_value(), "x,y");
}

TEST(SpaceGrammar, ReadsBackWhatItWrites) {
  const std::vector<std::string> texts = {
      "lr=double:1e-05..1:log;default=0.01", "layers=integer:1..8",
      "batch=discrete:16,32.5:reverse_log",  R"(k\=x=categorical:a\,b,c)",
      "bias=boolean;default=true",           R"(d=integer:2..5;default=2;when=k\=x:a\,b|c)"};
  const auto space = ParseSpace(texts);
  ASSERT_TRUE(space.ok()) << space.status();
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(FormatParameter(space->parameters(static_cast<int>(i))), texts[i]);
  }
}

TEST(SpaceGrammar, SaysWhichPartIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"lr", "does not begin with NAME="},
      {"=double:0..1", "does not begin with NAME="},
      {"lr=real:0..1", "kind 'real' is not double, integer"},
      {"lr=double", "the domain after 'double' is missing"},
      {"lr=double:", "the domain after 'double' is missing"},
      {"lr=double:1", "range '1' is not LOW..HIGH"},
      {"lr=double:1..x", "upper bound 'x' is not a number"},
      {"lr=double:..1", "lower bound '' is not a number"},
      {"lr=double:0..inf", "upper bound 'inf' is not a finite number"},
      {"n=integer:1..2.5", "upper bound '2.5' is not a whole number"},
      {"n=integer:0..9223372036854775808", "'9223372036854775808' is too far from 0"},
      {"n=integer:-1e300..0", "lower bound '-1e300' is too far from 0"},
      {"lr=double:1..2:exp", "scale 'exp' is not linear, log or reverse_log"},
      {"lr=double:1..2:log:3", "unexpected ':3' after the scale"},
      {"b=boolean:true", "unexpected ':true': boolean has no domain"},
      {"c=categorical:a,b:log", "unexpected ':log': categories have no scale"},
      {"d=discrete:1,b", "value 'b' is not a number"},
      {"d=discrete:1,,2", "value '' is not a number"},
      {"lr=double:0..1;default=2", "default '2' is not in 0..1"},
      {"lr=double:0..1;default=0;default=1", "'default=' appears twice"},
      {"lr=double:0..1;init=2", "';init=2' is neither ;default=VALUE nor ;when="},
      {"lr=double:0..1;", "';' is neither ;default=VALUE nor ;when="},
      {"lr=double:0..1;when=k", "'when=k' is not when=PARENT:VALUE"},
      {"lr=double:0..1;when=k:", "'when=k:' is not when=PARENT:VALUE"},
      {"lr=double:0..1;when=k:a", "'when=' names 'k', which is not a parameter"},
  };
  for (const auto& [text, part] : cases) {
    EXPECT_THAT(Complaint({text}), AllOf(StartsWith("--param '" + text + "': "), HasSubstr(part)));
  }
}

TEST(SpaceGrammar, NamesTheParameterWhoseConditionIsWrong) {
  EXPECT_THAT(Complaint({"k=categorical:a,b", "x=boolean;when=k:c"}),
              AllOf(StartsWith("--param 'x=boolean;when=k:c': "),
                    HasSubstr("'when=k': 'c' is not one of a, b")));
}

TEST(SpaceGrammar, LeavesJudgingTheSpaceToTheServer) {
  for (const std::string text : {"lr=double:1..0:log", "d=discrete:2,1", "c=categorical:a,a"}) {
    EXPECT_TRUE(ParseSpace({text, text}).ok()) << text;
  }
}

}  // namespace
}  // namespace slipstream::cli
