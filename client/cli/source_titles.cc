#include "client/cli/source_titles.h"

#include "absl/strings/str_cat.h"
#include "client/cli/resource_name.h"
#include "client/cli/table.h"

namespace slipstream::cli {
namespace {

// Longer titles are truncated, so that they do not hide what stands beside them.
constexpr size_t kWidestTitle = 40;

}  // namespace

SourceTitles ReadSourceTitles(const std::vector<std::string>& names, Client& client) {
  SourceTitles titles;
  for (const std::string& name : names) {
    const auto task = client.GetSourceTask(name);
    if (task.ok() && !task->display_name().empty()) titles[name] = task->display_name();
  }
  return titles;
}

std::string SourceText(const std::string& name, const SourceTitles& titles) {
  const auto title = titles.find(name);
  if (title == titles.end() || title->second.empty()) return ShortSourceTaskName(name);
  return absl::StrCat(Truncated(title->second, kWidestTitle), " (", ShortSourceTaskName(name), ")");
}

}  // namespace slipstream::cli
