#include "client/cli/source_exchange.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/json_lines.h"
#include "client/cli/resource_name.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/source_view.h"
#include "client/cli/status_macros.h"
#include "slipstream/messages/observation_reader.h"

namespace slipstream::cli {
namespace {

// The observations of an exported source task, which follow the task itself. INVALID_ARGUMENT where
// there are fewer than the task says, as in a file that was cut off, or more.
class SourceFile final : public ObservationReader {
 public:
  explicit SourceFile(std::unique_ptr<JsonLinesReader> lines) : lines_(std::move(lines)) {}

  const std::string& name() const { return lines_->name(); }

  // The task in the first line. Called once, before the first Rewind.
  absl::StatusOr<v1::SourceTask> Task() {
    RETURN_IF_ERROR(lines_->Rewind());
    v1::SourceTask task;
    const absl::StatusOr<bool> is_there = lines_->Next(&task);
    v1::ExportLine line;
    if (!is_there.ok() && lines_->RefusedFirstLineIs(&line)) {
      return absl::InvalidArgumentError(
          absl::StrCat(lines_->name(),
                       " is a study, not a source task; to import it: slipstream study import"));
    }
    RETURN_IF_ERROR(is_there.status());
    wanted_ = task.observation_count();
    return task;
  }

  absl::Status Rewind() override {
    read_ = 0;
    if (std::exchange(is_behind_task_, false)) return absl::OkStatus();
    RETURN_IF_ERROR(lines_->Rewind());
    v1::SourceTask task;
    return lines_->Next(&task).status();
  }
  absl::StatusOr<bool> Next(v1::Observation* observation) override {
    ASSIGN_OR_RETURN(const bool is_there, lines_->Next(observation));
    if (is_there) ++read_;
    const bool fits = is_there ? read_ <= wanted_ : read_ == wanted_;
    if (wanted_ == 0 || fits) return is_there;
    return absl::InvalidArgumentError(
        absl::StrCat(lines_->name(), " has ", read_, " observations", is_there ? " or more" : "",
                     ", and the source task in its first line ", wanted_,
                     is_there ? "" : ": the file was cut off"));
  }

 private:
  const std::unique_ptr<JsonLinesReader> lines_;
  int64_t wanted_ = 0;  // Observations that the task says it has; 0 if it does not.
  int64_t read_ = 0;
  bool is_behind_task_ = true;  // Until the first Rewind: standard input cannot be read twice.
};

struct SourceExportArguments {
  std::string source_task;
  std::string output = "-";
};

// Passes the task and then each observation.
absl::Status VisitLines(const std::string& name, Session& session, const AddLine& add) {
  ASSIGN_OR_RETURN(const v1::SourceTask task, session.client().GetSourceTask(name));
  RETURN_IF_ERROR(add(task));
  absl::Status added;
  RETURN_IF_ERROR(session.client().ListAllSourceObservations(
      name, [&](const v1::Observation& observation) {
        added = add(observation);
        return added.ok();
      }));
  return added;
}

absl::Status ExportSource(const SourceExportArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const std::string name,
                   FullSourceTaskName(session.client(), arguments.source_task, session.project()));
  return WriteExport(name, arguments.output, session,
                     [&](const AddLine& add) { return VisitLines(name, session, add); });
}

struct SourceImportArguments {
  std::string file = "-";
};

absl::Status ImportSource(const SourceImportArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(auto lines, JsonLinesReader::Open(arguments.file));
  SourceFile file(std::move(lines));
  v1::RegisterSourceTaskRequest::Header header;
  ASSIGN_OR_RETURN(*header.mutable_source_task(), file.Task());
  RETURN_IF_ERROR(CheckProjectOfImport(file.name(), "a source task", header.source_task().name(),
                                       session.project()));
  ASSIGN_OR_RETURN(*header.mutable_parent(), ParentOf(session.project()));
  const auto response = session.client().RegisterSourceTask(std::move(header), file);
  if (!response.ok()) return OfFile(file.name(), response.status());
  PrintRegistered(*response, /*validate_only=*/false, session);
  return absl::OkStatus();
}

}  // namespace

void AddSourceExchangeCommands(CLI::App* group, Action* chosen) {
  const auto exported = std::make_shared<SourceExportArguments>();
  CLI::App* const out = group->add_subcommand(
      "export", "Writes a source task and its observations as lines of JSON");
  AddSourceTaskName(out, &exported->source_task);
  TakeText(out->add_option("--output", exported->output,
                           "The file to write, - for standard output (default)"))
      ->type_name("FILE");
  ChooseAction(out, exported, ExportSource, chosen);

  const auto imported = std::make_shared<SourceImportArguments>();
  CLI::App* const in = group->add_subcommand(
      "import", "Registers an exported source task, which keeps its name");
  in->add_option("file", imported->file, "The file to read, - for standard input (default)")
      ->type_name("FILE");
  ChooseAction(in, imported, ImportSource, chosen);
}

}  // namespace slipstream::cli
