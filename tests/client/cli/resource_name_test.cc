#include "client/cli/resource_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "client/cli/usage_error.h"
#include "tests/client/fake_service.h"

namespace slipstream::cli {
namespace {

using testing::HasSubstr;

TEST(ResourceName, MayBeShortOrFullForAStudy) {
  EXPECT_EQ(FullStudyName("digits", {}).value(), "studies/digits");
  EXPECT_EQ(FullStudyName("studies/digits", {}).value(), "studies/digits");
  for (const char* text : {"", "studies/", "digits/3", "a/b/c"}) {
    EXPECT_TRUE(IsUsageError(FullStudyName(text, {}).status())) << text;
  }
}

TEST(ResourceName, MayBeShortOrFullForATrial) {
  EXPECT_EQ(FullTrialName("digits/3", {}).value(), "studies/digits/trials/3");
  EXPECT_EQ(FullTrialName("studies/digits/trials/3", {}).value(), "studies/digits/trials/3");
  EXPECT_EQ(FullTrialName("digits/trials/3", {}).value(), "studies/digits/trials/3");
  for (const char* text : {"", "digits", "digits/", "digits/x", "digits/0", "digits/-1", "/3",
                           "digits/runs/3", "digits/3/4", "digits/01", "digits/+1", "digits/ 1",
                           "digits/1 ", "digits/trials/01", "digits/9223372036854775808"}) {
    EXPECT_TRUE(IsUsageError(FullTrialName(text, {}).status())) << text;
  }
}

TEST(ResourceName, IsWholeInAnotherProject) {
  const std::string study = "projects/vision/studies/digits";
  EXPECT_EQ(FullStudyName(study, {}).value(), study);
  EXPECT_EQ(FullTrialName(study + "/trials/3", {}).value(), study + "/trials/3");
  EXPECT_EQ(FullTrialName(study + "/3", {}).value(), study + "/trials/3");
  EXPECT_EQ(ShortStudyName(study), study);
  EXPECT_EQ(ShortTrialName(study + "/trials/3"), study + "/3");
  EXPECT_EQ(StudyOfTrial(study + "/trials/3"), study);
  for (const char* text : {"projects/vision/studies", "projects//studies/digits",
                           "projects/vision/runs/digits", "projects/vision/studies/"}) {
    EXPECT_TRUE(IsUsageError(FullStudyName(text, {}).status())) << text;
  }
  for (const char* text : {"projects/vision/studies/digits", "projects/vision/studies/digits/x",
                           "projects/vision/studies/digits/trials/0", "projects/3",
                           "projects/vision/studies/digits/01",
                           "projects/vision/studies/digits/trials/+1"}) {
    EXPECT_TRUE(IsUsageError(FullTrialName(text, {}).status())) << text;
  }
}

TEST(ResourceName, IsInTheChosenProjectIfItNamesNone) {
  for (const bool is_given : {false, true}) {
    const ProjectChoice vision = {"vision", is_given};
    EXPECT_EQ(FullStudyName("digits", vision).value(), "projects/vision/studies/digits");
    EXPECT_EQ(FullTrialName("digits/3", vision).value(), "projects/vision/studies/digits/trials/3");
    EXPECT_EQ(FullTrialName("projects/vision/studies/digits/3", vision).value(),
              "projects/vision/studies/digits/trials/3");
    EXPECT_EQ(ParentOf(vision).value(), "projects/vision");
  }
  EXPECT_EQ(FullStudyName("digits", {"default", true}).value(), "studies/digits");
  EXPECT_EQ(FullStudyName("studies/digits", {"default", true}).value(), "studies/digits");
}

TEST(ResourceName, OfAnotherProjectContradictsTheGivenOneAlone) {
  const ProjectChoice given = {"vision", true};
  for (const char* text : {"projects/nlp/studies/digits", "studies/digits"}) {
    const absl::Status refused = FullStudyName(text, given).status();
    EXPECT_TRUE(IsUsageError(refused)) << text;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("and --project names vision"));
    EXPECT_TRUE(IsUsageError(FullTrialName(absl::StrCat(text, "/3"), given).status()));
    EXPECT_EQ(FullStudyName(text, {"vision"}).value(), text);
  }
}

TEST(ResourceName, WithoutAProjectIsNotInAllProjects) {
  const ProjectChoice all = {"-", true};
  EXPECT_TRUE(IsUsageError(FullStudyName("digits", all).status()));
  EXPECT_TRUE(IsUsageError(FullTrialName("digits/3", all).status()));
  EXPECT_TRUE(IsUsageError(ParentOf(all).status()));
  EXPECT_EQ(ParentsOf(all), "projects/-");
  EXPECT_EQ(ParentsOf({}), "");
  EXPECT_TRUE(FullStudyName("projects/nlp/studies/digits", all).ok());
}

TEST(ResourceName, ComplainsOfTheFlagOrTheVariableThatStandsForAllProjects) {
  const auto complaints = [](const ProjectChoice& all) {
    return absl::StrCat(std::string(FullStudyName("digits", all).status().message()), "\n",
                        std::string(ParentOf(all).status().message()));
  };
  EXPECT_EQ(complaints({"-", true}),
            "which project is 'digits' of? Name it with --project NAME: --project - stands for "
            "all\nwhich project? Name it with --project NAME: --project - stands for all, and is "
            "only for lists and watches");
  EXPECT_EQ(complaints({"-"}),
            "which project is 'digits' of? Name it with --project NAME: SLIPSTREAM_PROJECT=- "
            "stands for all\nwhich project? Name it with --project NAME: SLIPSTREAM_PROJECT=- "
            "stands for all, and is only for lists and watches");
}

TEST(ResourceName, SaysItsProjectAndIsFoundInAComplaint) {
  EXPECT_EQ(ProjectIn("projects/vision/studies/digits"), "vision");
  EXPECT_EQ(ProjectIn("sourceTasks/0123456789abcdef0123456789abcdef"), "default");
  EXPECT_EQ(MissingName("cannot read studies/a on b:1: there is no projects/vision/studies/digits"),
            "projects/vision/studies/digits");
  EXPECT_EQ(MissingName("there is no sourceTasks/0123; more"), "sourceTasks/0123");
  EXPECT_EQ(MissingName("cannot open studies/digits: no such file"), "");
}

TEST(ResourceName, IsShortForPeople) {
  EXPECT_EQ(ShortStudyName("studies/digits"), "digits");
  EXPECT_EQ(ShortTrialName("studies/digits/trials/3"), "digits/3");
  EXPECT_EQ(StudyOfTrial("studies/digits/trials/3"), "studies/digits");
  EXPECT_EQ(ShortSourceTaskName("sourceTasks/0123456789abcdef0123456789abcdef"), "0123456789ab");
}

class SourceTaskName : public testing::Test {
 protected:
  SourceTaskName() {
    for (const char* name : {"sourceTasks/aaaaaaaa000000000000000000000000",
                             "sourceTasks/aaaaaabb000000000000000000000000",
                             "sourceTasks/cccccccc000000000000000000000000"}) {
      v1::SourceTask task;
      task.set_name(name);
      server_.service().AddSource(task);
    }
    client_ = *Client::Connect({.address = server_.address()});
  }

