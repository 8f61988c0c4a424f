#include "server/store/sqlite/sqlite_store.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/base/status.h"
#include "server/store/sqlite/answers.h"
#include "server/store/sqlite/checkpointer.h"
#include "server/store/sqlite/connection.h"
#include "server/store/sqlite/file_check.h"
#include "server/store/sqlite/file_lock.h"
#include "server/store/sqlite/group_commit.h"
#include "server/store/sqlite/guarded_write.h"
#include "server/store/sqlite/reader_pool.h"
#include "server/store/sqlite/resource_message.h"
#include "server/store/sqlite/schema.h"
#include "server/store/sqlite/source_rows.h"
#include "server/store/sqlite/store_connections.h"
#include "server/store/sqlite/store_options.h"
#include "server/store/sqlite/study_rows.h"
#include "server/store/sqlite/trial_rows.h"
#include "server/store/sqlite/write_queue.h"
#include "server/store/sqlite/write_session.h"
#include "server/store/sqlite/write_verbs.h"

namespace slipstream::sqlite {
namespace {

// A file in memory is checked whole in this time up to about 250 MB.
constexpr absl::Duration kCheckLimit = absl::Milliseconds(150);

WriteQueueOptions QueueOptions(const SqliteStoreOptions& options) {
  return {.max_waiting = options.max_waiting_writes,
          .max_per_commit = options.max_writes_per_commit,
          .answer_on_writing_thread = options.answer_on_writing_thread};
}

class SqliteStore : public Store {
 public:
  // What an open store consists of; in this order, so that the file is closed
  // before its lock is given up.
  struct Parts {
    FileLock lock;
    std::unique_ptr<Connection> writer;
    std::unique_ptr<Connection> checkpoints;
    std::vector<std::unique_ptr<Connection>> readers;
  };

  SqliteStore(const SqliteStoreOptions& options, Parts parts)
      : lock_(std::move(parts.lock)),
        now_ms_(options.now_ms),
        retention_ms_(absl::ToInt64Milliseconds(options.retention)),
        writer_(std::move(parts.writer)),
        readers_(std::make_unique<ReaderPool>(std::move(parts.readers))),
        session_(writer_.get(), retention_ms_, options.max_trials_per_study),
        checkpointer_(std::make_unique<Checkpointer>(writer_.get(), std::move(parts.checkpoints),
                                                     CheckpointerOptions{})),
        group_commit_(&session_, checkpointer_.get(), options.now_ms),
        writes_(std::make_unique<WriteQueue>(&group_commit_, QueueOptions(options))) {}

  ~SqliteStore() override {
    writes_->Close();
    readers_.reset();
    checkpointer_->Close(/*sound=*/!group_commit_.halted());
  }

  void CreateStudy(NewStudy study, Write<StudyRecord> write) override {
    Submit(std::move(write), [study = std::move(study)](WriteSession& session) {
      return sqlite::CreateStudy(session, study);
    });
  }

  void UpdateStudy(std::string id, StudyChange change, Write<StudyRecord> write) override {
    Submit(std::move(write),
           [id = std::move(id), change = std::move(change)](WriteSession& session) {
             return sqlite::UpdateStudy(session, id, change);
           });
  }

  void DeleteStudy(std::string id, Write<Unit> write) override {
    Submit(std::move(write), [id = std::move(id)](WriteSession& session) {
      return sqlite::DeleteStudy(session, id);
    });
  }

  void ObserveTrial(Observe observe, Write<TrialRecord> write) override {
    Submit(std::move(write), [observe = std::move(observe)](WriteSession& session) {
      return sqlite::ObserveTrial(session, observe);
    });
  }

  void AddTrials(std::string study_id, std::vector<NewTrial> trials,
                 Write<std::vector<TrialRecord>> write) override {
    Submit(std::move(write),
           [id = std::move(study_id), trials = std::move(trials)](WriteSession& session) {
             return sqlite::AddTrials(session, id, trials);
           });
  }

  void LeaseTrials(LeaseBatch batch) override { writes_->Submit(MakeLeaseWrite(std::move(batch))); }

  void RegisterSourceTask(NewSourceTask task, Write<RegisteredSourceTask> write) override {
    Submit(std::move(write), [task = std::move(task)](WriteSession& session) {
      return sqlite::RegisterSourceTask(session, task);
    });
  }

