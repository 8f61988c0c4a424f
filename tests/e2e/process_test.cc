// The server as a process: starting, being killed, draining, refusing to start.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "server/store/sqlite/checksum_vfs.h"
#include "server/store/sqlite/connection.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/testing/places.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

std::string Bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Many threads report results until the server is killed.
TEST(Process, NothingAcknowledgedIsLostByAKillUnderLoad) {
  constexpr int kThreads = 8;
  constexpr int kResultsBeforeTheKill = 400;
  TemporaryFolder data;
  std::vector<std::vector<v1::Trial>> told(kThreads);
  {
    ServerProcess server(data.path());
    ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
    std::vector<std::thread> threads;
    std::atomic<int> results{0};
    std::promise<void> loaded;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        while (true) {
          v1::SuggestResponse suggestion;
          const auto ask = AskRequest("studies/s", "w" + std::to_string(t));
          if (!Call(server.stub(), &Stub::Suggest, ask, &suggestion).ok()) return;
          v1::Trial trial;
          const auto tell = TellRequest(suggestion.trials(0).name(), LossOutcome(t));
          if (!Call(server.stub(), &Stub::Observe, tell, &trial).ok()) return;
          told[t].push_back(trial);
          if (++results == kResultsBeforeTheKill) loaded.set_value();
        }
      });
    }
    EXPECT_EQ(loaded.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
    server.Kill();
    for (std::thread& thread : threads) thread.join();
  }
  ServerProcess server(data.path());
  size_t checked = 0;
  for (const std::vector<v1::Trial>& trials : told) {
    for (const v1::Trial& trial : trials) {
      v1::GetTrialRequest request;
      request.set_name(trial.name());
      v1::Trial kept;
      ASSERT_TRUE(Call(server.stub(), &Stub::GetTrial, request, &kept).ok());
      ASSERT_EQ(WithoutConfiguration(kept).DebugString(), trial.DebugString());
      ++checked;
    }
  }
  EXPECT_GE(checked, size_t{kResultsBeforeTheKill});
}

TEST(Process, ASecondServerOnTheSameFileIsRefusedNamingTheHolder) {
  TemporaryFolder data;
  ServerProcess first(data.path());
  const EndedProcess second =
      ServerProcess::Run({"--data", data.path(), "--listen", "127.0.0.1:0"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr("process " + std::to_string(first.pid())));
  EXPECT_TRUE(Call(first.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
}

TEST(Process, ASecondServerOnTheSameFileIsRefusedThoughTheLockFileWasRemoved) {
  TemporaryFolder data;
  ServerProcess first(data.path());
  std::filesystem::remove(data.path() + "/slipstream.db.lock");
  const EndedProcess second =
      ServerProcess::Run({"--data", data.path(), "--listen", "127.0.0.1:0"});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr("is in use by a process whose lock file"));
  EXPECT_FALSE(std::filesystem::exists(data.path() + "/slipstream.db.lock"));
}

TEST(Process, ATakenPortIsRefused) {
  TemporaryFolder data;
  TemporaryFolder other;
  ServerProcess first(data.path());
  const EndedProcess second =
      ServerProcess::Run({"--data", other.path(), "--create", "--listen", first.address()});
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.output, HasSubstr(first.address()));
}

TEST(Process, ADamagedFileIsRefusedAndNotTouched) {
  TemporaryFolder data;
  const std::string file = data.path() + "/slipstream.db";
  {
    ServerProcess server(data.path());
    ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
    ASSERT_EQ(server.Terminate().exit_code, 0);
  }
  const std::string sound = Bytes(file);
  ASSERT_GT(sound.size(), 8192u);
  const std::string shorter = sound.substr(0, sound.size() / 2 + 100);
  std::string overwritten = sound;
  overwritten.replace(0, 64, std::string(64, 'x'));
  std::string garbled = sound;
  for (size_t i = 4096; i < 8192; ++i) garbled[i] = static_cast<char>(i * 37);
  for (const std::string& damaged : {shorter, overwritten, garbled}) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
    const EndedProcess ended =
        ServerProcess::Run({"--data", data.path(), "--listen", "127.0.0.1:0"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.output, HasSubstr(file));
    EXPECT_TRUE(Bytes(file) == damaged) << "the damaged file was changed";
  }
}

TEST(Process, SuggestComputesNoLongerThanItsFlagSays) {
  constexpr int kCount = 1000;
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--suggest-seconds", "0.1"});
  ASSERT_TRUE(
      Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy("gp_log_ei"), "s")).ok());
  v1::AddTrialsRequest results;
  results.set_study("studies/s");
  for (int i = 0; i < 20; ++i) {
    *results.add_observations() =
        MeasuredObservation(ExampleConfiguration(0.01 * (i + 1), 1 + i % 8), i % 3);
  }
  ASSERT_TRUE(Call(server.stub(), &Stub::AddTrials, results).ok());
  v1::SuggestResponse suggestion;
  ASSERT_TRUE(
      Call(server.stub(), &Stub::Suggest, AskRequest("studies/s", "w", kCount), &suggestion).ok());
  ASSERT_EQ(suggestion.trials_size(), kCount);
  v1::ExplainRequest request;
  request.set_trial(suggestion.trials(kCount - 1).name());
  v1::Explanation explanation;
  ASSERT_TRUE(Call(server.stub(), &Stub::Explain, request, &explanation).ok());
  EXPECT_EQ(explanation.provenance().rung(), v1::Provenance::QUASI_RANDOM);
  EXPECT_THAT(explanation.provenance().rung_reason(), HasSubstr("deadline"));
}