  absl::StatusOr<std::string> Full(const std::string& text, const ProjectChoice& project = {}) {
    return FullSourceTaskName(*client_, text, project);
  }

  FakeServer server_;
  std::unique_ptr<Client> client_;
};

TEST_F(SourceTaskName, NeedsNoCallIfItIsFull) {
  const std::string digits = "0123456789abcdef0123456789abcdef";
  EXPECT_EQ(Full(digits).value(), "sourceTasks/" + digits);
  EXPECT_EQ(Full("sourceTasks/" + digits).value(), "sourceTasks/" + digits);
  EXPECT_EQ(Full("0123456789ABCDEF0123456789ABCDEF").value(), "sourceTasks/" + digits);
  EXPECT_TRUE(server_.service().calls().empty());
}

TEST_F(SourceTaskName, IsFoundByItsFirstDigits) {
  EXPECT_EQ(Full("cccccc").value(), "sourceTasks/cccccccc000000000000000000000000");
  EXPECT_EQ(Full("aaaaaaa").value(), "sourceTasks/aaaaaaaa000000000000000000000000");
  EXPECT_EQ(Full("sourceTasks/CCCCCCC").value(), "sourceTasks/cccccccc000000000000000000000000");
}

TEST_F(SourceTaskName, IsFoundInTheChosenProject) {
  v1::SourceTask task;
  task.set_name("projects/vision/sourceTasks/dddddddd000000000000000000000000");
  server_.service().AddSource(task);
  EXPECT_EQ(Full("dddddd", {"vision"}).value(), task.name());
  EXPECT_EQ(Full("dddddddd000000000000000000000000", {"vision"}).value(), task.name());
  EXPECT_TRUE(IsUsageError(Full(task.name(), {"nlp", true}).status()));
  EXPECT_EQ(Full("dddddd").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SourceTaskName, MustBeUnique) {
  const absl::Status status = Full("aaaaaa").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(IsUsageError(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("several source tasks begin with aaaaaa"));
}

TEST_F(SourceTaskName, MustExist) {
  EXPECT_EQ(Full("ffffff").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SourceTaskName, MustHaveSixHexadecimalDigits) {
  for (const char* text : {"", "ccccc", "nothex", "sourceTasks/", "digits"}) {
    EXPECT_TRUE(IsUsageError(Full(text).status())) << text;
  }
  EXPECT_TRUE(IsUsageError(Full(std::string(33, 'a')).status()));
  EXPECT_TRUE(server_.service().calls().empty());
}

}  // namespace
}  // namespace slipstream::cli
