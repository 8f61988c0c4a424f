// Calls whose answers a kill of the server may lose. A lost one is asked for again from the next
// server, under the same request id; answers that were given are remembered, and later their
// calls are repeated, which must give the same answers.
//
// Not thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_KILLS_RETRIED_CALLS_H_
#define SLIPSTREAM_TESTS_E2E_KILLS_RETRIED_CALLS_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "slipstream/v1/services.grpc.pb.h"
#include "tests/e2e/requests.h"

namespace slipstream::kills {

struct CallCounts {
  std::map<std::string, int64_t> answered;  // By RPC.
  int64_t lost = 0;
  int64_t repeated = 0;

  void Add(const CallCounts& other);
  int64_t all() const;
};

class RetriedCalls {
 public:
  using Stub = v1::OptimizationService::Stub;
  template <typename Request, typename Response>
  using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);

  // Has the answer that was lost given, if one was; false if it is lost again.
  bool Settle(Stub& stub);

  // Makes a call under this request id and calls `take` with the answer. False if it is lost: it
  // then waits for Settle, and so must all other calls.
  template <typename Request, typename Response, typename Take>
  bool Change(Stub& stub, const char* rpc, Method<Request, Response> method, Request request,
              std::string request_id, Take take);
  // The same for calls without a request id, of which repeats change nothing.
  template <typename Request, typename Response, typename Take>
  bool Call(Stub& stub, const char* rpc, Method<Request, Response> method, const Request& request,
            Take take);
  // The same for calls of many messages, which `send` makes each time under the same request id.
  template <typename Response, typename Take>
  bool Upload(Stub& stub, const char* rpc, std::function<grpc::Status(Stub&, Response*)> send,
              Take take);

  // Repeats the last call and some of those before it.
  void RepeatSome(Stub& stub, std::mt19937& random);

  const CallCounts& counts() const { return counts_; }
  // What should never happen, in words; the first few.
  const std::vector<std::string>& failures() const { return failures_; }
  void Fail(std::string text);

 private:
  using Attempt = std::function<bool(Stub&)>;
  using Repeat = std::function<void(Stub&)>;

  bool Make(Stub& stub, Attempt attempt);
  // Whether there is an answer, which may be a refusal.
  bool IsAnswered(const char* rpc, const grpc::Status& status);
  void Remember(Repeat repeat);
  // Fails unless a repeat was answered as the call was.
  template <typename Response>
  void Expect(const char* rpc, const grpc::Status& status, const Response& repeat,
              const Response& first);

  Attempt lost_;
  std::deque<Repeat> answered_;
  CallCounts counts_;
  std::vector<std::string> failures_;
};

template <typename Request, typename Response, typename Take>
bool RetriedCalls::Change(Stub& stub, const char* rpc, Method<Request, Response> method,
                          Request request, std::string request_id, Take take) {
  request.set_request_id(std::move(request_id));
  return Call(stub, rpc, method, request, [=, this](const Response& first) {
    take(first);
    Remember([=, this](Stub& again) {
      Response repeat;
      Expect(rpc, slipstream::Call(again, method, request, &repeat), repeat, first);
    });
  });
}

template <typename Request, typename Response, typename Take>
bool RetriedCalls::Call(Stub& stub, const char* rpc, Method<Request, Response> method,
                        const Request& request, Take take) {
  return Make(stub, [=, this](Stub& server) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    Response response;
    const grpc::Status status = (server.*method)(&context, request, &response);
    if (!IsAnswered(rpc, status)) return false;
    if (status.ok()) take(response);
    return true;
  });
}

template <typename Response, typename Take>
bool RetriedCalls::Upload(Stub& stub, const char* rpc,
                          std::function<grpc::Status(Stub&, Response*)> send, Take take) {
  return Make(stub, [=, this](Stub& server) {
    Response first;
    const grpc::Status status = send(server, &first);
    if (!IsAnswered(rpc, status)) return false;
    if (!status.ok()) return true;
    take(first);
    Remember([=, this](Stub& again) {
      Response repeat;
      Expect(rpc, send(again, &repeat), repeat, first);
    });
    return true;
  });
}

template <typename Response>
void RetriedCalls::Expect(const char* rpc, const grpc::Status& status, const Response& repeat,
                          const Response& first) {
  ++counts_.repeated;
  // The answer to Observe is the trial, which goes with its study.
  const bool gone = status.error_code() == grpc::StatusCode::NOT_FOUND;
  if (gone && rpc == std::string("Observe")) return;
  if (status.ok() && repeat.DebugString() == first.DebugString()) return;
  Fail(absl::StrCat("a repeated ", rpc, " got\n", status.error_message(), repeat.DebugString(),
                    "instead of\n", first.DebugString()));
}

}  // namespace slipstream::kills

#endif  // SLIPSTREAM_TESTS_E2E_KILLS_RETRIED_CALLS_H_
