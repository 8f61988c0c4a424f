// Callers who mean harm, or whose programs are broken: the server stays there for the
// others, and its memory bounded.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <future>
#include <list>
#include <optional>
#include <string>
#include <thread>

#include "server/grpc/server.h"
#include "tests/e2e/raw_connection.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"

namespace slipstream {
namespace {

using ::testing::HasSubstr;
using Stub = v1::OptimizationService::Stub;

constexpr char kListStudies[] = "/slipstream.v1.OptimizationService/ListStudies";

bool IsAnswered(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const auto stub = v1::OptimizationService::NewStub(
      grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
  v1::ListStudiesResponse response;
  return stub->ListStudies(&context, v1::ListStudiesRequest(), &response).ok();
}

// Lowers the soft limit of descriptors, which processes inherit, until it goes.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t limit) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = limit;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

// Has servers that are started meanwhile keep less freed memory, where AddressSanitizer would keep
// it: of small objects, as calls are made of, it takes more than twice as much as it counts.
class LittleQuarantine {
 public:
  LittleQuarantine() {
    const std::string more = options_.empty() ? "" : ":";
    setenv(kName, (options_ + more + "quarantine_size_mb=64").c_str(), /*overwrite=*/1);
  }
  ~LittleQuarantine() { setenv(kName, options_.c_str(), /*overwrite=*/1); }

 private:
  static constexpr char kName[] = "ASAN_OPTIONS";
  const std::string options_ = std::getenv(kName) == nullptr ? "" : std::getenv(kName);
};

void OpenAndClose(const std::string& address, int count) {
  std::list<RawConnection> connections;
  for (int i = 0; i < count; ++i) connections.emplace_back(address);
  // The server has them all once the last one has been closed or greeted.
  connections.back().Begin();
  connections.back().IsClosedWithin(std::chrono::milliseconds(500));
}

TEST(HostileCallers, MoreConnectionsThanDescriptorsByDefault) {
  TemporaryFolder data;
  std::optional<ServerProcess> server;
  {
    const FewDescriptors few(1024);
    server.emplace(data.path());
  }
  OpenAndClose(server->address(), 1100);
  EXPECT_TRUE(IsAnswered(server->address()));
}

TEST(HostileCallers, ConnectionsBeyondTheLimitAreClosedAndLaterOnesServed) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--max-connections", "50"});
  {
    std::list<RawConnection> connections;
    for (int i = 0; i < 80; ++i) connections.emplace_back(server.address());
    int closed = 0;
    for (RawConnection& connection : connections) {
      connection.Begin();
      closed += connection.IsClosedWithin(std::chrono::milliseconds(20)) ? 1 : 0;
    }
    EXPECT_GE(closed, 29);
    EXPECT_LE(closed, 31);
  }
  EXPECT_TRUE(IsAnswered(server.address()));
  EXPECT_THAT(server.Terminate().output, HasSubstr("--max-connections"));
}

TEST(HostileCallers, HalfOpenAndSlowConnectionsKeepNobodyOut) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  ASSERT_TRUE(IsAnswered(server.address()));
  const int64_t before = PeakMemory(server.pid());
  std::list<RawConnection> half_open;
  for (int i = 0; i < 500; ++i) {
    half_open.emplace_back(server.address());
    ASSERT_TRUE(half_open.back().Send("PRI * HTTP/2.0\r\n"));
  }
  RawConnection slow(server.address());
  ASSERT_TRUE(slow.Begin());
  constexpr int kData = 0;
  constexpr int kEndStream = 1;
  const std::string no_message(5, '\0');  // An empty one, with its length.
  const std::string call = HeadersFrame(1, kListStudies) + Frame(kData, kEndStream, 1, no_message);
  for (const char byte : call) ASSERT_TRUE(slow.Send(std::string(1, byte)));
  EXPECT_TRUE(IsAnswered(server.address()));
  std::string answer;
  while (answer.find("grpc-status") == std::string::npos) {
    const std::string more = slow.Receive(std::chrono::seconds(20));
    ASSERT_FALSE(more.empty()) << "the slow caller is not answered";
    answer += more;
  }
  EXPECT_LT(PeakMemory(server.pid()) - before, 100 * kMiB + kQuarantine);
}

// The bytes that the server sends until `end` is among them, which is waited for.
std::string ReceiveUntil(RawConnection& connection, const std::string& end) {
  std::string received;
  while (received.find(end) == std::string::npos) {
    const std::string more = connection.Receive(std::chrono::seconds(20));
    if (more.empty()) {
      ADD_FAILURE() << "the caller is not answered";
      return received;
    }
    received += more;
  }
  return received;
}

// Acknowledges the server's settings once they are there: gRPC holds a caller to them from then on.
void Acknowledge(RawConnection& connection) {
  ASSERT_FALSE(connection.Receive(std::chrono::seconds(20)).empty());
  ASSERT_TRUE(connection.Send(Frame(/*type=*/4, /*flags=*/1, 0, "")));
}

TEST(HostileCallers, TooMuchMetadataIsRefusedAndTheServerLivesOn) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  const std::string no_message(5, '\0');
  const std::string end = Frame(/*type=*/0, /*flags=*/1, 1, no_message);
  RawConnection modest(server.address());
  ASSERT_TRUE(modest.Begin());
  Acknowledge(modest);
  ASSERT_TRUE(modest.Send(LargeHeaders(1, kListStudies, 12 << 10) + end));
  EXPECT_THAT(ReceiveUntil(modest, "grpc-status"), HasSubstr(std::string("grpc-status\x01" "0")));
  RawConnection greedy(server.address());
  ASSERT_TRUE(greedy.Begin());
  Acknowledge(greedy);
  ASSERT_TRUE(greedy.Send(LargeHeaders(1, kListStudies, 20 << 10) + end));
  EXPECT_THAT(ReceiveUntil(greedy, "grpc-status"), HasSubstr(std::string("grpc-status\x01" "8")))
      << "RESOURCE_EXHAUSTED";
  EXPECT_TRUE(IsAnswered(server.address()));
}

