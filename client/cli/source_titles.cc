#include "client/cli/source_titles.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/resource_name.h"
#include "client/cli/table.h"

namespace slipstream::cli {
namespace {

// Longer titles are truncated, so that they do not hide what stands beside them.
constexpr size_t kWidestTitle = 40;

}  // namespace

std::vector<v1::SourceTask> ReadSourceTasks(const std::vector<std::string>& names, Client& client) {
  std::vector<v1::SourceTask> tasks;
  for (const std::string& name : names) {
    auto task = client.GetSourceTask(name);
    if (task.ok()) {
      tasks.push_back(*std::move(task));
    } else if (!absl::IsNotFound(task.status()) && !absl::IsPermissionDenied(task.status())) {
      break;
    }
  }
  return tasks;
}

SourceTitles TitlesOf(const std::vector<v1::SourceTask>& tasks) {
  SourceTitles titles;
  for (const v1::SourceTask& task : tasks) {
    if (!task.display_name().empty()) titles[task.name()] = task.display_name();
  }
  return titles;
}

SourceTitles ReadSourceTitles(const std::vector<std::string>& names, Client& client) {
  return TitlesOf(ReadSourceTasks(names, client));
}

std::string SourceText(const std::string& name, const SourceTitles& titles) {
  const auto title = titles.find(name);
  if (title == titles.end()) return ShortSourceTaskName(name);
  return absl::StrCat(Truncated(title->second, kWidestTitle), " (", ShortSourceTaskName(name), ")");
}

}  // namespace slipstream::cli
