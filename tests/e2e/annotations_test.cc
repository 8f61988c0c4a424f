// Labels and notes that the C++ client writes on trials of the server's own binary.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "slipstream/messages/client.h"
#include "slipstream/study.h"
#include "tests/e2e/server_process.h"

namespace slipstream::client {
namespace {

using testing::ElementsAre;
using testing::Pair;

class AnnotationsOverTheWire : public testing::Test {
 protected:
  // As a process of its own would.
  Study Open() {
    return *CreateOrLoad({.id = "s", .space = {{"x", Real(0, 1)}}, .minimize = "loss"},
                         ClientOptions{.address = server_.address()});
  }

  TemporaryFolder data_;
  ServerProcess server_{data_.path()};
};

TEST_F(AnnotationsOverTheWire, AreFoundByTheWorkerThatGetsTheTrialNext) {
  {
    Study study = Open();
    Trial trial = *study.Suggest();
    const Annotation annotation = {.labels = {{"checkpoint", "epoch-3"}, {"gpu", "a100"}},
                                   .note = "the disk was full"};
    ASSERT_TRUE(trial.Annotate(annotation).ok());
    ASSERT_TRUE(trial.Release().ok());
  }
  Study study = Open();
  Trial trial = *study.Suggest();
  EXPECT_EQ(trial.number(), 1);
  EXPECT_EQ(trial.Labels()->at("checkpoint"), "epoch-3");
  EXPECT_EQ(*trial.Note(), "the disk was full");
  ASSERT_TRUE(trial.Annotate({.labels = {{"checkpoint", std::nullopt}}, .note = ""}).ok());
  ASSERT_TRUE(trial.Complete(0.5).ok());
  EXPECT_THAT((*Open().Best())->labels, ElementsAre(Pair("gpu", "a100")));
}

TEST_F(AnnotationsOverTheWire, AreWrittenOnAnyTrialByItsNumber) {
  Study study = Open();
  ASSERT_TRUE(study.Record({{"x", 0.5}}, 0.25).ok());
  ASSERT_TRUE(Open().Annotate(1, {.labels = {{"seen", "ann"}}}).ok());
  const auto told = study.Annotate(1, {.labels = {{"gpu", "a100"}}, .note = "odd"});
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_THAT(told->labels, ElementsAre(Pair("gpu", "a100"), Pair("seen", "ann")));
  EXPECT_EQ(told->value, 0.25);
  EXPECT_EQ((*study.Best())->note, "odd");
}

TEST_F(AnnotationsOverTheWire, AreNotWrittenOnAnotherTrialOfTheName) {
  Study study = Open();
  Trial gone = *study.Suggest();
  ASSERT_TRUE(study.messages()->DeleteStudy("studies/s").ok());
  Study again = Open();
  Trial present = *again.Suggest();
  ASSERT_EQ(present.name(), gone.name());
  EXPECT_TRUE(absl::IsNotFound(gone.Annotate({.note = "odd"})));
  EXPECT_TRUE(gone.lost());
  EXPECT_EQ(*present.Note(), "");
  EXPECT_TRUE(present.Annotate({.note = "here"}).ok());
}

TEST_F(AnnotationsOverTheWire, AreRefusedBeyondTheServersBounds) {
  Study study = Open();
  Trial trial = *study.Suggest();
  EXPECT_TRUE(absl::IsInvalidArgument(trial.Annotate({.note = std::string(1025, 'x')})));
  EXPECT_TRUE(absl::IsInvalidArgument(trial.Annotate({.labels = {{"", "a"}}})));
  EXPECT_TRUE(absl::IsInvalidArgument(study.Annotate(0, {.note = "odd"}).status()));
  EXPECT_TRUE(absl::IsNotFound(study.Annotate(7, {.note = "odd"}).status()));
  EXPECT_TRUE(trial.Labels()->empty());
}

}  // namespace
}  // namespace slipstream::client
