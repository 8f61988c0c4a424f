// Signals at every write: the process is killed in the middle of each write and before each sync
// that a history of all changes makes, or is interrupted all the time.
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/store/sqlite/vfs_layer.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/memory_store.h"

namespace slipstream {
namespace {

constexpr int64_t kNow = 1600000000000;

// Kills the process in its n-th write or sync, counted from 0, or never: half of what is to be
// written may get to the disk.
class KillingVfs {
 public:
  explicit KillingVfs(int64_t fatal) : fatal_(fatal), layer_("killing", /*base=*/"", *this) {}

  const std::string& name() const { return layer_.name(); }

 private:
  struct KillingFile : sqlite::PassingFile<KillingFile> {
    KillingFile(KillingVfs& vfs, int /*open_flags*/) : disk(vfs) {}

    int Write(const void* bytes, int size, sqlite3_int64 offset) {
      if (disk.IsFatal()) {
        (void)PassingFile::Write(bytes, size / 2, offset);
        kill(getpid(), SIGKILL);
      }
      return PassingFile::Write(bytes, size, offset);
    }
    // What has been written outlives the process without a sync, which takes long.
    int Sync(int /*flags*/) {
      if (disk.IsFatal()) kill(getpid(), SIGKILL);
      return SQLITE_OK;
    }

    KillingVfs& disk;
  };

  bool IsFatal() { return count_.fetch_add(1) == fatal_; }

