#include "client/cli/source_pruning.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/cli/json_text.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/times.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

using Json = nlohmann::ordered_json;

// A source task whose results are all in a later state of the same study.
struct Superseded {
  v1::SourceTask task;
  std::string by;  // The name of the later one, which itself is not superseded.
  bool deleted = false;
};

struct Findings {
  std::vector<Superseded> superseded;
  int64_t in_use = 0;  // How many others are superseded, but used by studies.
};

bool IsStudy(const std::string& origin) {
  const bool has_form =
      absl::StartsWith(origin, "studies/") || absl::StartsWith(origin, "projects/");
  return has_form && FullStudyName(origin, {}).ok();
}

// Two source tasks are states of one study if this is equal. It has the project, the study, its
// space and its objective, so that equal bytes of results mean equal results, and the version,
// which would be nowhere else once a source task is deleted.
std::string SubjectOf(const v1::SourceTask& task) {
  v1::SourceTask subject;
  subject.set_name(task.name().substr(0, task.name().find("sourceTasks/")));
  subject.set_origin(task.origin());
  *subject.mutable_space() = task.space();
  *subject.mutable_metrics() = task.metrics();
  subject.set_version(task.version());
  return StableBytes(subject);
}

// The states of each study, oldest first.
using States = std::map<std::string, std::vector<v1::SourceTask>>;

absl::StatusOr<States> ReadStates(Session& session) {
  States states;
  RETURN_IF_ERROR(session.client().ListAllSourceTasks(
      [&](const v1::SourceTask& task) {
        if (IsStudy(task.origin())) states[SubjectOf(task)].push_back(task);
        return true;
      },
      ParentsOf(session.project())));
  return states;
}

// The observations as bytes, in order, and each as often as it was made.
using Content = std::vector<std::string>;

absl::StatusOr<Content> ReadContent(const std::string& name, Session& session) {
  Content content;
  RETURN_IF_ERROR(session.client().ListAllSourceObservations(
      name, [&](const v1::Observation& observation) {
        content.push_back(StableBytes(observation));
        return true;
      }));
  std::sort(content.begin(), content.end());
  return content;
}

struct Kept {
  std::string name;
  Content content;
};

// From the latest state to the earliest: one that adds nothing to a later one is superseded.
absl::Status FindSuperseded(const std::vector<v1::SourceTask>& states, Session& session,
                            Findings* findings) {
  if (states.size() < 2) return absl::OkStatus();
  std::vector<Kept> kept;
  for (auto task = states.rbegin(); task != states.rend(); ++task) {
    absl::StatusOr<Content> content = ReadContent(task->name(), session);
    if (absl::IsNotFound(content.status())) continue;  // Deleted meanwhile.
    RETURN_IF_ERROR(content.status());
    const auto by = std::find_if(kept.begin(), kept.end(), [&content](const Kept& later) {
      return std::includes(later.content.begin(), later.content.end(), content->begin(),
                           content->end());
    });
    if (by == kept.end()) {
      kept.push_back({task->name(), *std::move(content)});
    } else if (task->study_count() > 0) {
      ++findings->in_use;
    } else {
      findings->superseded.push_back({*task, by->name});
    }
  }
  return absl::OkStatus();
}

// Deletes it unless the later state is gone by now, or a study has begun to use it.
absl::Status Delete(Superseded& superseded, Session& session) {
  absl::Status status = session.client().GetSourceTask(superseded.by).status();
  if (status.ok()) status = session.client().DeleteSourceTask(superseded.task.name());
  superseded.deleted = status.ok();
  if (!absl::IsNotFound(status) && !absl::IsFailedPrecondition(status)) return status;
  session.Warn(absl::StrCat(superseded.task.name(), " was not deleted: ",
                            std::string(status.message())));
  return absl::OkStatus();
}

std::string WithoutCollection(const std::string& name) {
  return std::string(absl::StripPrefix(name, "sourceTasks/"));
}

Table SupersededTable(const std::vector<Superseded>& all, Format format) {
  Table table;
  table.columns = {{"source task", Align::kLeft, kWhole},
                   {"observations", Align::kRight},
                   {"superseded by", Align::kLeft, kWhole},
                   {"registered"},
                   {"origin"},
                   {"deleted"}};
  // People are told below the table.
  if (format == Format::kTable) table.columns.pop_back();
  for (const Superseded& each : all) {
    std::vector<std::string> row = {WithoutCollection(each.task.name()),
                                    absl::StrCat(each.task.observation_count()),
                                    WithoutCollection(each.by),
                                    FormatTime(each.task.create_time()),
                                    each.task.origin(),
                                    each.deleted ? "true" : "false"};
    row.resize(table.columns.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

void PrintSuperseded(const std::vector<Superseded>& all, Session& session) {
  if (session.format() == Format::kJson) {
    Json array = Json::array();
    for (const Superseded& each : all) {
      Json json = JsonWithAge(each.task, each.task.create_time());
      json["supersededBy"] = each.by;
      json["deleted"] = each.deleted;
      array.push_back(std::move(json));
    }
    return session.Print(JsonDocument(array));
  }
  if (all.empty() && session.format() == Format::kTable) return;
  session.Print(SupersededTable(all, session.format()));
}

// What was done, and what can be done.
void PrintRemarks(const Findings& findings, bool agreed, Session& session) {
  const auto deleted = std::count_if(findings.superseded.begin(), findings.superseded.end(),
                                     [](const Superseded& each) { return each.deleted; });
  if (findings.superseded.empty()) {
    session.Remark("No unused source task is superseded by a later one of the same study.");
  } else if (agreed) {
    session.Remark(absl::StrCat("\n", deleted, " deleted."));
  } else {
    const std::string& project = session.project().name;
    session.Remark(absl::StrCat("\nNothing was deleted. To delete these: slipstream source prune ",
                                project.empty() ? "" : "--project ", project,
                                project.empty() ? "" : " ", "--yes"));
  }
  if (findings.in_use > 0) {
    session.Remark(absl::StrCat(findings.in_use, findings.in_use == 1 ? " is" : " are",
                                " superseded, but studies use ",
                                findings.in_use == 1 ? "it." : "them."));
  }
}

struct PruneArguments {
  bool agreed = false;
};

absl::Status Prune(const PruneArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const States states, ReadStates(session));
  Findings findings;
  for (const auto& [subject, tasks] : states) {
    RETURN_IF_ERROR(FindSuperseded(tasks, session, &findings));
  }
  std::vector<Superseded>& all = findings.superseded;
  std::sort(all.begin(), all.end(), [](const Superseded& a, const Superseded& b) {
    return std::pair(a.task.origin(), a.task.name()) < std::pair(b.task.origin(), b.task.name());
  });
  absl::Status status;
  for (size_t i = 0; arguments.agreed && status.ok() && i < all.size(); ++i) {
    status = Delete(all[i], session);
  }
  PrintSuperseded(all, session);
  PrintRemarks(findings, arguments.agreed, session);
  return status;
}

}  // namespace

void AddPruneCommand(CLI::App* group, Action* chosen) {
  const auto arguments = std::make_shared<PruneArguments>();
  CLI::App* const command = group->add_subcommand(
      "prune",
      "Lists source tasks that no study uses and whose results are all in a later source task of "
      "the same study; deletes them with --yes");
  command->add_flag("--yes", arguments->agreed, "Delete them, instead of only listing them");
  ChooseAction(command, arguments, Prune, chosen);
}

}  // namespace slipstream::cli