TEST(Process, ABudgetOfSuggestOutOfBoundsIsRefused) {
  TemporaryFolder data;
  for (const char* seconds : {"0", "0.09", "-1", "3601", "soon"}) {
    const EndedProcess ended = ServerProcess::Run({"--data", data.path(), "--create", "--listen",
                                                   "127.0.0.1:0", "--suggest-seconds", seconds});
    EXPECT_EQ(ended.exit_code, 2) << seconds;
    EXPECT_THAT(ended.output, HasSubstr("--suggest-seconds")) << seconds;
  }
}

TEST(Process, OtherFilesThanTheStoreAreWritten) {
  TemporaryFolder data;
  ServerProcess(data.path()).Terminate();
  const std::string before = Bytes(data.path() + "/slipstream.db");
  for (const char* flag : {"--address-file", "--audit-log"}) {
    for (const char* file : {"/slipstream.db", "/./slipstream.db", "/slipstream.db-wal"}) {
      const EndedProcess ended = ServerProcess::Run(
          {"--data", data.path(), "--listen", "127.0.0.1:0", flag, data.path() + file});
      EXPECT_EQ(ended.exit_code, 2) << flag << " " << file;
      EXPECT_THAT(ended.output, HasSubstr("a file other than those of the store")) << flag;
    }
  }
  EXPECT_EQ(Bytes(data.path() + "/slipstream.db"), before);
  ServerProcess(data.path(), {"--audit-log", data.path() + "/slipstream.db-audit.jsonl"})
      .Terminate();
}

// A token file was written over with the address.
TEST(Process, FilesThatAreReadAreNotWritten) {
  TemporaryFolder scratch;
  const std::string tokens = scratch.path() + "/tokens";
  std::ofstream(tokens) << "# none\n";
  std::filesystem::create_hard_link(tokens, scratch.path() + "/same");
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"--data", scratch.path() + "/data", "--create", "--listen",
                                 "127.0.0.1:0", "--quota-file", tokens});
    const EndedProcess ended = ServerProcess::Run(flags);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.output;
  };
  EXPECT_THAT(run({"--address-file", scratch.path() + "/./tokens"}),
              HasSubstr("a file other than that of --quota-file"));
  EXPECT_THAT(run({"--audit-log", scratch.path() + "/same"}),
              HasSubstr("a file other than that of --quota-file"));
  EXPECT_THAT(run({"--audit-log", "log", "--address-file", "log"}),
              HasSubstr("a file other than that of --audit-log"));
  EXPECT_EQ(Bytes(tokens), "# none\n");
}

// An upgrade cannot be undone, so mistakes in flags are found before.
TEST(Process, AStoreIsOpenedAfterFlagsWereChecked) {
  TemporaryFolder scratch;
  const std::string data = scratch.path() + "/data";
  for (const std::vector<std::string>& mistake :
       std::vector<std::vector<std::string>>{{"--metrics-address", "127.0.0.1"},
                                             {"--metrics-address", "[::1]"},
                                             {"--backup-folder", scratch.path() + "/none"},
                                             {"--audit-log", scratch.path() + "/none/log"}}) {
    std::vector<std::string> flags = {"--data", data, "--create", "--listen", "127.0.0.1:0"};
    flags.insert(flags.end(), mistake.begin(), mistake.end());
    const EndedProcess ended = ServerProcess::Run(flags);
    // A backup folder may be mounted later.
    EXPECT_EQ(ended.exit_code, mistake[0] == "--backup-folder" ? 1 : 2) << mistake[0];
    EXPECT_THAT(ended.output, HasSubstr(mistake[1])) << mistake[0];
    EXPECT_FALSE(std::filesystem::exists(data + "/slipstream.db")) << mistake[1];
  }
}

// An empty file is what is left of a store whose content was lost.
TEST(Process, TellsOfANewStoreInAnEmptyFile) {
  TemporaryFolder data;
  std::ofstream(data.path() + "/slipstream.db").flush();
  ServerProcess server(data.path(), {"--create"});
  EXPECT_THAT(server.Terminate().output, HasSubstr("made a new store, which is empty"));
}

TEST(Process, AStoreIsMadeOnlyWhenAskedFor) {
  TemporaryFolder scratch;
  const std::string data = scratch.path() + "/data";
  const std::vector<std::string> flags = {"--data", data, "--listen", "127.0.0.1:0"};
  const EndedProcess missing = ServerProcess::Run(flags);
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.output, HasSubstr("--create"));
  EXPECT_FALSE(std::filesystem::exists(data));
  ServerProcess(data).Terminate();
  ServerProcess(data).Terminate();
  std::filesystem::remove(data + "/slipstream.db");
  const EndedProcess lost = ServerProcess::Run(flags);
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_THAT(lost.output, HasSubstr("there is no store at " + data + "/slipstream.db"));
}

