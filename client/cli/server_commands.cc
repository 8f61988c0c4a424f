#include "client/cli/server_commands.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "client/cli/duration_text.h"
#include "client/cli/json_text.h"
#include "client/cli/shared_arguments.h"
#include "client/cli/status_macros.h"
#include "client/cli/times.h"
#include "client/cli/value_text.h"

namespace slipstream::cli {
namespace {

// "1 study", "2 studies".
std::string Counted(int64_t count, const char* one, const char* more) {
  return absl::StrCat(count, " ", count == 1 ? one : more);
}

// For example "64.0 MiB".
std::string BytesText(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return absl::StrCat(bytes, " B");
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

double SecondsOf(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) + static_cast<double>(duration.nanos()) * 1e-9;
}

std::string StoreText(const v1::ServerStatus::Store& store) {
  if (store.takes_writes()) {
    return store.message().empty() ? "takes changes"
                                   : absl::StrCat("takes changes; ", store.message());
  }
  return absl::StrCat("REFUSES CHANGES: ", store.message());
}

std::string FileText(const v1::ServerStatus::Store& store) {
  std::string text =
      absl::StrCat(BytesText(store.file_bytes()), ", log ", BytesText(store.log_bytes()));
  if (store.has_disk_free_bytes()) {
    absl::StrAppend(&text, ", ", BytesText(store.disk_free_bytes()), " free");
  }
  return text;
}

// The mean time of a commit and the number of changes that share one.
std::string CommitsText(const v1::ServerStatus::Store& store) {
  if (store.commits() == 0) return "none yet";
  const auto commits = static_cast<double>(store.commits());
  return absl::StrFormat("%d, %.1f ms and %.1f changes each", store.commits(),
                         SecondsOf(store.commit_time()) / commits * 1e3,
                         static_cast<double>(store.writes()) / commits);
}

std::string SuggestionsText(const v1::ServerStatus::Suggestions& suggestions) {
  return absl::StrCat(suggestions.by_recipe(), " by recipe, ", suggestions.without_transfer(),
                      " without transfer, ", suggestions.quasi_random(), " without a model");
}

std::string PreparedText(const v1::ServerStatus::Suggestions& suggestions) {
  return absl::StrCat(suggestions.prepared(), ", of them ", suggestions.prepared_used(),
                      " used and ", suggestions.prepared_wasted(), " wasted");
}

std::string FilesText(const v1::ServerStatus& status) {
  std::vector<std::string> texts;
  for (const v1::ServerStatus::File& file : status.files()) {
    texts.push_back(absl::StrCat(
        file.name(),
        file.is_in_force() ? " in force" : " NOT IN FORCE (see the server's log for the mistake)"));
  }
  return absl::StrJoin(texts, ", ");
}

std::string CertificateText(const google::protobuf::Timestamp& end_time) {
  const absl::Duration left = Until(end_time);
  const std::string end = FormatTime(end_time);
  if (left <= absl::ZeroDuration()) return absl::StrCat("ENDED ", end);
  return absl::StrCat("ends ", end, " (in ", RoundDuration(left), ")");
}

// What only some servers have.
void AppendCondition(const v1::ServerStatus& status, std::vector<Field>* fields) {
  if (status.files_size() > 0) fields->push_back({"files", FilesText(status)});
  if (status.has_certificate_end_time()) {
    fields->push_back({"certificate", CertificateText(status.certificate_end_time())});
  }
  if (status.has_last_backup_time()) {
    fields->push_back({"last backup", absl::StrCat(FormatTime(status.last_backup_time()), " (",
                                                   RoundDuration(Since(status.last_backup_time())),
                                                   " ago)")});
  }
}

std::vector<Field> StatusFields(const v1::ServerStatus& status) {
  const v1::ServerStatus::Contents& contents = status.contents();
  std::vector<Field> fields = {
      {"version", status.version()},
      {"up since", absl::StrCat(FormatTime(status.start_time()), " (",
                                RoundDuration(absl::Seconds(SecondsOf(status.uptime()))), ")")},
      {"store", StoreText(status.store())},
      {"holds", absl::StrCat(Counted(contents.studies(), "study", "studies"), ", ",
                             Counted(contents.trials(), "trial", "trials"), ", ",
                             Counted(contents.source_tasks(), "source task", "source tasks"))},
      {"file", FileText(status.store())},
      {"commits", CommitsText(status.store())},
      {"suggestions", SuggestionsText(status.suggestions())},
      {"precomputed", PreparedText(status.suggestions())},
      {"open calls", absl::StrCat(status.open_calls(), ", ",
                                  Counted(status.watchers(), "watcher", "watchers"))},
      {"memory", BytesText(status.resident_bytes())},
  };
  AppendCondition(status, &fields);
  return fields;
}

std::string CacheText(const v1::ServerStatus::Cache& cache) {
  return absl::StrCat("cached ", absl::StrReplaceAll(cache.name(), {{"_", " "}}));
}

void AddLimits(const v1::ServerStatus& status, Table* table) {
  for (const v1::ServerStatus::Limit& limit : status.limits()) {
    table->rows.push_back({limit.name(), "", absl::StrCat(limit.value()), limit.flag()});
  }
}

Table UseTable(const v1::ServerStatus& status) {
  Table table;
  table.columns = {{"what", Align::kLeft, kWhole},
                   {"now", Align::kRight},
                   {"limit", Align::kRight},
                   {"flag"}};
  for (const v1::ServerStatus::Queue& queue : status.queues()) {
    table.rows.push_back({absl::StrCat("waiting ", queue.name()), absl::StrCat(queue.waiting()),
                          absl::StrCat(queue.limit()), ""});
  }
  for (const v1::ServerStatus::Cache& cache : status.caches()) {
    table.rows.push_back({CacheText(cache), BytesText(cache.bytes()),
                          BytesText(cache.limit_bytes()), ""});
  }
  AddLimits(status, &table);
  return table;
}

// For example "12 of 200".
std::string OfText(const std::string& value, const std::optional<std::string>& quota) {
  return quota.has_value() ? absl::StrCat(value, " of ", *quota) : value;
}

std::string OfText(int64_t value, bool is_limited, int64_t quota) {
  return OfText(absl::StrCat(value),
                is_limited ? std::optional<std::string>(absl::StrCat(quota)) : std::nullopt);
}

// The usage of each project, with its quotas if it has any.
Table ProjectTable(const v1::ServerStatus& status) {
  Table table;
  table.columns = {{"project"},
                   {"studies", Align::kRight},
                   {"trials", Align::kRight},
                   {"sources", Align::kRight},
                   {"bytes", Align::kRight},
                   {"calls a second", Align::kRight}};
  for (const v1::ServerStatus::Project& project : status.projects()) {
    const v1::ServerStatus::Quota& quota = project.quota();
    const std::optional<std::string> bytes =
        quota.has_bytes() ? std::optional<std::string>(BytesText(quota.bytes())) : std::nullopt;
    table.rows.push_back(
        {std::string(absl::StripPrefix(project.name(), "projects/")),
         OfText(project.studies(), quota.has_studies(), quota.studies()),
         OfText(project.trials(), quota.has_trials(), quota.trials()),
         OfText(project.source_tasks(), quota.has_source_tasks(), quota.source_tasks()),
         OfText(BytesText(project.bytes()), bytes),
         quota.has_calls_per_second() ? absl::StrCat(quota.calls_per_second()) : ""});
  }
  return table;
}

// All of the status as rows for programs: bytes and seconds are plain numbers.
class StatusRows {
 public:
  explicit StatusRows(const v1::ServerStatus& status) {
    table_.columns = {{"what"}, {"now"}, {"limit"}, {"flag"}};
    AddFacts(status);
    AddStore(status.store());
    AddSuggestions(status.suggestions());
    AddCondition(status);
    for (const v1::ServerStatus::Project& project : status.projects()) AddProject(project);
    for (const v1::ServerStatus::Queue& queue : status.queues()) {
      Add(absl::StrCat("waiting ", queue.name()), queue.waiting(), absl::StrCat(queue.limit()));
    }
    for (const v1::ServerStatus::Cache& cache : status.caches()) {
      Add(absl::StrCat("bytes of ", CacheText(cache)), cache.bytes(),
          absl::StrCat(cache.limit_bytes()));
    }
    AddLimits(status, &table_);
  }

