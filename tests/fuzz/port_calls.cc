#include "tests/fuzz/port_calls.h"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/access/rpc_table.h"
#include "tests/e2e/raw_connection.h"
#include "tests/e2e/server_process.h"
#include "tests/fuzz/dice.h"
#include "tests/fuzz/request_maker.h"

namespace slipstream::fuzz {
namespace {

constexpr std::chrono::seconds kPatience(60);
constexpr std::chrono::milliseconds kWatchTime(20);
constexpr size_t kMostFailures = 20;
constexpr uint32_t kRequestsPerGarbled = 16;
constexpr int64_t kRequestsPerSample = 500;
constexpr int64_t kSpans = 10;

// Changes or cuts off some of the bytes.
void Garble(std::string* bytes, Dice& dice) {
  if (bytes->empty()) return;
  const auto size = static_cast<uint32_t>(bytes->size());
  if (dice.OneIn(3)) return bytes->resize(dice.Below(size));
  for (uint32_t i = 0; i < 1 + dice.Below(4); ++i) {
    (*bytes)[dice.Below(size)] = static_cast<char>(dice.Below(256));
  }
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

// A call that waits for its answer.
struct OpenCall {
  MadeRequest request;
  grpc::ClientContext context;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
  grpc::ByteBuffer response;
  grpc::Status status;
};

// A watch goes on until its deadline.
bool IsExpected(const OpenCall& call) {
  switch (call.status.error_code()) {
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::DATA_LOSS:
    case grpc::StatusCode::UNIMPLEMENTED:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::CANCELLED:
      return false;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return EntryOf(call.request.rpc).lasts;
    default:
      return true;
  }
}

bool FoundNothingToDelete(const OpenCall& call) {
  const Rpc rpc = call.request.rpc;
  return call.status.error_code() == grpc::StatusCode::NOT_FOUND &&
         (rpc == Rpc::kDeleteStudy || rpc == Rpc::kDeleteSourceTask);
}

struct MemorySample {
  int64_t resident_bytes = 0;
  int64_t cached_bytes = 0;
};

MemorySpan SpanOf(const std::vector<MemorySample>& samples) {
  if (samples.empty()) return {};
  std::vector<int64_t> others;
  std::vector<int64_t> cached;
  for (const MemorySample& sample : samples) {
    others.push_back(sample.resident_bytes - sample.cached_bytes);
    cached.push_back(sample.cached_bytes);
  }
  std::sort(others.begin(), others.end());
  std::sort(cached.begin(), cached.end());
  return {others[others.size() / 2], others.back(), cached[cached.size() / 2]};
}

int64_t CachedBytesIn(const std::string& server_status) {
  v1::ServerStatus status;
  if (!status.ParseFromString(server_status)) return 0;
  int64_t bytes = 0;
  for (const v1::ServerStatus::Cache& cache : status.caches()) bytes += cache.bytes();
  return bytes;
}

int64_t GrowthOf(const std::vector<MemorySpan>& spans, int64_t MemorySpan::*bytes) {
  if (spans.empty() || spans.front().most_bytes == 0) return 0;
  int64_t growth = 0;
  for (const MemorySpan& span : spans) {
    growth = std::max(growth, span.*bytes - spans.front().*bytes);
  }
  return growth;
}

class PortCaller {
 public:
  explicit PortCaller(const PortSettings& settings)
      : settings_(settings),
        data_(settings.folder),
        server_(data_.path(), {"--log-level", "error", "--fitted-source-mib", "64"}),
        stub_(server_.channel()),
        dice_(settings.seed) {}

  PortReport Run() {
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(static_cast<int64_t>(1e3 * settings_.seconds));
    int open = 0;
    while (open < std::min<int64_t>(settings_.at_once, settings_.requests)) open += Begin();
    while (open > 0) {
      open -= End();
      const bool goes_on = report_.failures.empty() && begun_ < settings_.requests &&
                           std::chrono::steady_clock::now() < end;
      if (goes_on) open += Begin();
    }
    if (report_.failures.empty() && report_.requests < settings_.requests) {
      Fail(absl::StrCat("only ", report_.requests, " of ", settings_.requests, " requests in ",
                        settings_.seconds, " s"));
    }
    for (const auto& samples : samples_) report_.memory.push_back(SpanOf(samples));
    report_.log_bytes = static_cast<int64_t>(server_.Output().size());
    if (server_.EndsWithin(std::chrono::microseconds(0))) Fail("it ended: " + server_.Output());
    if (server_.Terminate().exit_code != 0) Fail("it did not end well: " + server_.Output());
    return report_;
  }

 private:
  int Begin() {
    auto call = std::make_unique<OpenCall>();
    call->request = maker_.Any(dice_);
    if (dice_.OneIn(kRequestsPerGarbled)) Garble(&call->request.bytes, dice_);
    const RpcEntry& entry = EntryOf(call->request.rpc);
    const std::chrono::milliseconds patience = entry.lasts ? kWatchTime : kPatience;
    call->context.set_deadline(std::chrono::system_clock::now() + patience);
    const grpc::Slice slice(call->request.bytes);
    call->reader = stub_.PrepareUnaryCall(
        &call->context, absl::StrCat("/slipstream.v1.OptimizationService/", entry.name),
        grpc::ByteBuffer(&slice, 1), &queue_);
    call->reader->StartCall();
    OpenCall* const tag = call.release();
    tag->reader->Finish(&tag->response, &tag->status, tag);
    ++begun_;
    return 1;
  }

  int End() {
    void* tag = nullptr;
    bool ok = false;
    queue_.Next(&tag, &ok);
    const std::unique_ptr<OpenCall> call(static_cast<OpenCall*>(tag));
    const absl::string_view rpc = EntryOf(call->request.rpc).name;
    ++report_.requests;
    ++report_.by_rpc[std::string(rpc)];
    ++report_.by_code[call->status.error_code()];
    const bool is_ok = call->status.ok();
    const std::string answer = is_ok ? BytesOf(call->response) : std::string();
    if (is_ok && call->request.rpc == Rpc::kGetServerStatus) cached_bytes_ = CachedBytesIn(answer);
    if (is_ok || FoundNothingToDelete(*call)) maker_.Learn(call->request, answer);
    if (!IsExpected(*call)) {
      Fail(absl::StrCat(rpc, ": ", call->status.error_code(), " ", call->status.error_message()));
    }
    if (report_.requests % kRequestsPerSample == 0) Sample();
    return 1;
  }

  void Sample() {
    const auto span = static_cast<size_t>((report_.requests - 1) * kSpans / settings_.requests);
    samples_.resize(std::max(samples_.size(), span + 1));
    samples_[span].push_back({ResidentMemory(server_.pid()), cached_bytes_});
  }

  void Fail(std::string text) {
    if (report_.failures.size() < kMostFailures) report_.failures.push_back(std::move(text));
  }

  const PortSettings settings_;
  TemporaryFolder data_;
  ServerProcess server_;
  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  RandomDice dice_;
  RequestMaker maker_;
  int64_t begun_ = 0;
  int64_t cached_bytes_ = 0;                        // As the server last told.
  std::vector<std::vector<MemorySample>> samples_;  // By tenths.
  PortReport report_;
};

}  // namespace

int64_t PortReport::Growth() const { return GrowthOf(memory, &MemorySpan::median_bytes); }

int64_t PortReport::PeakGrowth() const { return GrowthOf(memory, &MemorySpan::most_bytes); }

std::string PortReport::Text() const {
  std::string text = absl::StrCat(requests, " requests; ", log_bytes,
                                  " bytes logged\n  resident MiB but for caches, by tenths, median "
                                  "(most)");
  for (const MemorySpan& span : memory) {
    absl::StrAppend(&text, " ", span.median_bytes >> 20, " (", span.most_bytes >> 20, ")");
  }
  absl::StrAppend(&text, "\n  MiB in caches by tenths, median");
  for (const MemorySpan& span : memory) {
    absl::StrAppend(&text, " ", span.median_cached_bytes >> 20);
  }
  absl::StrAppend(&text, "\n  by code");
  for (const auto& [code, count] : by_code) absl::StrAppend(&text, " ", code, ": ", count);
  absl::StrAppend(&text, "\n ");
  for (const auto& [rpc, count] : by_rpc) absl::StrAppend(&text, " ", rpc, " ", count);
  return text;
}

PortReport CallPort(const PortSettings& settings) { return PortCaller(settings).Run(); }

}  // namespace slipstream::fuzz
