#include "client/cli/source_view.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/study_view.h"
#include "client/cli/times.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string BestText(const v1::SourceTask& task) {
  const auto& metrics = task.best().outcome().measurement().metrics();
  if (metrics.empty() || task.metrics().empty()) return "";
  const auto found = metrics.find(task.metrics(0).name());
  return found == metrics.end() ? "" : FormatNumber(found->second);
}

std::string BestConfigurationText(const v1::SourceTask& task) {
  const auto& values = task.best().configuration().values();
  std::vector<std::string> assignments;
  for (const v1::Parameter& parameter : task.space().parameters()) {
    const auto found = values.find(parameter.name());
    if (found == values.end()) continue;  // It is not active there.
    assignments.push_back(absl::StrCat(parameter.name(), "=", FormatValue(found->second)));
  }
  return absl::StrJoin(assignments, ", ");
}

std::vector<Field> SourceFields(const v1::SourceTask& task) {
  return {
      {"source task", std::string(absl::StripPrefix(task.name(), "sourceTasks/"))},
      {"title", task.display_name()},
      {"version", task.version()},
      {"objective", MetricsText(task.metrics())},
      {"observations", absl::StrCat(task.observation_count(), ", ", task.measured_count(),
                                    " of them with a value")},
      {"best", BestText(task)},
      {"at", BestConfigurationText(task)},
      {"labels", LabelsText(task.labels())},
      {"origin", task.origin()},
      {"studies", absl::StrCat(task.study_count())},
      {"registered", FormatTime(task.create_time())},
  };
}

}  // namespace

Table SourceTasksTable(const std::vector<v1::SourceTask>& tasks, Format format) {
  Table table;
  table.columns = {{"source task", Align::kLeft, kWhole},
                   {"objective"},
                   {"observations", Align::kRight},
                   {"measured", Align::kRight},
                   {"best", Align::kRight},
                   {"studies", Align::kRight},
                   {"version"},
                   {"registered"},
                   {"title"},
                   {"labels"},
                   {"origin"}};
  for (const v1::SourceTask& task : tasks) {
    table.rows.push_back({std::string(absl::StripPrefix(task.name(), "sourceTasks/")),
                          MetricsText(task.metrics()), absl::StrCat(task.observation_count()),
                          absl::StrCat(task.measured_count()), BestText(task),
                          absl::StrCat(task.study_count()), task.version(),
                          FormatTime(task.create_time()), task.display_name(),
                          LabelsText(task.labels()), task.origin()});
  }
  if (format == Format::kCsv) return table;
  const bool has_labels = std::any_of(tasks.begin(), tasks.end(), [](const v1::SourceTask& task) {
    return !task.labels().empty();
  });
  table.columns.resize(table.columns.size() - (has_labels ? 1 : 2));
  for (std::vector<std::string>& row : table.rows) row.resize(table.columns.size());
  return table;
}

void PrintSourceTasks(const std::vector<v1::SourceTask>& tasks, Session& session) {
  if (session.format() != Format::kJson) {
    return session.Print(SourceTasksTable(tasks, session.format()));
  }
  Json array = Json::array();
  for (const v1::SourceTask& task : tasks) array.push_back(JsonWithAge(task, task.create_time()));
  session.Print(JsonDocument(array));
}

void PrintSourceTask(const v1::SourceTask& task, Session& session) {
  if (session.format() == Format::kJson) {
    return session.Print(JsonDocument(JsonWithAge(task, task.create_time())));
  }
  if (session.format() == Format::kCsv) {
    return session.Print(SourceTasksTable({task}, Format::kCsv));
  }
  session.Print(WithoutEmpty(SourceFields(task)));
  session.Print("\n");
  session.Print(ParametersTable(task.space()));
}

void PrintRegistered(const v1::RegisterSourceTaskResponse& response, bool validate_only,
                     Session& session) {
  if (session.format() == Format::kJson) {
    session.Print(JsonText(response));
  } else {
    PrintSourceTask(response.source_task(), session);
  }
  if (response.already_registered()) {
    session.Warn(
        "the content was registered before; its title, version, labels and origin are unchanged "
        "(to change them, delete the source task and register it again)");
  }
  if (validate_only) {
    session.Remark("\nNothing was registered: this was only a check.");
    return;
  }
  session.Remark(absl::StrCat("\nNext: slipstream study create --source ",
                              ShortSourceTaskName(response.source_task().name()), " ..."));
}

}  // namespace slipstream::cli
