#include "client/cli/source_commands.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "client/cli/deletion.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/source_exchange.h"
#include "client/cli/source_pruning.h"
#include "client/cli/source_registration.h"
#include "client/cli/source_view.h"
#include "client/cli/status_macros.h"

namespace slipstream::cli {
namespace {

absl::Status ListSources(Session& session) {
  std::vector<v1::SourceTask> tasks;
  RETURN_IF_ERROR(session.client().ListAllSourceTasks(
      [&](const v1::SourceTask& task) {
        tasks.push_back(task);
        return true;
      },
      ParentsOf(session.project())));
  PrintSourceTasks(tasks, session);
  if (tasks.empty()) session.Remark("No source tasks yet: slipstream source register --help");
  return absl::OkStatus();
}

absl::Status ShowSource(const std::string& text, Session& session) {
  ASSIGN_OR_RETURN(const std::string name,
                   FullSourceTaskName(session.client(), text, session.project()));
  ASSIGN_OR_RETURN(const v1::SourceTask task, session.client().GetSourceTask(name));
  PrintSourceTask(task, session);
  return absl::OkStatus();
}

absl::Status DeleteSource(const std::string& text, bool agreed, Session& session) {
  ASSIGN_OR_RETURN(const std::string name,
                   FullSourceTaskName(session.client(), text, session.project()));
  RETURN_IF_ERROR(session.Confirm(absl::StrCat("Delete ", name, " for good?"), agreed));
  RETURN_IF_ERROR(session.client().DeleteSourceTask(name));
  PrintDeleted(name, session);
  return absl::OkStatus();
}

struct Arguments {
  std::string source_task;
  bool agreed = false;
};

CLI::App* AddOnOneSource(CLI::App* group, const std::string& name, const std::string& description,
                         const std::shared_ptr<Arguments>& arguments) {
  CLI::App* const command = group->add_subcommand(name, description);
  AddSourceTaskName(command, &arguments->source_task);
  return command;
}

}  // namespace

void AddSourceCommands(CLI::App* app, Action* chosen) {
  CLI::App* const group =
      app->add_subcommand("source",
                          "Source tasks: register, list, show, export, import, delete, prune");
  group->require_subcommand(1);
  AddRegisterCommand(group, chosen);
  group->add_subcommand("list", "Lists the source tasks, oldest first")
      ->callback([chosen] { *chosen = ListSources; });
  const auto arguments = std::make_shared<Arguments>();
  AddOnOneSource(group, "show", "Shows a source task in full", arguments)
      ->callback([arguments, chosen] {
        *chosen = [arguments](Session& session) {
          return ShowSource(arguments->source_task, session);
        };
      });
  AddSourceExchangeCommands(group, chosen);
  CLI::App* const deletion = AddOnOneSource(group, "delete", "Deletes a source task", arguments);
  deletion->add_flag("--yes", arguments->agreed, "Do not ask");
  deletion->callback([arguments, chosen] {
    *chosen = [arguments](Session& session) {
      return DeleteSource(arguments->source_task, arguments->agreed, session);
    };
  });
  AddPruneCommand(group, chosen);
}

}  // namespace slipstream::cli