  const Table& table() const { return table_; }

 private:
  static std::string SecondsText(const google::protobuf::Duration& duration) {
    return absl::StrFormat("%.3f", SecondsOf(duration));
  }

  template <typename Value>
  void Add(const std::string& what, const Value& now, const std::string& limit = "") {
    table_.rows.push_back({what, absl::StrCat(now), limit, ""});
  }

  void AddFacts(const v1::ServerStatus& status) {
    Add("version", status.version());
    Add("up since", FormatTime(status.start_time()));
    Add("seconds up", SecondsText(status.uptime()));
    Add("studies", status.contents().studies());
    Add("trials", status.contents().trials());
    Add("source tasks", status.contents().source_tasks());
    Add("open calls", status.open_calls());
    Add("open watchers", status.watchers());
    Add("bytes of memory", status.resident_bytes());
  }

  void AddStore(const v1::ServerStatus::Store& store) {
    Add("takes changes", store.takes_writes() ? "true" : "false");
    Add("message of the store", store.message());
    Add("bytes of the file", store.file_bytes());
    Add("bytes of the log", store.log_bytes());
    if (store.has_disk_free_bytes()) Add("bytes free", store.disk_free_bytes());
    Add("commits", store.commits());
    Add("seconds of commits", SecondsText(store.commit_time()));
    Add("changes", store.writes());
  }