// A message of zeros that is compressed to a thousandth.
TEST(HostileCallers, CompressedMessagesAreRefusedAndNotDecompressed) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  ASSERT_TRUE(IsAnswered(server.address()));
  const int64_t before = PeakMemory(server.pid());
  v1::CreateStudyRequest request;
  request.set_study_id(std::string(160 * kMiB, '0'));
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  v1::Study response;
  const grpc::Status refused = server.stub().CreateStudy(&context, request, &response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::UNIMPLEMENTED) << refused.error_message();
  EXPECT_THAT(refused.error_message(), HasSubstr("gzip"));
  EXPECT_LT(PeakMemory(server.pid()) - before, 100 * kMiB + kQuarantine);
  EXPECT_TRUE(IsAnswered(server.address()));
}

// An upload of `count` observations of `width` parameters that is not ended.
class HeldUpload {
 public:
  HeldUpload(Stub& stub, int count, int width)
      : writer_(stub.RegisterSourceTask(&context_, &response_)) {
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
    v1::RegisterSourceTaskRequest message;
    v1::SourceTask* task = message.mutable_header()->mutable_source_task();
    *task->mutable_metrics() = ExampleStudy().metrics();
    v1::Observation observation;
    for (int i = 0; i < width; ++i) {
      const std::string name = "x" + std::to_string(i);
      v1::Parameter* parameter = task->mutable_space()->add_parameters();
      parameter->set_name(name);
      parameter->mutable_double_domain()->set_min(0);
      parameter->mutable_double_domain()->set_max(1);
      (*observation.mutable_configuration()->mutable_values())[name].set_double_value(0.5);
    }
    observation = MeasuredObservation(observation.configuration(), 1);
    for (int sent = 0; open_ && sent < count; sent += 100) {
      for (int i = 0; i < 100; ++i) *message.add_observations() = observation;
      open_ = writer_->Write(message);
      message.Clear();
    }
  }
  // Once the server has taken or refused what was sent.
  bool open() const { return open_; }
  grpc::Status Finish() { return writer_->Finish(); }
  void Cancel() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  v1::RegisterSourceTaskResponse response_;
  std::unique_ptr<grpc::ClientWriter<v1::RegisterSourceTaskRequest>> writer_;
  bool open_ = true;
};

