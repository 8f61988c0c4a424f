#include "server/grpc/call_facts.h"

#include <gtest/gtest.h>

#include "slipstream/v1/services.pb.h"

namespace slipstream {
namespace {

TEST(CallFacts, ARequestTellsWhatItIsAbout) {
  v1::ObserveRequest observe;
  observe.set_trial("studies/s/trials/3");
  observe.set_request_id("id");
  EXPECT_EQ(FactsOf(observe).resource, "studies/s/trials/3");
  EXPECT_EQ(FactsOf(observe).request_id, "id");
  v1::SuggestRequest suggest;
  suggest.set_study("studies/s");
  suggest.set_worker("w");
  EXPECT_EQ(FactsOf(suggest).resource, "studies/s");
  EXPECT_EQ(FactsOf(suggest).worker, "w");
  v1::GetStudyRequest get;
  get.set_name("studies/g");
  EXPECT_EQ(FactsOf(get).resource, "studies/g");
}

TEST(CallFacts, NamesAreAlsoFoundInTheResourceThatIsChanged) {
  v1::UpdateStudyRequest update;
  update.mutable_study()->set_name("studies/u");
  EXPECT_EQ(FactsOf(update).resource, "studies/u");
  v1::UpdateTrialRequest trial;
  trial.mutable_trial()->set_name("studies/u/trials/1");
  EXPECT_EQ(FactsOf(trial).resource, "studies/u/trials/1");
  v1::CreateStudyRequest create;
  create.set_study_id("new");
  create.mutable_study()->set_name("ignored");
  EXPECT_EQ(FactsOf(create).resource, "studies/new");
}

TEST(CallFacts, OptionsThatAreOnAreNamed) {
  v1::ImportStudyRequest::Header import;
  EXPECT_EQ(FactsOf(import).options, "");
  import.set_replace_existing(true);
  EXPECT_EQ(FactsOf(import).options, "replace_existing");
  EXPECT_FALSE(FactsOf(import).only_validates);
  v1::RegisterSourceTaskRequest::Header header;
  EXPECT_FALSE(FactsOf(header).only_validates);
  header.set_validate_only(true);
  EXPECT_TRUE(FactsOf(header).only_validates);
  EXPECT_EQ(FactsOf(header).options, "validate_only");
}

TEST(CallFacts, AnUpdateTellsWhichFieldsAndTheNewState) {
  v1::UpdateStudyRequest update;
  update.mutable_study()->set_state(v1::Study::COMPLETED);
  update.mutable_update_mask()->add_paths("state");
  update.mutable_update_mask()->add_paths("labels");
  update.mutable_update_mask()->add_paths("no_such_field");
  EXPECT_EQ(FactsOf(update).options, "state=COMPLETED,labels,no_such_field");
}

TEST(CallFacts, AListIsOfItsProject) {
  v1::ListStudiesRequest list;
  list.set_parent("projects/vision");
  EXPECT_EQ(FactsOf(list).resource, "projects/vision");
  v1::CreateStudyRequest create;
  create.set_parent("projects/vision");
  EXPECT_EQ(FactsOf(create).resource, "projects/vision");
  create.set_study_id("new");
  EXPECT_EQ(FactsOf(create).resource, "projects/vision/studies/new");
}

TEST(CallFacts, ARequestAboutNothingInParticularHasNone) {
  const CallFacts facts = FactsOf(v1::ListStudiesRequest());
  EXPECT_TRUE(facts.resource.empty() && facts.request_id.empty() && facts.worker.empty());
}

}  // namespace
}  // namespace slipstream
