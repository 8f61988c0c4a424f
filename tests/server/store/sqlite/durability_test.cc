// An acknowledged write survives the end of the process, however it ends.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {
namespace {

constexpr int kThreads = 4;

// Adds trial after trial and writes each number to `out` once it has been
// acknowledged; never returns.
void AddForEver(Store& store, const std::string& run, int thread, int out) {
  for (int64_t number = thread + 1;; number += kThreads) {
    const auto added = AddTrials(
        store, absl::StrCat("s", thread), {FinishedTrial("x", static_cast<double>(number))},
        {absl::StrCat(run, "-", thread, "-", number), "f"});
    if (!added.record.has_value()) _exit(2);
    const int64_t line[2] = {thread, added->front().number};
    if (write(out, line, sizeof(line)) != sizeof(line)) _exit(3);
  }
}

[[noreturn]] void RunWriter(const SqliteStoreOptions& options, const std::string& run, int out) {
  auto store = OpenSqliteStore(options);
  if (!store.ok()) _exit(1);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    (void)CreateStudy(**store, StudyNamed(absl::StrCat("s", t)));
    threads.emplace_back([&store, &run, t, out] { AddForEver(**store, run, t, out); });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(4);
}

// Reads acknowledgements into `acknowledged` until there were `count`, or to
// the end if that is 0.
void ReadAcknowledged(int in, int count, std::vector<std::set<int64_t>>& acknowledged) {
  int64_t line[2];
  for (int i = 0; count == 0 || i < count; ++i) {
    if (read(in, line, sizeof(line)) != sizeof(line)) return;
    acknowledged[static_cast<size_t>(line[0])].insert(line[1]);
  }
}

class DurabilityTest : public SqliteStoreTest {
 protected:
  // Lets a process write under request ids that begin with `run`, and kills it
  // after `count` acknowledgements.
  void WriteAndKill(const std::string& run, int count) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(pipe_ends[0]);
      RunWriter(Options(), run, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    ReadAcknowledged(pipe_ends[0], count, acknowledged_);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        << "the writer ended by itself: " << status;
    ReadAcknowledged(pipe_ends[0], 0, acknowledged_);
    close(pipe_ends[0]);
  }

  void ExpectAllAcknowledged() {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    for (size_t t = 0; t < acknowledged_.size(); ++t) {
      const std::string study = absl::StrCat("s", t);
      TrialFilter filter;
      filter.limit = 1 << 24;
      const auto trials = (*store)->ListTrials(study, filter);
      ASSERT_TRUE(trials.ok()) << trials.status();
      std::set<int64_t> there;
      for (const TrialRecord& trial : *trials) there.insert(trial.number);
      for (const int64_t number : acknowledged_[t]) EXPECT_EQ(there.count(number), 1u) << number;
      // No write is half there: the counts match the trials.
      const auto record = (*store)->GetStudy(study);
      EXPECT_EQ(record->trial_count, static_cast<int64_t>(trials->size()));
      EXPECT_EQ(record->succeeded_count, record->trial_count);
      EXPECT_TRUE(there.empty() || *there.rbegin() == record->trial_count);
    }
  }

  std::vector<std::set<int64_t>> acknowledged_ = std::vector<std::set<int64_t>>(kThreads);
};

TEST_F(DurabilityTest, AnAcknowledgedWriteSurvivesKill) {
  for (int round = 0; round < 10; ++round) {
    WriteAndKill(absl::StrCat("run ", round), 50 + 137 * round);
    ExpectAllAcknowledged();
    EXPECT_TRUE(CheckSqliteFile(path()).ok()) << CheckSqliteFile(path());
  }
}

TEST_F(DurabilityTest, AnAnswerSurvivesKill) {
  WriteAndKill("run", 100);
  const auto store = Open();
  ASSERT_TRUE(store.ok()) << store.status();
  const auto repeat = AddTrials(**store, "s0", {FinishedTrial("x", 1)}, {"run-0-1", "f"});
  EXPECT_EQ(repeat.earlier, "answer");
}

// The file is killed while it is being made, at any moment.
TEST_F(DurabilityTest, AStoreThatIsKilledInItsFirstMomentsCanBeOpened) {
  for (int microseconds = 0; microseconds < 6000; microseconds += 300) {
    const pid_t child = fork();
    if (child == 0) {
      const auto store = Open();
      pause();
      _exit(0);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    while (std::chrono::steady_clock::now() < end) {
    }
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(OpenStatus().ok()) << microseconds << " us: " << OpenStatus();
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) unlink((path() + suffix).c_str());
  }
}

}  // namespace
}  // namespace slipstream