TEST(Process, AResultIsNotAcknowledgedOnceTheFileIsGone) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  ASSERT_TRUE(Call(server.stub(), &Stub::Suggest, AskRequest("studies/s", "w", 2)).ok());
  ASSERT_TRUE(
      Call(server.stub(), &Stub::Observe, TellRequest("studies/s/trials/1", LossOutcome(1))).ok());
  std::filesystem::rename(data.path() + "/slipstream.db", data.path() + "/moved.db");
  const grpc::Status lost =
      Call(server.stub(), &Stub::Observe, TellRequest("studies/s/trials/2", LossOutcome(2)));
  // The second code is that of calls after the first one, or after the server looked by itself.
  EXPECT_THAT(lost.error_code(), testing::AnyOf(grpc::StatusCode::DATA_LOSS,
                                                grpc::StatusCode::UNAVAILABLE));
  EXPECT_THAT(lost.error_message(), HasSubstr("slipstream.db has been removed"));
  EXPECT_THAT(server.Terminate().output, HasSubstr("no more writes until"));
}

TEST(Process, ALostFolderIsNoticedThoughNobodyWritesAndIsAFailureInTheEnd) {
  TemporaryFolder scratch;
  const std::string data = scratch.path() + "/data";
  ServerProcess server(data);
  std::filesystem::remove_all(data);
  EXPECT_TRUE(server.Writes("no more writes until the server is restarted"));
  EXPECT_TRUE(server.Writes("no change can be made"));
  const EndedProcess ended = server.Terminate();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, HasSubstr("error ended"));
}

TEST(Process, ANewStoreIsToldOfAndItsFolderIsItsOwnersAlone) {
  const mode_t before = umask(0);
  TemporaryFolder scratch;
  const std::string data = scratch.path() + "/new/data";
  EXPECT_THAT(ServerProcess(data).Terminate().output, HasSubstr("made a new store"));
  umask(before);
  EXPECT_EQ(std::filesystem::status(data).permissions(), std::filesystem::perms::owner_all);
  EXPECT_THAT(ServerProcess(data).Terminate().output, testing::Not(HasSubstr("made a new store")));
}

TEST(Process, AFolderThatCannotBeWrittenIsRefusedByName) {
  // Permissions do not bind root, but nobody writes into /proc.
  std::string folder = "/proc";
  TemporaryFolder scratch;
  if (geteuid() != 0) {
    folder = scratch.path() + "/read-only";
    std::filesystem::create_directory(folder);
    chmod(folder.c_str(), 0555);
  }
  const EndedProcess ended = ServerProcess::Run({"--data", folder, "--listen", "127.0.0.1:0"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, HasSubstr(folder));
  const EndedProcess inside =
      ServerProcess::Run({"--data", folder + "/slipstream", "--listen", "127.0.0.1:0"});
  EXPECT_EQ(inside.exit_code, 1);
  EXPECT_THAT(inside.output, HasSubstr(folder + "/slipstream"));
}

TEST(Process, SigtermDrainsAndLeavesOneSoundFile) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  const EndedProcess ended = server.Terminate();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.output, HasSubstr("drained"));
  EXPECT_FALSE(std::filesystem::exists(data.path() + "/slipstream.db-wal"));
  EXPECT_EQ(ServerProcess::Run({"--data", data.path(), "--check"}).exit_code, 0);
}

// An upload whose end has not been sent: a call in progress for as long as a test needs.
class OpenUpload {
 public:
  explicit OpenUpload(Stub& stub, const std::string& parent = "")
      : writer_(stub.RegisterSourceTask(&context_, &response_)) {
    v1::RegisterSourceTaskRequest message;
    message.mutable_header()->set_parent(parent);
    const v1::Study study = ExampleStudy();
    *message.mutable_header()->mutable_source_task()->mutable_space() = study.space();
    *message.mutable_header()->mutable_source_task()->mutable_metrics() = study.metrics();
    EXPECT_TRUE(writer_->Write(message));
    Send(1);
    // The server takes the calls of one connection in order: it has the upload once
    // it has answered a later call.
    EXPECT_TRUE(Call(stub, &Stub::ListStudies, v1::ListStudiesRequest()).ok());
  }

  void Send(int layers) {
    v1::RegisterSourceTaskRequest message;
    *message.add_observations() = MeasuredObservation(ExampleConfiguration(0.01, layers), layers);
    EXPECT_TRUE(writer_->Write(message));
  }

  grpc::Status Finish() {
    writer_->WritesDone();
    return writer_->Finish();
  }

 private:
  grpc::ClientContext context_;
  v1::RegisterSourceTaskResponse response_;
  std::unique_ptr<grpc::ClientWriter<v1::RegisterSourceTaskRequest>> writer_;
};

v1::ListSourceTasksResponse SourceTasksIn(const std::string& data) {
  ServerProcess server(data);
  v1::ListSourceTasksResponse tasks;
  EXPECT_TRUE(
      Call(server.stub(), &Stub::ListSourceTasks, v1::ListSourceTasksRequest(), &tasks).ok());
  return tasks;
}

