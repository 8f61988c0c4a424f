#include "client/cpp/study_name.h"

#include <gtest/gtest.h>

namespace slipstream::client_internal {
namespace {

std::string FullOf(const std::string& text, const std::string& project,
                   const std::string& otherwise) {
  const absl::StatusOr<StudyName> name = ReadStudyName(text, project, otherwise);
  return name.ok() ? name->Full() : std::string(name.status().message());
}

TEST(ReadStudyName, TakesIdsAndFullNames) {
  EXPECT_EQ(FullOf("digits", "", ""), "studies/digits");
  EXPECT_EQ(FullOf("studies/digits", "", "vision"), "studies/digits");
  EXPECT_EQ(FullOf("digits", "vision", "text"), "projects/vision/studies/digits");
  EXPECT_EQ(FullOf("digits", "default", "text"), "studies/digits");
  EXPECT_EQ(FullOf("projects/vision/studies/digits", "", "text"), "projects/vision/studies/digits");
  EXPECT_EQ(FullOf("projects/default/studies/digits", "default", ""), "studies/digits");
}

TEST(ReadStudyName, RefusesOthers) {
  for (const char* text : {"", "a/b", "studies/", "projects/vision", "projects//studies/a",
                           "projects/vision/studies/", "sourceTasks/a", "studies/a/trials/1"}) {
    EXPECT_EQ(FullOf(text, "", ""),
              "'" + std::string(text) + "' is not the id of a study, such as \"digits\"");
  }
  EXPECT_EQ(FullOf("projects/vision/studies/digits", "text", ""),
            "'projects/vision/studies/digits' is not in the project 'text'");
  EXPECT_EQ(FullOf("digits", "", "-"),
            "which project is 'digits' in? \"-\" stands for all; name one, or give the full name, "
            "such as \"projects/vision/studies/digits\"");
}

TEST(StudyName, IsShortInTheDefaultProject) {
  EXPECT_EQ(StudyNameOf("studies/digits").Short(), "digits");
  EXPECT_EQ(StudyNameOf("projects/vision/studies/digits").Short(),
            "projects/vision/studies/digits");
  EXPECT_EQ(StudyNameOf("projects/vision/studies/digits").id, "digits");
}

}  // namespace
}  // namespace slipstream::client_internal
