// A fuzzer of every RPC's bytes: the input is a sequence of requests, each an RPC's number, a
// length of two bytes and what is sent. Built with libFuzzer, or with replay.cc to run a corpus.
#include <cstddef>
#include <cstdint>
#include <string>

#include "slipstream/v1/services.pb.h"
#include "tests/e2e/messages.h"
#include "tests/fuzz/service_calls.h"

namespace slipstream::fuzz {
namespace {

constexpr size_t kHead = 3;

// A study with some trials, which requests can be about from the beginning.
void Begin(ServiceCalls& calls) {
  CallOrDie(calls, Rpc::kCreateStudy, CreateRequest(ExampleStudy(), "a").SerializeAsString());
  CallOrDie(calls, Rpc::kSuggest, AskRequest("studies/a", "worker-0", 2).SerializeAsString());
  CallOrDie(calls, Rpc::kObserve,
            TellRequest("studies/a/trials/1", LossOutcome(1)).SerializeAsString());
}

}  // namespace
}  // namespace slipstream::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace slipstream::fuzz;
  using slipstream::kRpcCount;
  ServiceCalls calls;
  Begin(calls);
  while (size >= kHead) {
    const slipstream::Rpc rpc = slipstream::RpcTable()[data[0] % kRpcCount].rpc;
    size_t length = static_cast<size_t>(data[1]) | static_cast<size_t>(data[2]) << 8;
    data += kHead;
    size -= kHead;
    if (length > size) length = size;
    CallOrDie(calls, rpc, std::string(reinterpret_cast<const char*>(data), length));
    data += length;
    size -= length;
  }
  ReadEverything(calls);
  return 0;
}