bool TakesCalls(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto stub = v1::OptimizationService::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  const grpc::Status status = Call(*stub, &Stub::ListStudies, v1::ListStudiesRequest());
  // gRPC drops calls that arrive while it closes, which the caller sees as cancelled.
  EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE ||
              status.error_code() == grpc::StatusCode::CANCELLED)
      << status.error_message();
  return status.ok();
}

// As sound pages that somebody else wrote.
TEST(Process, ACheckComparesSourceTasksWithTheirNames) {
  TemporaryFolder data;
  {
    ServerProcess server(data.path());
    for (const char* parent : {"", "projects/vision"}) {
      OpenUpload upload(server.stub(), parent);
      ASSERT_TRUE(upload.Finish().ok());
    }
    server.Terminate();
  }
  const auto check = [&] { return ServerProcess::Run({"--data", data.path(), "--check"}); };
  ASSERT_EQ(check().exit_code, 0) << check().output;
  {
    sqlite::ChecksumVfs vfs("");
    const auto file =
        sqlite::Connection::Open(data.path() + "/slipstream.db", SQLITE_OPEN_READWRITE, vfs.name());
    ASSERT_TRUE(file.ok()) << file.status();
    // A digit of the one observation's value.
    ASSERT_TRUE((*file)
                    ->Execute("UPDATE source_chunks SET data = CAST(substr(data, 1, length(data) -"
                              " 3) || x'01' || substr(data, -2) AS BLOB)")
                    .ok());
  }
  EXPECT_EQ(check().exit_code, 1);
  EXPECT_THAT(check().output, HasSubstr("has other observations than when it was registered"));
}

TEST(Process, SigtermLetsACallInProgressFinishAndTakesNoOther) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  OpenUpload upload(server.stub());
  ASSERT_TRUE(TakesCalls(server.address()));
  kill(server.pid(), SIGTERM);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (TakesCalls(server.address())) {
    ASSERT_LT(std::chrono::steady_clock::now(), patience) << "it goes on taking calls";
  }
  // Goes on for longer than the second that idle connections get to close.
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  int sent = 1;
  while (std::chrono::steady_clock::now() < end) {
    upload.Send(1 + sent++ % 8);
    EXPECT_FALSE(TakesCalls(server.address()));
  }
  const grpc::Status status = upload.Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(server.Terminate().exit_code, 0);
  const v1::ListSourceTasksResponse tasks = SourceTasksIn(data.path());
  ASSERT_EQ(tasks.source_tasks_size(), 1);
  EXPECT_EQ(tasks.source_tasks(0).observation_count(), sent);
}

TEST(Process, AnUploadThatOutlastsTheDrainingRegistersNothing) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--drain-seconds", "0.3"});
  OpenUpload upload(server.stub());
  EXPECT_EQ(server.Terminate().exit_code, 0);
  EXPECT_FALSE(upload.Finish().ok());
  EXPECT_EQ(SourceTasksIn(data.path()).source_tasks_size(), 0);
}

TEST(Process, TheLogOfAServerWithoutStandardStreamsGoesToNoOtherFile) {
  TemporaryFolder data;
  TemporaryFolder scratch;
  const std::string closed = scratch.path() + "/server";
  std::ofstream(closed) << "#!/bin/sh\nexec '" << BuildPath("bin/slipstream_server")
                        << "' --create \"$@\" <&- >&- 2>&-\n";
  chmod(closed.c_str(), 0700);
  const std::string audit = scratch.path() + "/audit";
  ServerProcess server(data.path(), {"--audit-log", audit}, closed);
  const grpc::Status made =
      Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s"));
  EXPECT_TRUE(made.ok()) << made.error_message();
  EXPECT_EQ(server.Terminate().exit_code, 0);
  for (const std::string& file : {audit, data.path() + "/slipstream.db.lock"}) {
    EXPECT_THAT(Bytes(file), testing::Not(HasSubstr(" info "))) << file;
  }
}

// A pipe that nobody reads from, in place of the file on a disk that hangs.
class FullPipe {
 public:
  explicit FullPipe(const std::string& path) {
    if (mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("cannot make " + path);
    end_ = open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  }
  ~FullPipe() { close(end_); }
  void FillUp() const {
    for (const size_t size : {size_t{4096}, size_t{1}}) {
      while (write(end_, std::string(size, '\n').data(), size) > 0) {
      }
    }
  }

 private:
  int end_;
};

TEST(Process, CallsThatDoNotEndDoNotKeepItFromEnding) {
  TemporaryFolder data;
  TemporaryFolder scratch;
  const std::string audit = scratch.path() + "/audit";
  const FullPipe pipe(audit);
  ServerProcess server(data.path(), {"--audit-log", audit, "--drain-seconds", "0.5"});
  pipe.FillUp();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(2));
  v1::Study study;
  EXPECT_EQ(server.stub()
                .CreateStudy(&context, CreateRequest(ExampleStudy(), "s"), &study)
                .error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  kill(server.pid(), SIGTERM);
  ASSERT_TRUE(server.EndsWithin(std::chrono::seconds(10)));
  const EndedProcess ended = server.Terminate();
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.output, HasSubstr("exits although some calls have not ended"));
  v1::GetStudyRequest request;
  request.set_name("studies/s");
  EXPECT_TRUE(Call(ServerProcess(data.path()).stub(), &Stub::GetStudy, request).ok());
}

