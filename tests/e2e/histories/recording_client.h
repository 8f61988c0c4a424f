// A client that makes random calls on studies and writes down what it saw. An answer
// that is lost, as the server was killed or the client did not wait long enough, is
// asked for again under the same request id, or given up.
//
// Not thread-safe: each client has a thread of its own.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_RECORDING_CLIENT_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_RECORDING_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/e2e/histories/call.h"
#include "tests/e2e/histories/crashing_server.h"
#include "tests/e2e/histories/recorded_call.h"

namespace slipstream::histories {

// What calls went through.
struct CallCounts {
  int64_t calls = 0;
  int64_t refused = 0;
  int64_t lost = 0;     // Attempts without an answer.
  int64_t retries = 0;  // Repeats of these.
  int64_t given_up = 0;
  int64_t late = 0;  // Outcomes of trials that clients knew to be STALE.

  void Add(const CallCounts& other);
};

class RecordingClient {
 public:
  // `server` must outlive the client. Clients of one worker share its trials.
  RecordingClient(CrashingServer* server, int client, std::string worker, unsigned seed);

  // One random call on "studies/...".
  void CallOnce(const std::string& study);
  // Reads all trials of the study until there is an answer.
  void ReadAll(const std::string& study);

  const std::map<std::string, std::vector<Call>>& calls() const { return calls_; }
  const CallCounts& counts() const { return counts_; }
  // Statuses that no call should ever get.
  const std::vector<std::string>& failures() const { return failures_; }

 private:
  using Stub = CrashingServer::Stub;
  // What the client knows of a study.
  struct Known {
    std::vector<int64_t> mine;  // Trials that its worker once got, latest last.
    std::map<int64_t, State> states;
  };

  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  int64_t AnyTrial(const Known& known);
  int64_t MyTrial(const Known& known);

  void Suggest(const std::string& study);
  void Observe(const std::string& study, const Known& known);
  void Heartbeat(const std::string& study, const Known& known);
  void Release(const std::string& study, const Known& known);
  void Report(const std::string& study, const Known& known);
  void Update(const std::string& study, const Known& known);
  void Add(const std::string& study);
  void Get(const std::string& study, const Known& known);

  template <typename Request, typename Response>
  using Method = grpc::Status (Stub::*)(grpc::ClientContext*, const Request&, Response*);

  // Makes the call under a new request id until it is answered or given up.
  template <typename Request, typename Response>
  void Guard(const std::string& study, Call call, Method<Request, Response> method,
             Request request);
  // Makes the call, which has no request id. Each attempt that is lost is a call of its own.
  template <typename Request, typename Response>
  void Repeat(const std::string& study, Call call, Method<Request, Response> method,
              const Request& request);
  // One attempt. Whether it was answered, with the answer then in `call`.
  template <typename Request, typename Response>
  bool Attempt(Call& call, Method<Request, Response> method, const Request& request);

  Call Begin(Verb verb);
  bool GivesUp();
  void Keep(const std::string& study, Call call);

  CrashingServer& server_;
  const int client_;
  const std::string worker_;
  std::mt19937 random_;
  int64_t requests_ = 0;
  std::map<std::string, Known> known_;
  std::map<std::string, std::vector<Call>> calls_;
  CallCounts counts_;
  std::vector<std::string> failures_;
};

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_RECORDING_CLIENT_H_
