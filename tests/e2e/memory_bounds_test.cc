// Callers who begin more than they end: the server's memory stays below what it may take, and it
// serves others meanwhile.
#include <grpcpp/generic/generic_stub.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/grpc/memory_bound.h"
#include "tests/e2e/raw_connection.h"
#include "tests/e2e/requests.h"
#include "tests/e2e/server_process.h"
#include "tests/e2e/stalled_message.h"

namespace slipstream {
namespace {

constexpr char kCallMemory[] = "--call-memory-mib";
constexpr int64_t kCallMib = 256;
// AddressSanitizer takes a multiple for small objects.
constexpr int64_t kOverhead = kQuarantine > 0 ? 3 : 1;
constexpr char kCreateStudy[] = "/slipstream.v1.OptimizationService/CreateStudy";

// A server with little memory for calls, and what it has taken of it.
class MemoryBounds : public ::testing::Test {
 protected:
  MemoryBounds() : MemoryBounds({kCallMemory, std::to_string(kCallMib)}) {}
  explicit MemoryBounds(std::vector<std::string> flags)
      : server_(data_.path(), std::move(flags)) {
    ExpectServed();
    before_ = PeakMemory(server_.pid());
  }
  // Whether a caller of its own connection is answered soon. gRPC may end this call, too, while it
  // has too little memory.
  void ExpectServed() {
    const auto end = std::chrono::system_clock::now() + std::chrono::seconds(60);
    grpc::Status status;
    do {
      status = ListStudies(end);
    } while (status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
             std::chrono::system_clock::now() < end);
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  grpc::Status ListStudies(std::chrono::system_clock::time_point deadline) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    const auto stub = v1::OptimizationService::NewStub(grpc::CreateCustomChannel(
        server_.address(), grpc::InsecureChannelCredentials(), arguments));
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    context.set_deadline(deadline);
    v1::ListStudiesResponse response;
    return stub->ListStudies(&context, v1::ListStudiesRequest(), &response);
  }
  void ExpectGrowthBelow(int64_t bytes) {
    const int64_t growth = PeakMemory(server_.pid()) - before_;
    RecordProperty("mib", static_cast<int>(growth / kMiB));
    EXPECT_LT(growth, kOverhead * bytes + kQuarantine) << growth / kMiB << " MiB";
  }

  TemporaryFolder data_;
  ServerProcess server_;
  int64_t before_ = 0;
};

TEST_F(MemoryBounds, SixtyStalledMessagesOfFifteenMebibytes) {
  std::list<StalledMessage> messages;
  int64_t sent = 0;
  for (int i = 0; i < 60; ++i) {
    messages.emplace_back(server_.address(), kCreateStudy, 15 * kMiB);
    sent += messages.back().sent();
  }
  RecordProperty("sent_mib", static_cast<int>(sent / kMiB));
  EXPECT_GT(sent, 15 * kMiB) << "one of them could be sent";
  ExpectServed();
  // gRPC keeps to its quarter of the memory only roughly.
  ExpectGrowthBelow(kCallMib * kMiB * 3 / 2);
}

// Bytes of a study with a list of candidates that is about 3 MB.
std::string LargeStudy() {
  v1::CreateStudyRequest request;
  *request.mutable_study() = CandidateStudy(1);
  v1::SearchSpace* space = request.mutable_study()->mutable_space();
  space->mutable_parameters(0)->mutable_double_domain()->set_max(1e9);
  for (int i = 1; i < 8; ++i) {
    *space->add_parameters() = space->parameters(0);
    space->mutable_parameters(i)->set_name("x" + std::to_string(i));
  }
  space->mutable_candidates()->clear_configurations();
  for (int row = 0; row < 25'000; ++row) {
    auto& values = *space->mutable_candidates()->add_configurations()->mutable_values();
    for (const v1::Parameter& parameter : space->parameters()) {
      values[parameter.name()].set_double_value(row);
    }
  }
  return request.SerializeAsString();
}

// Whether a caller of its own connection can create the study.
bool IsAccepted(const std::string& address, const std::string& study) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return CallWithBytes(
             grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments),
             kCreateStudy, study)
      .ok();
}

// The same once the calls before it have given back what they held.
bool IsAcceptedSoon(const std::string& address, const std::string& study) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    if (IsAccepted(address, study)) return true;
  }
  return false;
}