  void DeleteSourceTask(std::string id, Write<Unit> write) override {
    Submit(std::move(write), [id = std::move(id)](WriteSession& session) {
      return sqlite::DeleteSourceTask(session, id);
    });
  }

  absl::StatusOr<std::optional<std::string>> FindAnswer(const RequestGuard& guard) override {
    return readers_->InSnapshot(
        [&](Connection& reader) { return FindAnswerAt(reader, guard, now_ms_(), retention_ms_); });
  }

  absl::StatusOr<StudyRecord> GetStudy(const std::string& id) override {
    return readers_->InSnapshot([&](Connection& reader) { return ReadStudy(reader, id); });
  }

  absl::StatusOr<std::string> GetCandidates(int64_t study_key) override {
    return readers_->InSnapshot(
        [&](Connection& reader) { return ReadCandidates(reader, study_key); });
  }

  absl::StatusOr<std::vector<std::string>> GetStudySources(int64_t study_key) override {
    return readers_->InSnapshot(
        [&](Connection& reader) { return ReadStudySources(reader, study_key); });
  }

  absl::StatusOr<std::vector<StudyRecord>> ListStudies(int64_t after_key, int limit) override {
    return readers_->InSnapshot(
        [&](Connection& reader) { return ReadStudies(reader, after_key, limit); });
  }

  absl::StatusOr<TrialRecord> GetTrial(const std::string& study_id, int64_t number) override {
    return readers_->InSnapshot([&](Connection& reader) -> absl::StatusOr<TrialRecord> {
      SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, ReadStudyKey(reader, study_id));
      SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<TrialRecord> trial, ReadTrial(reader, key, number));
      if (!trial.has_value()) return TrialNotFound(study_id, number);
      return *std::move(trial);
    });
  }

  absl::StatusOr<std::string> GetProvenance(const std::string& study_id, int64_t number) override {
    return readers_->InSnapshot([&](Connection& reader) -> absl::StatusOr<std::string> {
      SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, ReadStudyKey(reader, study_id));
      SLIPSTREAM_ASSIGN_OR_RETURN(const std::optional<TrialRecord> trial,
                                  ReadTrial(reader, key, number));
      if (!trial.has_value()) return TrialNotFound(study_id, number);
      return ReadProvenance(reader, key, number);
    });
  }

  absl::StatusOr<std::vector<TrialProvenance>> ListProvenances(const std::string& study_id,
                                                               int64_t after_number,
                                                               int64_t last_number) override {
    return readers_->InSnapshot(
        [&](Connection& reader) -> absl::StatusOr<std::vector<TrialProvenance>> {
          SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, ReadStudyKey(reader, study_id));
          return ReadProvenances(reader, key, after_number, last_number);
        });
  }

  absl::StatusOr<std::vector<TrialRecord>> ListTrials(const std::string& study_id,
                                                      const TrialFilter& filter) override {
    return readers_->InSnapshot(
        [&](Connection& reader) -> absl::StatusOr<std::vector<TrialRecord>> {
          SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, ReadStudyKey(reader, study_id));
          return ReadTrials(reader, key, filter);
        });
  }

  absl::StatusOr<std::vector<TrialRecord>> BestTrials(const std::string& study_id, bool maximize,
                                                      int limit) override {
    return readers_->InSnapshot(
        [&](Connection& reader) -> absl::StatusOr<std::vector<TrialRecord>> {
          SLIPSTREAM_ASSIGN_OR_RETURN(const int64_t key, ReadStudyKey(reader, study_id));
          return ReadBestTrials(reader, key, maximize, limit);
        });
  }

  absl::StatusOr<LeasePlan> PlanLeases(int64_t study_key, const std::string& study_id,
                                       const std::vector<std::string>& workers,
                                       int max_queued) override {
    return readers_->InSnapshot([&](Connection& reader) -> absl::StatusOr<LeasePlan> {
      LeasePlan plan;
      SLIPSTREAM_ASSIGN_OR_RETURN(plan.study, ReadStudyHead(reader, study_key, study_id));
      for (const std::string& worker : workers) {
        SLIPSTREAM_ASSIGN_OR_RETURN(plan.active.emplace_back(),
                                    ReadActiveTrials(reader, study_key, worker));
      }
      SLIPSTREAM_ASSIGN_OR_RETURN(plan.queued, ReadQueuedTrials(reader, study_key, max_queued));
      return plan;
    });
  }

  absl::StatusOr<SourceTaskRecord> GetSourceTask(const std::string& id) override {
    return readers_->InSnapshot([&](Connection& reader) -> absl::StatusOr<SourceTaskRecord> {
      SLIPSTREAM_ASSIGN_OR_RETURN(std::optional<SourceTaskRecord> task, ReadSourceTask(reader, id));
      if (!task.has_value()) return SourceTaskNotFound(id);
      return *std::move(task);
    });
  }

  absl::StatusOr<std::vector<SourceTaskRecord>> ListSourceTasks(int64_t after_key,
                                                                int limit) override {
    return readers_->InSnapshot(
        [&](Connection& reader) { return ReadSourceTasks(reader, after_key, limit); });
  }

  absl::StatusOr<std::vector<std::string>> GetSourceChunks(const std::string& id) override {
    return readers_->InSnapshot([&](Connection& reader) { return ReadSourceChunks(reader, id); });
  }

 private:
  template <typename Record, typename Deed>
  void Submit(Write<Record> write, Deed deed) {
    writes_->Submit(MakeGuardedWrite<Record>(std::move(deed), std::move(write)));
  }

  // Destroyed from the last to the first.
  const FileLock lock_;
  const std::function<int64_t()> now_ms_;
  const int64_t retention_ms_;
  const std::unique_ptr<Connection> writer_;
  std::unique_ptr<ReaderPool> readers_;
  WriteSession session_;
  const std::unique_ptr<Checkpointer> checkpointer_;
  GroupCommit group_commit_;
  const std::unique_ptr<WriteQueue> writes_;
};