TEST(HostileCallers, HeldUploadsAreRefusedBeyondTheBudget) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--call-memory-mib", "64"});
  std::list<HeldUpload> uploads;
  grpc::Status refused;
  // Each holds some 8 MiB of 48.
  for (int i = 0; i < 16; ++i) {
    uploads.emplace_back(server.stub(), 5000, 100);
    if (uploads.back().open()) continue;
    refused = uploads.back().Finish();
    break;
  }
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("--call-memory-mib"));
  EXPECT_TRUE(IsAnswered(server.address()));
  for (HeldUpload& each : uploads) each.Cancel();
  // What they held can be had again.
  while (!HeldUpload(server.stub(), 5000, 100).open()) std::this_thread::yield();
}

// A call of reflection that is begun, asks one question, and is held.
class HeldReflection : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit HeldReflection(grpc::GenericStub* stub) {
    const grpc::Slice list_services("\x3a\0", 2);  // ServerReflectionRequest{list_services: ""}.
    question_ = grpc::ByteBuffer(&list_services, 1);
    stub->PrepareBidiStreamingCall(
        &context_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", {}, this);
    StartWrite(&question_);
    StartRead(&answer_);
    StartCall();
  }
  ~HeldReflection() override {
    context_.TryCancel();
    ended_.get_future().wait();
  }
  // Returns when it has been answered or refused; whether it has been answered.
  bool IsAnswered() { return answered_.get_future().get(); }

 private:
  void OnReadDone(bool alive) override { answered_.set_value(alive); }
  void OnDone(const grpc::Status&) override { ended_.set_value(); }

  grpc::ClientContext context_;
  grpc::ByteBuffer question_;
  grpc::ByteBuffer answer_;
  std::promise<bool> answered_;
  std::promise<void> ended_;
};

TEST(HostileCallers, CallsOfReflectionThatAreHeldTakeFewThreads) {
  TemporaryFolder data;
  ServerProcess server(data.path());
  grpc::GenericStub stub(server.channel());
  std::list<HeldReflection> held;
  for (int i = 0; i < 100; ++i) held.emplace_back(&stub);
  const auto answered = std::count_if(held.begin(), held.end(),
                                      [](HeldReflection& each) { return each.IsAnswered(); });
  EXPECT_GE(answered, 1);
  EXPECT_LE(answered, ServerOptions().max_reflections) << "each takes a thread";
  EXPECT_TRUE(IsAnswered(server.address()));
}

TEST(HostileCallers, RapidResetsAreClosedAndTakeLittleMemory) {
  const LittleQuarantine quarantine;
  TemporaryFolder data;
  ServerProcess server(data.path());
  ASSERT_TRUE(IsAnswered(server.address()));
  const int64_t before = PeakMemory(server.pid());
  RawConnection connection(server.address());
  ASSERT_TRUE(connection.Begin());
  bool open = true;
  for (uint32_t stream = 1; open && stream < 2'500'000; stream += 200) {
    std::string frames;
    for (uint32_t i = stream; i < stream + 200; i += 2) {
      frames += HeadersFrame(i, kListStudies) + ResetFrame(i);
    }
    open = connection.Send(frames);
  }
  EXPECT_FALSE(open) << "it is closed";
  EXPECT_TRUE(IsAnswered(server.address()));
  RecordProperty("mib", static_cast<int>((PeakMemory(server.pid()) - before) / kMiB));
  EXPECT_LT(PeakMemory(server.pid()) - before, 300 * kMiB + kQuarantine);
}

}  // namespace
}  // namespace slipstream