TEST(Process, AHealthWatcherIsToldOfTheShutdownAndDoesNotDelayIt) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--drain-seconds", "60"});
  grpc::GenericStub stub(server.channel());
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  void* tag = nullptr;
  bool ok = false;
  const auto watch = stub.PrepareCall(&context, "/grpc.health.v1.Health/Watch", &queue);
  watch->StartCall(nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
  grpc::Slice everything;  // An empty HealthCheckRequest: the server as a whole.
  watch->WriteLast(grpc::ByteBuffer(&everything, 1), {}, nullptr);
  ASSERT_TRUE(queue.Next(&tag, &ok) && ok);
  const auto next = [&] {
    grpc::ByteBuffer message;
    watch->Read(&message, nullptr);
    std::vector<grpc::Slice> slices;
    if (!queue.Next(&tag, &ok) || !ok || !message.Dump(&slices).ok() || slices.empty()) {
      return std::string();
    }
    return std::string(slices[0].begin(), slices[0].end());
  };
  EXPECT_EQ(next(), std::string("\x08\x01", 2)) << "SERVING";
  const auto started = std::chrono::steady_clock::now();
  auto ended = std::async(std::launch::async, [&] { return server.Terminate(); });
  EXPECT_EQ(next(), std::string("\x08\x02", 2)) << "NOT_SERVING";
  EXPECT_EQ(ended.get().exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
}

TEST(Process, ABackupOfARunningServerServes) {
  TemporaryFolder data;
  TemporaryFolder copy;
  ServerProcess server(data.path());
  ASSERT_TRUE(Call(server.stub(), &Stub::CreateStudy, CreateRequest(ExampleStudy(), "s")).ok());
  const std::vector<std::string> flags = {"--data", data.path(), "--back-up-to",
                                          copy.path() + "/slipstream.db"};
  ASSERT_EQ(ServerProcess::Run(flags).exit_code, 0);
  EXPECT_EQ(ServerProcess::Run(flags).exit_code, 1) << "a file that exists is not overwritten";
  ServerProcess second(copy.path());
  v1::GetStudyRequest request;
  request.set_name("studies/s");
  EXPECT_TRUE(Call(second.stub(), &Stub::GetStudy, request).ok());
}

TEST(Process, HealthAndReflectionAnswer) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  std::string response;
  // HealthCheckRequest{service: "slipstream.v1.OptimizationService"}.
  const std::string service = "slipstream.v1.OptimizationService";
  const std::string request = "\n" + std::string(1, static_cast<char>(service.size())) + service;
  const std::string check = "/grpc.health.v1.Health/Check";
  const grpc::Status checked = CallWithBytes(server.channel(), check, request, &response);
  ASSERT_TRUE(checked.ok()) << checked.error_code() << ": " << checked.error_message();
  EXPECT_EQ(response, std::string("\x08\x01", 2)) << "SERVING";
  EXPECT_EQ(CallWithBytes(server.channel(), check, "\n\4none").error_code(),
            grpc::StatusCode::NOT_FOUND);
  // ServerReflectionRequest{list_services: ""}, as the only message of a stream.
  response.clear();
  ASSERT_TRUE(CallWithBytes(server.channel(),
                            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
                            std::string("\x3a\x00", 2), &response)
                  .ok());
  EXPECT_THAT(response, HasSubstr(service));
}

TEST(Process, AVariableWithASlipOfThePenIsRefusedAndThoseOfOthersAreNot) {
  const auto start = [](const char* variable) {
    setenv(variable, "x", 1);
    const EndedProcess ended = ServerProcess::Run({"--check", "--data", "/nonexistent"});
    unsetenv(variable);
    return ended;
  };
  const EndedProcess refused = start("SLIPSTREAM_TOKN_FILE");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.output, HasSubstr("SLIPSTREAM_TOKN_FILE is not a variable of the server; is "
                                        "SLIPSTREAM_TOKEN_FILE meant?"));
  for (const auto& [wrong, meant] : std::vector<std::pair<const char*, const char*>>{
           {"SLIPSTREAM_TOKENS", "SLIPSTREAM_TOKEN_FILE"},
           {"SLIPSTREAM_TLS_CERT", "SLIPSTREAM_TLS_CERTIFICATE"},
           {"SLIPSTREAM_QUOTAS", "SLIPSTREAM_QUOTA_FILE"},
           {"SLIPSTREAM_AUDIT_FILE", "SLIPSTREAM_AUDIT_LOG"},
           {"SLIPSTREAM_DATA_DIR", "SLIPSTREAM_DATA"}}) {
    EXPECT_THAT(start(wrong).output, HasSubstr(absl::StrCat("is ", meant, " meant?"))) << wrong;
  }
  for (const char* other : {"SLIPSTREAM_ADDRESS", "SLIPSTREAM_SERVICE_HOST", "SLIPSTREAM_CA",
                            "SLIPSTREAM_TOKEN", "SLIPSTREAM_METRICS_PORT_9464_TCP"}) {
    EXPECT_EQ(start(other).exit_code, 1) << other << ": there is no such store";
  }
}