  const int64_t fatal_;
  std::atomic<int64_t> count_{0};
  sqlite::VfsLayer<KillingFile, KillingVfs> layer_;
};

// One step of the history, guarded by a request id.
using Step = std::function<absl::Status(Store&, const RequestGuard&)>;

absl::Status Lease(Store& store, const RequestGuard& guard) {
  const absl::StatusOr<StudyRecord> study = store.GetStudy("s");
  if (!study.ok()) return study.status();
  LeaseBatch batch;
  batch.study_key = study->key;
  batch.study_id = study->id;
  batch.expected_trial_count = study->trial_count;
  batch.grants.resize(1);
  batch.grants[0].worker = "ann";
  batch.grants[0].queued = {2};
  batch.grants[0].fresh = {NewSuggestion("c"), NewSuggestion("d")};
  batch.grants[0].guard = guard;
  batch.grants[0].render = [](const std::vector<TrialRecord>&) { return "answer"; };
  return LeaseTrials(store, std::move(batch)).status();
}

// Every change that there is, small ones and one of many pages.
std::vector<Step> History() {
  return {
      [](Store& store, const RequestGuard& guard) {
        return RegisterSourceTask(store, SourceTaskNamed("used"), guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        return RegisterSourceTask(store, SourceTaskNamed("unused"), guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        NewStudy study = StudyNamed("s", {"used"});
        study.lease = {.duration_ms = 60000, .max_requeues = 1};
        return CreateStudy(store, std::move(study), guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        return AddTrials(store, "s", {FinishedTrial("a", 1), NewSuggestion("b")}, guard).status;
      },
      Lease,
      [](Store& store, const RequestGuard&) {
        return ReportSteps(store, {"s", 2, {{1, 0.5}, {2, 0.25}}}).status;
      },
      [](Store& store, const RequestGuard& guard) {
        return ObserveTrial(store, {"s", 2, Success(0.125)}, guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        return ReleaseTrials(store, {"s", "ann", {3}}, guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        TrialChange change;
        change.note = "seen";
        return UpdateTrial(store, "s", 1, change, guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        return CreateStudy(store, StudyNamed("large"), guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        const std::vector<NewTrial> many(30, FinishedTrial(std::string(1000, 'x'), 2));
        return AddTrials(store, "large", many, guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        StudyChange change;
        change.state = StudyState::kPaused;
        return UpdateStudy(store, "s", change, guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        return DeleteStudy(store, "large", guard).status;
      },
      [](Store& store, const RequestGuard& guard) {
        return DeleteSourceTask(store, "unused", guard).status;
      },
  };
}

RequestGuard GuardOfStep(size_t step) { return {absl::StrCat("step ", step), "f"}; }

// Leases have been granted by the lease clock, which a restart may hold back.
std::string Shown(const TrialRecord& trial) {
  return absl::StrCat(trial.number, " ", static_cast<int>(trial.state), " ", trial.configuration,
                      " ", trial.worker, " ", trial.objective.value_or(-1), " ", trial.measurement,
                      " ", trial.report_count, " ", trial.last_step.value_or(-1), " ",
                      trial.last_value.value_or(-1), " ", trial.requeue_of, " ", trial.note, " ",
                      trial.lease_end_ms.value_or(-1));
}

// Everything that callers can read, and which steps are remembered.
std::string Content(Store& store) {
  std::vector<std::string> lines;
  const auto studies = store.ListStudies({0, 100});
  const auto tasks = store.ListSourceTasks({0, 100});
  const auto events = store.ListEvents(0, 1000);
  EXPECT_TRUE(studies.ok() && tasks.ok() && events.ok());
  for (const StudyRecord& study : *studies) {
    lines.push_back(absl::StrCat("study ", study.id, " ", static_cast<int>(study.state), " ",
                                 study.trial_count, " ", study.succeeded_count, " ",
                                 study.suggested_count, " ", study.best.value_or(-1)));
    const auto trials = store.ListTrials(study.id, {});
    const auto reports = store.ListReports(study.id, 0, study.trial_count, 100);
    EXPECT_TRUE(trials.ok() && reports.ok());
    for (const TrialRecord& trial : *trials) lines.push_back(Shown(trial));
    for (const ReportRecord& report : *reports) {
      lines.push_back(absl::StrCat("report ", report.number, " ", report.report.step, " ",
                                   report.report.value));
    }
  }
  for (const SourceTaskRecord& task : *tasks) {
    const auto chunks = store.GetSourceChunks(task.id);
    EXPECT_TRUE(chunks.ok());
    lines.push_back(absl::StrCat("task ", task.id, " ", absl::StrJoin(*chunks, ",")));
  }
  for (const EventRecord& event : events->events) {
    lines.push_back(absl::StrCat("event ", event.sequence, " ", static_cast<int>(event.kind), " ",
                                 event.number, " ", event.detail));
  }
  for (size_t step = 0; step < History().size(); ++step) {
    const auto answer = store.FindAnswer(GuardOfStep(step));
    EXPECT_TRUE(answer.ok());
    if (answer->has_value()) lines.push_back(absl::StrCat("answer ", step, " ", **answer));
  }
  return absl::StrJoin(lines, "\n");
}

// What there is after no step, after the first, and so on.
std::vector<std::string> ContentAfterSteps() {
  StoreOptions options;
  options.now_ms = [] { return kNow; };
  const std::unique_ptr<Store> store = MakeMemoryStore(options);
  std::vector<std::string> contents = {Content(*store)};
  const std::vector<Step> history = History();
  for (size_t step = 0; step < history.size(); ++step) {
    const absl::Status status = history[step](*store, GuardOfStep(step));
    EXPECT_TRUE(status.ok()) << "step " << step << ": " << status;
    contents.push_back(Content(*store));
  }
  return contents;
}

class SignalsTest : public SqliteStoreTest {
 protected:
  SqliteStoreOptions OptionsOn(const std::string& vfs) const {
    SqliteStoreOptions options = Options();
    options.now_ms = [] { return kNow; };
    options.vfs = vfs;
    return options;
  }

  // In a process of its own: makes the store, changes it step by step, telling `out` of each, and
  // closes it. Exits with 0 if all went well.
  [[noreturn]] void RunHistory(int64_t fatal, int out) const {
    KillingVfs disk(fatal);
    auto store = OpenSqliteStore(OptionsOn(disk.name()));
    if (!store.ok()) _exit(1);
    const std::vector<Step> history = History();
    for (size_t step = 0; step < history.size(); ++step) {
      if (!history[step](**store, GuardOfStep(step)).ok()) _exit(2);
      if (write(out, "+", 1) != 1) _exit(3);
    }
    store->reset();
    _exit(0);
  }

  struct End {
    int status = 0;  // As waitpid has it.
    std::string told;
  };

  // `prepare` is called in the new process.
  End Run(
      int64_t fatal, const std::function<void()>& prepare = [] {}) const {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      prepare();
      RunHistory(fatal, ends[1]);
    }
    close(ends[1]);
    End end;
    char bytes[64];
    for (ssize_t count; (count = read(ends[0], bytes, sizeof(bytes))) > 0;) {
      end.told.append(bytes, static_cast<size_t>(count));
    }
    close(ends[0]);
    waitpid(child, &end.status, 0);
    return end;
  }

  void RemoveFiles() const {
    for (const char* suffix : {"", "-wal", "-shm", "-journal", ".lock"}) {
      unlink((path() + suffix).c_str());
    }
  }

  std::string ReopenedContent() {
    KillingVfs harmless(-1);
    const auto store = OpenSqliteStore(OptionsOn(harmless.name()));
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? Content(**store) : std::string();
  }
};

// A step that was not acknowledged has happened, or nothing of it.
TEST_F(SignalsTest, KilledInAnyWriteTheStoreHasWhatWasAcknowledged) {
  const std::vector<std::string> after = ContentAfterSteps();
  const size_t steps = after.size() - 1;
  for (size_t step = 0; step < steps; ++step) ASSERT_NE(after[step], after[step + 1]);
  for (int64_t fatal = 0;; ++fatal) {
    SCOPED_TRACE(absl::StrCat("killed in write ", fatal));
    RemoveFiles();
    const End end = Run(fatal);
    const bool was_killed = WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGKILL;
    ASSERT_TRUE(was_killed || end.status == 0) << end.status;
    const size_t done = end.told.size();
    const std::string content = ReopenedContent();
    EXPECT_TRUE(content == after[done] || (done < steps && content == after[done + 1]))
        << done << " steps were acknowledged; there is:\n"
        << content;
    EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
    if (HasFailure()) return;
    if (was_killed) continue;
    EXPECT_EQ(done, steps);
    EXPECT_GT(fatal, static_cast<int64_t>(5 * steps));
    return;
  }
}

// Signals with a handler make system calls return early.
TEST_F(SignalsTest, InterruptedAllTheTimeTheStoreWorksAsEver) {
  const std::vector<std::string> after = ContentAfterSteps();
  for (int round = 0; round < 10; ++round) {
    RemoveFiles();
    const End end = Run(-1, [] {
      struct sigaction interrupt = {};
      interrupt.sa_handler = [](int) {};
      sigaction(SIGALRM, &interrupt, nullptr);
      const itimerval often = {.it_interval = {0, 100}, .it_value = {0, 100}};
      setitimer(ITIMER_REAL, &often, nullptr);
    });
    ASSERT_EQ(end.status, 0) << end.told.size() << " steps were acknowledged";
    EXPECT_EQ(ReopenedContent(), after.back());
  }
}

}  // namespace
}  // namespace slipstream
