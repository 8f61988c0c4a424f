#include "client/cli/source_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "slipstream/messages/configuration.h"

namespace slipstream::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

v1::SourceTask Task() {
  v1::SourceTask task;
  task.set_name("sourceTasks/0123456789abcdef0123456789abcdef");
  v1::Metric& metric = *task.add_metrics();
  metric.set_name("loss");
  metric.set_goal(v1::Metric::MINIMIZE);
  for (const char* name : {"lr", "kernel", "layers"}) {
    task.mutable_space()->add_parameters()->set_name(name);
  }
  task.set_observation_count(3);
  task.set_measured_count(2);
  SetDouble(task.mutable_best()->mutable_configuration(), "lr", 0.1);
  SetInteger(task.mutable_best()->mutable_configuration(), "layers", 2);
  (*task.mutable_best()->mutable_outcome()->mutable_measurement()->mutable_metrics())["loss"] = 0.5;
  return task;
}

TEST(SourceView, HasOneRowPerTask) {
  const Table table = SourceTasksTable({Task(), v1::SourceTask()}, Format::kTable);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].size(), table.columns.size());
  EXPECT_EQ(table.rows[0][0], "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(table.rows[0][1], "minimize loss");
  EXPECT_EQ(table.rows[0][4], "0.5");
  EXPECT_EQ(table.rows[1][4], "");  // No observation has a value.
}

TEST(SourceView, ListsLabelsAndInFilesOrigins) {
  EXPECT_EQ(SourceTasksTable({Task()}, Format::kTable).columns.back().head, "title");
  v1::SourceTask labelled = Task();
  (*labelled.mutable_labels())["team"] = "vision";
  labelled.set_origin("studies/digits");
  for (const Format format : {Format::kTable, Format::kCsv}) {
    const Table table = SourceTasksTable({labelled, Task()}, format);
    ASSERT_EQ(table.rows[0].size(), table.columns.size());
    EXPECT_EQ(table.columns[9].head, "labels");
    EXPECT_EQ(table.rows[0][9], "team=vision");
    EXPECT_EQ(table.rows[1][9], "");
  }
  const Table file = SourceTasksTable({labelled}, Format::kCsv);
  EXPECT_EQ(file.columns.back().head, "origin");
  EXPECT_EQ(file.rows[0].back(), "studies/digits");
}

TEST(SourceView, ShowsATaskInFullWithoutEmptyFields) {
  std::istringstream in;
  std::ostringstream out;
  const auto client = *Client::Connect({.address = "unix:/nonexistent"});
  Session session(*client, {in, out, out}, Format::kTable);
  PrintSourceTask(Task(), session);
  EXPECT_THAT(out.str(), AllOf(HasSubstr("3, 2 of them with a value"),
                               HasSubstr("lr=0.1, layers=2"), Not(HasSubstr("origin"))));
}

TEST(SourceView, TellsTheAgeOfATaskInJson) {
  std::istringstream in;
  std::ostringstream out;
  const auto client = *Client::Connect({.address = "unix:/nonexistent"});
  Session session(*client, {in, out, out}, Format::kJson);
  v1::SourceTask old = Task();
  old.mutable_create_time()->set_seconds(absl::ToUnixSeconds(absl::Now()) - 7200);
  PrintSourceTasks({old, Task()}, session);
  const auto list = nlohmann::json::parse(out.str());
  EXPECT_NEAR(list[0]["ageSeconds"], 7200, 60);
  EXPECT_EQ(list[0]["measuredCount"], "2");
  EXPECT_FALSE(list[1].contains("ageSeconds"));
}

}  // namespace
}  // namespace slipstream::cli