TEST(Process, FlagsComeFromTheCommandLineTheEnvironmentAndAFile) {
  TemporaryFolder data;
  TemporaryFolder scratch;
  const std::string file = scratch.path() + "/flags";
  std::ofstream(file) << "data=\"" << data.path() << "\"\nlisten=\"nonsense\"\n";
  EndedProcess ended = ServerProcess::Run({"--flag-file", file});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("nonsense"));
  setenv("SLIPSTREAM_LISTEN", "elsewhere", 1);
  ended = ServerProcess::Run({"--data", data.path()});
  EXPECT_THAT(ended.output, HasSubstr("elsewhere"));
  ended = ServerProcess::Run({"--flag-file", file, "--listen", "commanded"});
  EXPECT_THAT(ended.output, HasSubstr("commanded"));
  ended = ServerProcess::Run({"--flag-file", file});
  EXPECT_THAT(ended.output, HasSubstr("elsewhere")) << "the environment comes before the file";
  unsetenv("SLIPSTREAM_LISTEN");
  setenv("SLIPSTREAM_FLAG_FILE", file.c_str(), 1);
  ended = ServerProcess::Run({});
  EXPECT_THAT(ended.output, HasSubstr("nonsense"));
  unsetenv("SLIPSTREAM_FLAG_FILE");
  setenv("SLIPSTREAM_AUDIT_READS", "false", 1);
  ended = ServerProcess::Run({"--data", data.path(), "--listen", "nonsense"});
  EXPECT_THAT(ended.output, HasSubstr("nonsense")) << "reads are not audited, so no log is needed";
  unsetenv("SLIPSTREAM_AUDIT_READS");
  // As from "--env SLIPSTREAM_TOKEN_FILE=$TOKENS" without TOKENS.
  for (const char* name : {"SLIPSTREAM_TOKEN_FILE", "SLIPSTREAM_DRAIN_SECONDS"}) {
    setenv(name, "", 1);
    ended = ServerProcess::Run({"--data", data.path(), "--listen", "nonsense"});
    EXPECT_EQ(ended.exit_code, 2) << name;
    EXPECT_THAT(ended.output, HasSubstr(absl::StrCat(name, " is empty"))) << name;
    unsetenv(name);
  }
  for (const char* wrong : {"lisen=\"127.0.0.1:0\"", "check=true", "[part]\nlisten=\"x\""}) {
    std::ofstream(file) << wrong << "\n";
    ended = ServerProcess::Run({"--flag-file", file});
    EXPECT_EQ(ended.exit_code, 2) << wrong;
    EXPECT_THAT(ended.output, HasSubstr(file)) << wrong;
    EXPECT_THAT(ended.output, HasSubstr("is not a flag for a file")) << wrong;
  }
  ended = ServerProcess::Run({"--flag-file", file + "-missing"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr(file + "-missing"));
  ended = ServerProcess::Run({"--no-such-flag"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("--no-such-flag"));
}

// Runs the server, which is to refuse its flags naming `flag`.
void ExpectRefusedFlags(const std::vector<std::string>& flags, const std::string& flag) {
  const EndedProcess ended = ServerProcess::Run(flags);
  EXPECT_EQ(ended.exit_code, 2) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(flag));
}

TEST(Process, AFlagWithoutItsValueTakesNoOtherFlagForIt) {
  TemporaryFolder data;
  TemporaryFolder scratch;
  const std::string tokens = scratch.path() + "/missing-tokens";
  const std::string file = scratch.path() + "/flags";
  const auto run = [&](std::vector<std::string> flags, const std::string& flag) {
    flags.insert(flags.end(), {"--data", data.path(), "--listen", "nonsense"});
    ExpectRefusedFlags(flags, flag);
  };
  for (const char* empty : {"audit-log=\"\"", "audit-log=", "create=\"\""}) {
    const std::string name = std::string(empty, std::string(empty).find('='));
    std::ofstream(file) << empty << "\ntoken-file=\"" << tokens << "\"\n";
    run({"--flag-file", file}, name + " needs one value");
    std::ofstream(file) << "token-file=\"" << tokens << "\"\n" << empty << "\n";
    run({"--flag-file", file, "--create"}, name + " needs one value");
  }
  run({"--audit-log=", "--token-file=" + tokens}, "--audit-log");
  run({"--audit-log", "", "--token-file=" + tokens}, "--audit-log");
  run({"--audit-log", "--token-file=" + tokens}, "--audit-log");
  run({"--flag-file=", "--token-file=" + tokens}, "--flag-file");
  run({"--create="}, "--create");
  std::ofstream(file) << "audit-log=\"--token-file=" << tokens << "\"\n";
  run({"--flag-file", file}, "--audit-log");
}