TEST_F(MemoryBounds, FortyLargeStudiesAtOnce) {
  constexpr int kCalls = 40;
  struct OpenCall {
    grpc::ClientContext context;
    std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
    grpc::ByteBuffer answer;
    grpc::Status status;
  };
  const std::string study = LargeStudy();
  const grpc::Slice bytes(study);
  ASSERT_GT(bytes.size(), 3'000'000u);
  grpc::GenericStub stub(server_.channel());
  grpc::CompletionQueue queue;
  std::list<OpenCall> calls;
  for (int i = 0; i < kCalls; ++i) {
    OpenCall& call = calls.emplace_back();
    call.reader =
        stub.PrepareUnaryCall(&call.context, kCreateStudy, grpc::ByteBuffer(&bytes, 1), &queue);
    call.reader->StartCall();
    call.reader->Finish(&call.answer, &call.status, &call);
  }
  ExpectServed();
  void* tag = nullptr;
  bool ok = false;
  int accepted = 0;
  for (int i = 0; i < kCalls && queue.Next(&tag, &ok); ++i) {
    const grpc::Status& status = static_cast<OpenCall*>(tag)->status;
    accepted += status.ok() ? 1 : 0;
    if (status.ok()) continue;
    EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  }
  RecordProperty("accepted", accepted);
  EXPECT_LT(accepted, kCalls) << "not all of them fit";
  // gRPC ends any of the calls while it has too little memory; those that come later fit.
  EXPECT_TRUE(IsAcceptedSoon(server_.address(), study));
  // Beside what calls hold there is what is stored and cached of those that were accepted.
  ExpectGrowthBelow(kCallMib * kMiB * 2);
}

TEST_F(MemoryBounds, AnUploadWhoseCallerIsSilentIsEnded) {
  TemporaryFolder data;
  ServerProcess server(data.path(), {"--upload-idle-seconds", "0.2"});
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(1));
  v1::RegisterSourceTaskResponse response;
  const auto writer = server.stub().RegisterSourceTask(&context, &response);
  v1::RegisterSourceTaskRequest message;
  *message.mutable_header()->mutable_source_task()->mutable_space() = ExampleStudy().space();
  *message.mutable_header()->mutable_source_task()->mutable_metrics() = ExampleStudy().metrics();
  *message.add_observations() = MeasuredObservation(ExampleConfiguration(), 1);
  ASSERT_TRUE(writer->Write(message));
  const grpc::Status ended = writer->Finish();
  EXPECT_EQ(ended.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << ended.error_message();
  EXPECT_THAT(ended.error_message(), testing::HasSubstr("0.2 s, the limit that --upload-idle-sec"));
  v1::ListSourceTasksResponse sources;
  ASSERT_TRUE(Call(server.stub(), &v1::OptimizationService::Stub::ListSourceTasks,
                   v1::ListSourceTasksRequest(), &sources)
                  .ok());
  EXPECT_EQ(sources.source_tasks_size(), 0);
}

// They are closed once a ping is not answered, see impatient_server_test.cc.
TEST_F(MemoryBounds, HeadersThatNeverEnd) {
  constexpr int kHeaders = 1;
  constexpr int kContinuation = 9;
  constexpr int kFrames = 4096;  // 64 MiB of each connection.
  // An indexed field, ":method: GET" (RFC 7541, appendix A), again and again.
  const std::string fields(16384, '\x82');
  constexpr int kConnections = 20;
  std::list<RawConnection> connections;
  for (int i = 0; i < kConnections; ++i) {
    RawConnection& connection = connections.emplace_back(server_.address());
    connection.Begin();
    bool open = connection.Send(Frame(kHeaders, 0, 1, fields));
    for (int frame = 0; open && frame < kFrames / 20; ++frame) {
      open = connection.Send(Frame(kContinuation, 0, 1, fields));
    }
  }
  ExpectServed();
  ExpectGrowthBelow(kCallMib * kMiB);
}

// Small limits, and all ways to exceed them at once, beside callers who mean well.
class AllAtOnce : public MemoryBounds {
 protected:
  AllAtOnce()
      : MemoryBounds({kCallMemory, "64", "--fitted-source-mib", "16", "--max-connections", "200"}) {
    options_.call_memory_bytes = 64 * kMiB;
    options_.max_connections = 200;
    service_options_.fitted_source_bytes = 16 * kMiB;
  }

