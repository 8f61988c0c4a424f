// A fuzzer of sequences of calls: the input's bytes are the choices from which requests are made,
// legal ones and ones with something wrong. Built with libFuzzer, or with replay.cc to run a
// corpus.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/dice.h"
#include "tests/fuzz/request_maker.h"
#include "tests/fuzz/service_calls.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace slipstream::fuzz;
  constexpr int kMostCalls = 60;
  ServiceCalls calls;
  RequestMaker maker;
  ByteDice dice(data, size);
  for (int i = 0; i < kMostCalls && !dice.empty(); ++i) {
    const MadeRequest request = maker.Any(dice);
    maker.Learn(request, CallOrDie(calls, request.rpc, request.bytes));
  }
  ReadEverything(calls);
  return 0;
}