TEST(Process, AFlagThatIsGivenTwiceIsRefused) {
  TemporaryFolder data;
  const std::vector<std::string> rest = {"--data", data.path(), "--listen", "nonsense"};
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.end(), rest.begin(), rest.end());
    return ServerProcess::Run(flags);
  };
  const EndedProcess ended = run({"--data", "/elsewhere"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("--data: is given twice, and takes one value"));
  EXPECT_THAT(run({"--listen=elsewhere"}).output, HasSubstr("--listen: is given twice"));
  TemporaryFolder scratch;
  const std::string file = scratch.path() + "/flags";
  std::ofstream(file) << "drain-seconds=1\nlog-level=info\ndrain-seconds=2\n";
  EXPECT_THAT(run({"--flag-file", file}).output, HasSubstr(file + ": drain-seconds is set twice"));
  // A flag without a value says the same however often.
  EXPECT_THAT(run({"--create", "--create"}).output, HasSubstr("nonsense"));
}

TEST(Process, NumbersOfFlagsAreDecimal) {
  TemporaryFolder data;
  for (const auto& [flag, value] : std::vector<std::pair<std::string, std::string>>{
           {"--suggest-seconds", "nan"},
           {"--suggest-seconds", "-nan(1)"},
           {"--drain-seconds", "NAN"},
           {"--delete-completed-after-days", "nan"},
           {"--slow-call-seconds", "inf"},
           {"--drain-seconds", "0x1p3"},
           {"--compute-threads", "010"},
           {"--compute-threads", "0x10"}}) {
    ExpectRefusedFlags({flag, value, "--data", data.path(), "--listen", "nonsense"},
                       flag + ": " + value + " is not a decimal number");
  }
  EXPECT_THAT(ServerProcess::Run({"--compute-threads", "10", "--suggest-seconds", "0.5",
                                  "--slow-call-seconds", "1e1", "--drain-seconds", "0", "--data",
                                  data.path(), "--listen", "nonsense"})
                  .output,
              HasSubstr("nonsense"));
}

TEST(Process, AFlagFileThatIsAFolderIsRefused) {
  TemporaryFolder data;
  TemporaryFolder scratch;
  ExpectRefusedFlags({"--flag-file", scratch.path(), "--data", data.path(), "--listen", "nonsense"},
                     scratch.path());
  setenv("SLIPSTREAM_FLAG_FILE", scratch.path().c_str(), 1);
  ExpectRefusedFlags({"--data", data.path(), "--listen", "nonsense"}, scratch.path());
  unsetenv("SLIPSTREAM_FLAG_FILE");
}

TEST(Process, AConfigurationIsCheckedWithoutServingOrMakingAnything) {
  TemporaryFolder data;
  const auto files = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(data.path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  };
  const std::vector<std::string> sound = {
      "--check-config", "--data",      data.path(),           "--create",
      "--audit-log",    data.path() + "/audit.jsonl", "--listen", "127.0.0.1:0"};
  const EndedProcess made = ServerProcess::Run(sound);
  EXPECT_EQ(made.exit_code, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("sound"));
  EXPECT_THAT(files(), testing::IsEmpty());
  // The store may be in use.
  ServerProcess server(data.path());
  EXPECT_EQ(ServerProcess::Run({"--check-config", "--data", data.path()}).exit_code, 0);
}

TEST(Process, ACheckOfTheConfigurationTellsAllThatIsWrong) {
  TemporaryFolder data;
  const std::string missing = data.path() + "/missing";
  std::ofstream(data.path() + "/tokens") << "ann trainer\n";
  const EndedProcess files = ServerProcess::Run(
      {"--check-config", "--data", data.path(), "--tls-certificate", missing, "--tls-key", missing,
       "--backup-folder", missing, "--audit-log", missing + "/audit.jsonl"});
  EXPECT_EQ(files.exit_code, 2) << files.output;
  EXPECT_THAT(files.output, HasSubstr("there is no store at " + data.path()));
  EXPECT_THAT(files.output, HasSubstr("(--tls-certificate) cannot be used: No such file"));
  EXPECT_THAT(files.output, HasSubstr("--backup-folder " + missing));
  EXPECT_THAT(files.output, HasSubstr("--audit-log " + missing + "/audit.jsonl"));
  EXPECT_THAT(files.output, HasSubstr("mistakes found: 4"));
  const EndedProcess tokens =
      ServerProcess::Run({"--check-config", "--data", data.path(), "--create", "--token-file",
                          data.path() + "/tokens", "--metrics-address", "0.0.0.0"});
  EXPECT_EQ(tokens.exit_code, 2) << tokens.output;
  EXPECT_THAT(tokens.output, HasSubstr(data.path() + "/tokens"));
  EXPECT_THAT(tokens.output, HasSubstr("metrics-address is 0.0.0.0"));
  const EndedProcess addresses =
      ServerProcess::Run({"--check-config", "--data", data.path(), "--create", "--listen",
                          "127.0.0.1:7411", "--metrics-address", "127.0.0.1:7411"});
  EXPECT_EQ(addresses.exit_code, 2) << addresses.output;
  EXPECT_THAT(addresses.output, HasSubstr("an address other than that of --listen"));
}

