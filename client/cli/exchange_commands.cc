#include "client/cli/exchange_commands.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/cli/json_lines.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/study_standing.h"
#include "slipstream/errors.h"
#include "slipstream/messages/export_reader.h"

namespace slipstream::cli {
namespace {

// The lines of an exported study.
class ExportFile final : public ExportReader {
 public:
  ExportFile(std::unique_ptr<JsonLinesReader> lines, ProjectChoice project)
      : lines_(std::move(lines)), project_(std::move(project)) {}

  const std::string& name() const { return lines_->name(); }

  absl::Status Rewind() override { return lines_->Rewind(); }
  absl::StatusOr<bool> Next(v1::ExportLine* line) override {
    const absl::StatusOr<bool> is_there = lines_->Next(line);
    if (is_there.ok() && line->has_study()) {
      RETURN_IF_ERROR(
          CheckProjectOfImport(lines_->name(), "a study", line->study().name(), project_));
    }
    v1::SourceTask task;
    if (is_there.ok() || !lines_->RefusedFirstLineIs(&task)) return is_there;
    return absl::InvalidArgumentError(
        absl::StrCat(lines_->name(),
                     " is a source task, not a study; to import it: slipstream source import"));
  }

 private:
  const std::unique_ptr<JsonLinesReader> lines_;
  const ProjectChoice project_;
};

struct ExportArguments {
  std::string study;
  std::string output = "-";
};

absl::Status ExportStudy(const ExportArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const std::string study, FullStudyName(arguments.study, session.project()));
  return WriteExport(study, arguments.output, session, [&](const AddLine& add) {
    absl::Status added;
    const absl::Status read = session.client().ExportStudy(study, [&](const v1::ExportLine& line) {
      added = add(line);
      return added.ok();
    });
    return read.ok() ? added : read;
  });
}

struct ImportArguments {
  std::string file = "-";
  std::string id;
  bool replace = false;
};

// If a source task of the study is not there, says how to bring it along, within its project.
absl::Status WithAdviceOnSources(const absl::Status& status, const ProjectChoice& chosen) {
  const std::string name = MissingName(status.message());
  const size_t found = name.find("sourceTasks/");
  if (!absl::IsNotFound(status) || found == std::string::npos) return status;
  const std::string project = ProjectIn(name);
  const bool is_meant_anyway = project == "default" && chosen.name.empty();
  const std::string option = is_meant_anyway ? "" : absl::StrCat(" --project ", project);
  constexpr absl::string_view kSourceTasks = "sourceTasks/";
  const bool are_several =
      status.message().find(kSourceTasks) != status.message().rfind(kSourceTasks);
  return absl::NotFoundError(absl::StrCat(
      status.message(), "; the study's source tasks have to be there first: ",
      are_several ? "for each of them, as for the first one, " : "", "slipstream source export ",
      ShortSourceTaskName(name.substr(found)), option,
      " --output FILE where the study was exported, then slipstream source import FILE", option));
}

absl::Status ImportStudy(const ImportArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(auto lines, JsonLinesReader::Open(arguments.file));
  ExportFile file(std::move(lines), session.project());
  v1::ImportStudyRequest::Header header;
  header.set_study_id(arguments.id);
  ASSIGN_OR_RETURN(*header.mutable_parent(), ParentOf(session.project()));
  header.set_replace_existing(arguments.replace);
  const auto study = session.client().ImportStudy(std::move(header), file);
  if (absl::IsAlreadyExists(study.status())) {
    return absl::AlreadyExistsError(absl::StrCat(
        study.status().message(), "; --id gives it another name, --replace replaces that study"));
  }
  if (!study.ok()) {
    return OfFile(file.name(), WithAdviceOnSources(study.status(), session.project()));
  }
  PrintAnswer(*study, session);
  return absl::OkStatus();
}

}  // namespace

void AddExchangeCommands(CLI::App* group, Action* chosen) {
  const auto exported = std::make_shared<ExportArguments>();
  CLI::App* const out = group->add_subcommand(
      "export", "Writes a study with its trials, reports and provenances as lines of JSON");
  AddStudyName(out, &exported->study);
  TakeText(out->add_option("--output", exported->output,
                           "The file to write, - for standard output (default)"))
      ->type_name("FILE");
  ChooseAction(out, exported, ExportStudy, chosen);

  const auto imported = std::make_shared<ImportArguments>();
  CLI::App* const in = group->add_subcommand(
      "import",
      "Makes a study from an exported file, completely or not at all; trials that workers held "
      "are queued again");
  in->add_option("file", imported->file, "The file to read, - for standard input (default)")
      ->type_name("FILE");
  TakeText(in->add_option("--id", imported->id,
                          "The study's new id (default: its id in the export)"));
  in->add_flag("--replace", imported->replace, "Replace an existing study of the same name");
  ChooseAction(in, imported, ImportStudy, chosen);
}

}  // namespace slipstream::cli