  std::unique_ptr<v1::OptimizationService::Stub> NewStub() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return v1::OptimizationService::NewStub(grpc::CreateCustomChannel(
        server_.address(), grpc::InsecureChannelCredentials(), arguments));
  }

  // Source tasks that are too many for their cache, and a study that is modelled from some results.
  // Calls may be refused.
  void MeanWell() {
    const auto stub = NewStub();
    for (int source = 0; source < 4; ++source) {
      v1::RegisterSourceTaskRequest::Header header;
      v1::SourceTask* task = header.mutable_source_task();
      *task->mutable_space() = ExampleStudy().space();
      *task->mutable_metrics() = ExampleStudy().metrics();
      v1::RegisterSourceTaskResponse response;
      (void)Register(*stub, header, Observations(1000, source), &response);
    }
    (void)Call(*stub, &Stub::CreateStudy, CreateRequest(ExampleStudy("gp_log_ei"), "modelled"));
    v1::AddTrialsRequest results;
    results.set_study("studies/modelled");
    for (v1::Observation& each : Observations(500, 0)) {
      *results.add_observations() = std::move(each);
    }
    (void)Call(*stub, &Stub::AddTrials, results);
    for (int i = 0; i < 5; ++i) {
      suggested_ +=
          Call(*stub, &Stub::Suggest, AskRequest("studies/modelled", std::to_string(i))).ok() ? 1
                                                                                            : 0;
    }
  }

  static std::vector<v1::Observation> Observations(int count, int seed) {
    std::vector<v1::Observation> observations;
    for (int i = 1; i <= count; ++i) {
      observations.push_back(MeasuredObservation(
          ExampleConfiguration(static_cast<double>(i) / count, 1 + i % 8), (i + seed) % 17));
    }
    return observations;
  }

  using Stub = v1::OptimizationService::Stub;
  ServerOptions options_;
  ServiceOptions service_options_;
  int suggested_ = 0;
};

// An upload that is begun and held, and a watch that is never read.
struct HeldCalls {
  explicit HeldCalls(std::unique_ptr<v1::OptimizationService::Stub> own) : stub(std::move(own)) {}
  ~HeldCalls() {
    upload_context.TryCancel();
    watch_context.TryCancel();
    if (upload != nullptr) (void)upload->Finish();
    if (watch != nullptr) (void)watch->Finish();
  }
  void Begin(const v1::RegisterSourceTaskRequest& first,
             const v1::RegisterSourceTaskRequest& more) {
    watch = stub->WatchStudies(&watch_context, v1::WatchStudiesRequest());
    upload = stub->RegisterSourceTask(&upload_context, &response);
    bool open = upload->Write(first);
    for (int i = 0; i < 10 && open; ++i) open = upload->Write(more);
  }

  std::unique_ptr<v1::OptimizationService::Stub> stub;
  grpc::ClientContext upload_context;
  grpc::ClientContext watch_context;
  v1::RegisterSourceTaskResponse response;
  std::unique_ptr<grpc::ClientWriter<v1::RegisterSourceTaskRequest>> upload;
  std::unique_ptr<grpc::ClientReader<v1::WatchResponse>> watch;
};

TEST_F(AllAtOnce, TheMemoryIsAtMostTheSumOfItsParts) {
  std::thread well([this] { MeanWell(); });
  std::list<StalledMessage> messages;
  for (int i = 0; i < 15; ++i) messages.emplace_back(server_.address(), kCreateStudy, 15 * kMiB);
  v1::RegisterSourceTaskRequest first;
  *first.mutable_header()->mutable_source_task()->mutable_space() = ExampleStudy().space();
  *first.mutable_header()->mutable_source_task()->mutable_metrics() = ExampleStudy().metrics();
  v1::RegisterSourceTaskRequest more;
  for (v1::Observation& each : Observations(8000, 0)) *more.add_observations() = std::move(each);
  std::list<HeldCalls> held;
  for (int i = 0; i < 10; ++i) held.emplace_back(NewStub()).Begin(first, more);
  const std::string fields(16384, '\x82');
  std::list<RawConnection> endless;
  for (int i = 0; i < 10; ++i) {
    RawConnection& connection = endless.emplace_back(server_.address());
    connection.Begin();
    bool open = connection.Send(Frame(/*HEADERS*/ 1, 0, 1, fields));
    for (int frame = 0; frame < 200 && open; ++frame) {
      open = connection.Send(Frame(/*CONTINUATION*/ 9, 0, 1, fields));
    }
  }
  const std::string study = LargeStudy();
  for (int i = 0; i < 20; ++i) (void)IsAccepted(server_.address(), study);
  well.join();
  ExpectServed();
  const int64_t peak = PeakMemory(server_.pid());
  RecordProperty("mib", static_cast<int>(peak / kMiB));
  RecordProperty("suggested", suggested_);
  EXPECT_LT(peak, kOverhead * MostResidentBytes(options_, service_options_) + kQuarantine)
      << peak / kMiB << " MiB";
  EXPECT_GT(peak, before_ + 32 * kMiB) << "the attacks took memory";
}

}  // namespace
}  // namespace slipstream