TEST(Process, ACheckOfTheConfigurationEndsAsTheStartWould) {
  TemporaryFolder data;
  const std::string missing = data.path() + "/missing";
  std::ofstream(data.path() + "/tokens") << "ann trainer\n";
  const std::vector<std::vector<std::string>> mistakes = {
      {"--create", "--tls-certificate", missing, "--tls-key", missing, "--token-file",
       data.path() + "/tokens"},
      {"--create", "--token-file", data.path() + "/tokens", "--backup-folder", missing},
      {"--token-file", data.path() + "/tokens"},
      {"--create", "--token-file", missing},
      {"--create", "--quota-file", data.path()},
      {"--create", "--audit-log", missing + "/audit.jsonl"},
      {"--create", "--address-file", missing + "/address"}};
  const auto expect = [&](int code, std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--data", data.path(), "--listen", "127.0.0.1:0"});
    const EndedProcess start = ServerProcess::Run(flags);
    EXPECT_EQ(start.exit_code, code) << start.output;
    flags.push_back("--check-config");
    const EndedProcess check = ServerProcess::Run(flags);
    EXPECT_EQ(check.exit_code, code) << check.output;
  };
  expect(1, {});  // There is no store.
  for (const std::vector<std::string>& flags : mistakes) expect(2, flags);
}

TEST(Process, ACheckOfTheConfigurationLooksAtTheFilesBesideTheStore) {
  TemporaryFolder data;
  std::filesystem::create_directory(data.path() + "/slipstream.db.lock");
  const EndedProcess ended =
      ServerProcess::Run({"--check-config", "--data", data.path(), "--create"});
  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(data.path() + "/slipstream.db.lock: it is a folder"));
}

TEST(Process, ACheckOfTheConfigurationTellsOfADataFolderThatIsNotThere) {
  TemporaryFolder data;
  const std::string missing = data.path() + "/missing";
  const EndedProcess ended = ServerProcess::Run({"--check-config", "--data", missing});
  EXPECT_EQ(ended.exit_code, 1) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr(missing + " does not exist; --create makes it"));
}

TEST(Process, ACheckOfTheConfigurationTellsWhatIsNoFolderAndNoFile) {
  TemporaryFolder data;
  std::filesystem::create_directory(data.path() + "/slipstream.db");
  const EndedProcess store =
      ServerProcess::Run({"--check-config", "--data", data.path(), "--create"});
  EXPECT_EQ(store.exit_code, 1) << store.output;
  EXPECT_THAT(store.output, HasSubstr(data.path() + "/slipstream.db: it is not a regular file"));
  std::ofstream(data.path() + "/file") << "text\n";
  for (const char* const below : {"/file", "/file/below", "/file/far/below"}) {
    const EndedProcess folder =
        ServerProcess::Run({"--check-config", "--data", data.path() + below, "--create"});
    EXPECT_EQ(folder.exit_code, 1) << folder.output;
    EXPECT_THAT(folder.output, HasSubstr(data.path() + "/file: it is not a folder")) << below;
  }
}

TEST(Process, OneTaskIsDoneAtATime) {
  TemporaryFolder data;
  const std::string missing = data.path() + "/missing";
  const std::vector<std::vector<std::string>> tasks = {{"--check"},
                                                       {"--check-config"},
                                                       {"--back-up-to", missing},
                                                       {"--restore-from", missing},
                                                       {"--new-token", "ann:trainer:default"}};
  for (const std::vector<std::string>& one : tasks) {
    for (const std::vector<std::string>& other : tasks) {
      if (one == other) continue;
      std::vector<std::string> flags = {"--data", data.path()};
      flags.insert(flags.end(), one.begin(), one.end());
      flags.insert(flags.end(), other.begin(), other.end());
      ExpectRefusedFlags(flags, one[0]);
      ExpectRefusedFlags(flags, other[0]);
    }
  }
}

TEST(Process, HelpExplainsTheFlagsAndVersionIsOneLine) {
  const EndedProcess help = ServerProcess::Run({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  for (const char* flag : {"--listen", "--data", "--flag-file", "SLIPSTREAM_LISTEN", "Example"}) {
    EXPECT_THAT(help.output, HasSubstr(flag));
  }
  for (const absl::string_view line : absl::StrSplit(help.output, '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
  EXPECT_THAT(ServerProcess::Run({"--version"}).output,
              ::testing::StartsWith("slipstream_server "));
}

TEST(Process, PlaintextBeyondLoopbackHasToBeAskedFor) {
  TemporaryFolder data;
  const EndedProcess ended = ServerProcess::Run({"--data", data.path(), "--listen", "0.0.0.0:0"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.output, HasSubstr("--allow-plaintext"));
  EXPECT_THAT(ServerProcess::Run({"--data", data.path(), "--listen", "127.example.com:0"}).output,
              HasSubstr("--allow-plaintext"));
  EXPECT_TRUE(std::filesystem::is_empty(data.path())) << "nothing is created for a wrong address";
}

}  // namespace
}  // namespace slipstream
