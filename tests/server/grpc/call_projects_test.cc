#include "server/grpc/call_projects.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/access/gate.h"
#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CallProjects, NamesTellTheirProject) {
  v1::GetStudyRequest get;
  get.set_name("projects/vision/studies/s");
  EXPECT_THAT(ProjectsOf(get), ElementsAre("vision"));
  get.set_name("studies/s");
  EXPECT_THAT(ProjectsOf(get), ElementsAre("default"));
  v1::UpdateTrialRequest update;
  update.mutable_trial()->set_name("projects/nlp/studies/s/trials/1");
  EXPECT_THAT(ProjectsOf(update), ElementsAre("nlp"));
}

TEST(CallProjects, WhatIsMadeBelongsToTheParentAndMayNameSourcesOfOthers) {
  v1::CreateStudyRequest create;
  EXPECT_THAT(ProjectsOf(create), ElementsAre("default"));
  create.set_parent("projects/vision");
  create.mutable_study()->set_name("projects/ignored/studies/s");
  EXPECT_THAT(ProjectsOf(create), ElementsAre("vision"));
  create.mutable_study()->add_source_tasks("projects/secret/sourceTasks/x");
  create.mutable_study()->add_source_tasks("sourceTasks/y");
  EXPECT_THAT(ProjectsOf(create), ElementsAre("default", "secret", "vision"));
}

TEST(CallProjects, AnUploadTellsIt) {
  v1::RegisterSourceTaskRequest upload;
  upload.mutable_header()->set_parent("projects/vision");
  upload.mutable_header()->mutable_source_task()->set_name("projects/ignored/sourceTasks/x");
  EXPECT_THAT(ProjectsOf(upload), ElementsAre("vision"));
}

TEST(CallProjects, ListsAreOfOneProjectOrAll) {
  v1::ListStudiesRequest list;
  EXPECT_THAT(ProjectsOf(list), ElementsAre("default"));
  list.set_parent("projects/-");
  EXPECT_THAT(ProjectsOf(list), ElementsAre(kEveryProject));
}

TEST(CallProjects, OfObservationsItIsTheirSourceTasks) {
  v1::ListSourceObservationsRequest list;
  list.set_source_task("projects/vision/sourceTasks/x");
  EXPECT_THAT(ProjectsOf(list), ElementsAre("vision"));
}

TEST(CallProjects, EachNameOfSeveralCounts) {
  v1::HeartbeatRequest heartbeat;
  heartbeat.set_study("projects/a/studies/s");
  heartbeat.add_trials("projects/a/studies/s/trials/1");
  heartbeat.add_trials("projects/b/studies/s/trials/1");
  EXPECT_THAT(ProjectsOf(heartbeat), ElementsAre("a", "b"));
}

TEST(CallProjects, WhatIsAboutNoProjectHasNone) {
  EXPECT_THAT(ProjectsOf(v1::ListPresetsRequest()), IsEmpty());
  EXPECT_THAT(ProjectsOf(v1::BackupStoreRequest()), ElementsAre(kEveryProject));
  EXPECT_THAT(ProjectsOf(v1::GetServerStatusRequest()), IsEmpty());
}

// Fills each text in the message, and in messages in it, with `text`.
void FillTexts(google::protobuf::Message* message, const std::string& text, int depth) {
  const google::protobuf::Reflection& reflection = *message->GetReflection();
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* const field = message->GetDescriptor()->field(i);
    if (field->is_map()) continue;
    if (field->type() == google::protobuf::FieldDescriptor::TYPE_STRING) {
      field->is_repeated() ? reflection.AddString(message, field, text)
                           : reflection.SetString(message, field, text);
    } else if (field->type() == google::protobuf::FieldDescriptor::TYPE_MESSAGE && depth > 0) {
      google::protobuf::Message* const part = field->is_repeated()
                                                  ? reflection.AddMessage(message, field)
                                                  : reflection.MutableMessage(message, field);
      FillTexts(part, text, depth - 1);
    }
  }
}

// A request with a field for a name that ProjectsOf does not know would let callers into projects
// that are not theirs.
TEST(CallProjects, ThereIsNoOtherWayToNameAProject) {
  const auto* service =
      v1::CreateStudyRequest::descriptor()->file()->FindServiceByName("OptimizationService");
  google::protobuf::DynamicMessageFactory factory;
  for (int i = 0; i < service->method_count(); ++i) {
    const google::protobuf::Descriptor* const type = service->method(i)->input_type();
    const std::unique_ptr<google::protobuf::Message> request(factory.GetPrototype(type)->New());
    FillTexts(request.get(), "projects/secret/studies/s", 3);
    if (type->full_name() == "slipstream.v1.BackupStoreRequest") {
      EXPECT_THAT(ProjectsOf(*request), ElementsAre(kEveryProject)) << "its name is a file's";
      continue;
    }
    const bool is_about_none = type->full_name() == "slipstream.v1.ListPresetsRequest" ||
                               type->full_name() == "slipstream.v1.GetServerStatusRequest";
    EXPECT_EQ(ProjectsOf(*request).contains("secret"), !is_about_none) << type->full_name();
  }
}

}  // namespace
}  // namespace slipstream