  void AddSuggestions(const v1::ServerStatus::Suggestions& suggestions) {
    Add("suggestions by recipe", suggestions.by_recipe());
    Add("suggestions without transfer", suggestions.without_transfer());
    Add("suggestions without a model", suggestions.quasi_random());
    Add("suggestions precomputed", suggestions.prepared());
    Add("suggestions precomputed and used", suggestions.prepared_used());
    Add("suggestions precomputed and wasted", suggestions.prepared_wasted());
  }

  void AddCondition(const v1::ServerStatus& status) {
    for (const v1::ServerStatus::File& file : status.files()) {
      Add(absl::StrCat(file.name(), " in force"), file.is_in_force() ? "true" : "false");
    }
    if (status.has_certificate_end_time()) {
      Add("end of the certificate", FormatTime(status.certificate_end_time()));
    }
    if (status.has_last_backup_time()) {
      Add("last backup", FormatTime(status.last_backup_time()));
    }
  }

  void AddProject(const v1::ServerStatus::Project& project) {
    const v1::ServerStatus::Quota& quota = project.quota();
    const auto add = [&](const char* what, int64_t now, bool is_limited, int64_t limit) {
      Add(absl::StrCat(what, " of ", project.name()), now,
          is_limited ? absl::StrCat(limit) : std::string());
    };
    add("studies", project.studies(), quota.has_studies(), quota.studies());
    add("trials", project.trials(), quota.has_trials(), quota.trials());
    add("source tasks", project.source_tasks(), quota.has_source_tasks(), quota.source_tasks());
    add("bytes", project.bytes(), quota.has_bytes(), quota.bytes());
    if (!quota.has_calls_per_second()) return;
    Add(absl::StrCat("calls a second of ", project.name()), "",
        absl::StrCat(quota.calls_per_second()));
  }

  Table table_;
};

// For scripts, a server that refuses changes is an error.
absl::Status RefusalOf(const v1::ServerStatus& status) {
  if (status.store().takes_writes()) return absl::OkStatus();
  return absl::UnavailableError("the server refuses changes, as its status says");
}

absl::Status ShowStatus(Session& session) {
  ASSIGN_OR_RETURN(const v1::ServerStatus status, session.client().GetServerStatus());
  if (session.format() == Format::kJson) {
    session.Print(JsonText(status));
    return RefusalOf(status);
  }
  if (session.format() == Format::kCsv) {
    session.Print(StatusRows(status).table());
    return RefusalOf(status);
  }
  session.Print(StatusFields(status));
  session.Print("\n");
  session.Print(UseTable(status));
  if (status.projects_size() > 0) {
    session.Print("\n");
    session.Print(ProjectTable(status));
  }
  return RefusalOf(status);
}

struct BackupArguments {
  std::string name;
};

absl::Status BackUp(const BackupArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const v1::BackupStoreResponse backup,
                   session.client().BackupStore(arguments.name));
  if (session.format() == Format::kJson) {
    session.Print(JsonText(backup));
  } else if (session.format() == Format::kCsv) {
    session.Print(Table{{{"path"}, {"bytes", Align::kRight}, {"seconds", Align::kRight}},
                        {{backup.path(), absl::StrCat(backup.file_bytes()),
                          absl::StrCat(SecondsOf(backup.duration()))}}});
  } else {
    session.Print(absl::StrCat("backed up to ", backup.path(), " on the server, ",
                               BytesText(backup.file_bytes()), ", checked, in ",
                               RoundDuration(absl::Seconds(SecondsOf(backup.duration()))), "\n"));
  }
  return absl::OkStatus();
}

}  // namespace

void AddServerCommands(CLI::App* app, Action* chosen) {
  CLI::App* const group = app->add_subcommand("server", "The server: status, backup");
  group->require_subcommand(1);
  CLI::App* const status = group->add_subcommand(
      "status", "Shows what the server stores, what is waiting, and its limits");
  status->callback([chosen] { *chosen = ShowStatus; });
  const auto arguments = std::make_shared<BackupArguments>();
  CLI::App* const backup = group->add_subcommand(
      "backup",
      "Copies everything that the server stores to a new file in its --backup-folder, and checks "
      "the copy");
  backup
      ->add_option("name", arguments->name,
                   "Name of the file, ending in .db (default: derived from the time)")
      ->type_name("NAME");
  ChooseAction(backup, arguments, BackUp, chosen);
}

}  // namespace slipstream::cli
