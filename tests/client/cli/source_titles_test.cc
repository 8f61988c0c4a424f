#include "client/cli/source_titles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/fake_service.h"

namespace slipstream::cli {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr char kTitled[] = "sourceTasks/aaaaaaaa000000000000000000000000";
constexpr char kUntitled[] = "sourceTasks/bbbbbbbb000000000000000000000000";
constexpr char kMissing[] = "sourceTasks/cccccccc000000000000000000000000";

TEST(SourceTitles, AreReadWhereThereAreAny) {
  FakeServer server;
  v1::SourceTask task;
  task.set_name(kUntitled);
  server.service().AddSource(task);
  task.set_name(kTitled);
  task.set_display_name("SVM on digits");
  server.service().AddSource(task);
  const auto client = *Client::Connect({.address = server.address()});
  EXPECT_THAT(ReadSourceTitles({kUntitled, kMissing, kTitled}, *client),
              ElementsAre(Pair(kTitled, "SVM on digits")));
}

TEST(SourceTitles, AreNotAskedForOnceTheServerFails) {
  FakeServer server;
  const auto client = *Client::Connect({.address = server.address()});
  server.service().FailNext(1, {.status = {grpc::StatusCode::PERMISSION_DENIED, "not yours"}});
  server.service().FailNext(1, {.status = {grpc::StatusCode::INTERNAL, "broken"}});
  EXPECT_TRUE(ReadSourceTitles({kUntitled, kTitled, kMissing}, *client).empty());
  EXPECT_EQ(server.service().calls().size(), 2u);
}

TEST(SourceTitles, StandBeforeTheFirstDigits) {
  const SourceTitles titles = {{kTitled, "SVM on\ndigits"}};
  EXPECT_EQ(SourceText(kTitled, titles), "SVM on digits (aaaaaaaa0000)");
  EXPECT_EQ(SourceText(kUntitled, titles), "bbbbbbbb0000");
}

TEST(SourceTitles, AreNotLongerThanALineBears) {
  const SourceTitles titles = {{kTitled, std::string(256, 't')}};
  EXPECT_EQ(SourceText(kTitled, titles), std::string(39, 't') + "\u2026 (aaaaaaaa0000)");
}

}  // namespace
}  // namespace slipstream::cli
