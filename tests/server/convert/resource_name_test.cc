#include "server/convert/resource_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "server/store/resource_message.h"

namespace slipstream {
namespace {

TEST(ResourceName, NamesReadBack) {
  EXPECT_EQ(*ParseStudyName("f", NameOfStudy("my-study-1")), "my-study-1");
  const auto trial = ParseTrialName("f", NameOfTrial("s", 9007199254740993));
  ASSERT_TRUE(trial.ok());
  EXPECT_EQ(trial->study_id, "s");
  EXPECT_EQ(trial->number, 9007199254740993);
  const std::string id(32, 'f');
  EXPECT_EQ(*ParseSourceTaskName("f", NameOfSourceTask(id)), id);
}

TEST(ResourceName, AllSourceTasksOfAProjectHaveAName) {
  EXPECT_EQ(ProjectOfAllSourceTasks("sourceTasks/-"), "default");
  EXPECT_EQ(ProjectOfAllSourceTasks("projects/vision/sourceTasks/-"), "vision");
  for (const char* other : {"", "-", "sourceTasks/", "sourceTasks/--", "studies/-",
                            "projects//sourceTasks/-", "projects/-/sourceTasks/-",
                            "sourceTasks/0123456789abcdef0123456789abcdef"}) {
    EXPECT_EQ(ProjectOfAllSourceTasks(other), std::nullopt) << other;
  }
}

TEST(ResourceName, StudyIdsHaveTheirForm) {
  for (const char* good : {"a", "a1", "a-b", "a--b"}) EXPECT_TRUE(CheckStudyId("f", good).ok());
  EXPECT_TRUE(CheckStudyId("f", std::string(63, 'a')).ok());
  for (const char* bad : {"", "1a", "-a", "a-", "A", "a_b", "a/b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(CheckStudyId("f", bad).ok()) << bad;
  }
  EXPECT_FALSE(CheckStudyId("f", std::string(64, 'a')).ok());
}

TEST(ResourceName, NamesSayTheirProjectUnlessItIsTheDefault) {
  EXPECT_EQ(NameOfStudy("vision/digits"), "projects/vision/studies/digits");
  EXPECT_EQ(*ParseStudyName("f", "projects/vision/studies/digits"), "vision/digits");
  EXPECT_EQ(*ParseStudyName("f", "projects/default/studies/digits"), "digits");
  EXPECT_EQ(NameOfTrial("vision/digits", 3), "projects/vision/studies/digits/trials/3");
  EXPECT_EQ(ParseTrialName("f", "projects/vision/studies/digits/trials/3")->study_id,
            "vision/digits");
  const std::string id(32, 'f');
  EXPECT_EQ(NameOfSourceTask("vision/" + id), "projects/vision/sourceTasks/" + id);
  EXPECT_EQ(*ParseSourceTaskName("f", "projects/vision/sourceTasks/" + id), "vision/" + id);
  EXPECT_EQ(StoredId("vision", "digits"), "vision/digits");
  EXPECT_EQ(StoredId("default", "digits"), "digits");
  EXPECT_EQ(ProjectOfId("vision/digits"), "vision");
  EXPECT_EQ(ProjectOfId("digits"), "default");
}

TEST(ResourceName, ProjectsHaveTheirForm) {
  EXPECT_EQ(*ParseProjectName("f", ""), "default");
  EXPECT_EQ(*ParseProjectName("f", "projects/a-1"), "a-1");
  EXPECT_EQ(ParseProjectsName("f", "projects/-")->has_value(), false);
  EXPECT_EQ(**ParseProjectsName("f", ""), "default");
  for (const std::string bad : {"projects", "projects/", "projects/A", "projects/a/", "a",
                                "projects/-", "projects/a/b"}) {
    EXPECT_FALSE(ParseProjectName("f", bad).ok()) << bad;
  }
  EXPECT_FALSE(ParseProjectName("f", "projects/" + std::string(41, 'a')).ok());
  for (const std::string bad :
       {"projects/studies/s", "projects//studies/s", "projects/A/studies/s", "projects/a/s",
        "projects/-/studies/s", "projects/a/projects/b/studies/s", "projects/a/studies/s/t"}) {
    EXPECT_FALSE(ParseStudyName("f", bad).ok()) << bad;
  }
}

TEST(ResourceName, ANameInAWrongProjectIsRefusedByWhatProjectsAreCalled) {
  for (const absl::Status& status :
       {ParseStudyName("f", "projects/Vision/studies/s").status(),
        ParseTrialName("f", "projects/Vision/studies/s/trials/1").status(),
        ParseSourceTaskName("f", "projects/Vision/sourceTasks/" + std::string(32, 'a')).status()}) {
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("{project} being 1 to 40"));
  }
}

TEST(ResourceName, OtherTextsAreRefused) {
  for (const char* bad : {"", "studies", "studies/", "study/s", "studies/s/", "studies/s/trials/1",
                          "/studies/s", "studies/S"}) {
    EXPECT_FALSE(ParseStudyName("f", bad).ok()) << bad;
  }
  for (const char* bad : {"studies/s", "studies/s/trials/", "studies/s/trials/0",
                          "studies/s/trials/01", "studies/s/trials/-1", "studies/s/trials/+1",
                          "studies/s/trials/ 1", "studies/s/trials/1 ", "studies/s/trials/1/2",
                          "studies/s/trials/9223372036854775808", "studies//trials/1"}) {
    EXPECT_FALSE(ParseTrialName("f", bad).ok()) << bad;
  }
  EXPECT_FALSE(ParseSourceTaskName("f", "sourceTasks/" + std::string(31, 'a')).ok());
  EXPECT_FALSE(ParseSourceTaskName("f", "sourceTasks/" + std::string(32, 'A')).ok());
  EXPECT_FALSE(ParseSourceTaskName("f", "sourceTasks/" + std::string(32, 'g')).ok());
}

}  // namespace
}  // namespace slipstream