// The path as anybody else would come to it, so that all lock the same file.
std::string ResolvedPath(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : resolved.string();
}

absl::Status CheckFolder(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat found;
  if (stat(folder.empty() ? "." : folder.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return absl::OkStatus();
    return absl::NotFoundError(
        absl::StrCat(folder, ", to hold the store ", path, ", is no folder"));
  }
  if (errno == EACCES) {
    return absl::PermissionDeniedError(absl::StrCat("the store ", path, " cannot be reached"));
  }
  return absl::NotFoundError(absl::StrCat("the folder of the store ", path, " does not exist"));
}

absl::StatusOr<std::unique_ptr<Store>> Open(SqliteStoreOptions options) {
  SLIPSTREAM_RETURN_IF_ERROR(CheckOptions(options));
  SLIPSTREAM_RETURN_IF_ERROR(CheckFolder(options.path));
  options.path = ResolvedPath(options.path);
  if (!options.now_ms) options.now_ms = [] { return absl::ToUnixMillis(absl::Now()); };
  SLIPSTREAM_ASSIGN_OR_RETURN(FileLock lock, FileLock::Acquire(options.path, options.holder));
  SLIPSTREAM_ASSIGN_OR_RETURN(const bool exists, InspectHeader(options.path, options.vfs));
  if (exists) {
    SLIPSTREAM_RETURN_IF_ERROR(InspectContent(
        options.path, options.vfs, static_cast<int64_t>(SchemaSteps().size()), kCheckLimit));
  }
  SqliteStore::Parts parts{std::move(lock), nullptr, nullptr, {}};
  SLIPSTREAM_ASSIGN_OR_RETURN(parts.writer, OpenWriter(options));
  SLIPSTREAM_ASSIGN_OR_RETURN(parts.checkpoints, OpenCheckpointConnection(options));
  for (int i = 0; i < options.readers; ++i) {
    SLIPSTREAM_ASSIGN_OR_RETURN(parts.readers.emplace_back(), OpenReader(options));
  }
  return std::unique_ptr<Store>(std::make_unique<SqliteStore>(options, std::move(parts)));
}

}  // namespace
}  // namespace slipstream::sqlite

namespace slipstream {

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(SqliteStoreOptions options) {
  return sqlite::Open(std::move(options));
}

}  // namespace slipstream
