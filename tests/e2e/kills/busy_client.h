// A client that makes every call that changes anything, on a study of its own and on one that
// it shares with others, until an answer is lost because the server was killed. With the next
// server it first asks for that answer again, under the same request id. It knows what has to
// be stored by the answers that it got.
//
// Not thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_KILLS_BUSY_CLIENT_H_
#define SLIPSTREAM_TESTS_E2E_KILLS_BUSY_CLIENT_H_

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/e2e/kills/event_tally.h"
#include "tests/e2e/kills/known_store.h"
#include "tests/e2e/kills/lease_registry.h"
#include "tests/e2e/kills/retried_calls.h"

namespace slipstream::kills {

// A study in which all clients are workers.
struct SharedStudy {
  std::string name;
  LeaseRegistry holders;
};

class BusyClient {
 public:
  using Stub = v1::OptimizationService::Stub;

  // `prefix` begins all names that the client chooses.
  BusyClient(int client, std::string prefix, unsigned seed);

  // `study` must outlive its use. What is known of the one before is forgotten.
  void Share(SharedStudy* study);

  // Calls until an answer is lost.
  void Work(Stub& stub);
  // Has the answer that was lost given; whether it now was.
  bool Settle(Stub& stub) { return calls_.Settle(stub); }
  // While nobody calls: repeats some of the last calls, which must get their first answers, and
  // compares what is stored with what is known of the client's own.
  void Check(Stub& stub);

  const KnownStudy& shared() const { return shared_; }
  const std::optional<KnownStudy>& own() const { return own_; }
  // What has to be told of all studies by now.
  const EventTally& expected() const { return expected_; }
  // Studies that were deleted since this was last called.
  std::vector<std::string> TakeDeleted();
  const CallCounts& counts() const { return calls_.counts(); }
  // Trials that were compared.
  int64_t compared() const { return compared_; }
  // Provenances that were compared with what they were before.
  int64_t provenances_compared() const { return provenances_compared_; }
  // What should never happen.
  const Differences& failures() const { return calls_.failures(); }

 private:
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  double Number() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  int64_t AnyOf(const std::vector<int64_t>& numbers);
  std::string NextId(const char* what);

  // Makes one random call; false if its answer is lost.
  bool CallOnce(Stub& stub);
  bool CallOnOwn(Stub& stub, int kind);
  bool CallOnShared(Stub& stub, int kind);
  bool CreateStudy(Stub& stub);
  bool ImportStudy(Stub& stub);
  bool UpdateStudy(Stub& stub);
  bool DeleteStudy(Stub& stub);
  bool Suggest(Stub& stub, KnownStudy& study);
  bool Explain(Stub& stub);
  bool Observe(Stub& stub, KnownStudy& study);
  bool Heartbeat(Stub& stub, const KnownStudy& study);
  bool Release(Stub& stub, KnownStudy& study);
  bool Report(Stub& stub, KnownStudy& study);
  bool UpdateTrial(Stub& stub);
  bool AddTrials(Stub& stub);
  bool RegisterSource(Stub& stub);
  bool DeleteSource(Stub& stub);

  void TakeSuggestion(const v1::SuggestResponse& response, KnownStudy& study);

  const int client_;
  const std::string prefix_;
  const std::string worker_;
  std::mt19937 random_;
  int64_t ids_ = 0;
  RetriedCalls calls_;
  std::optional<KnownStudy> own_;
  KnownStudy shared_;
  SharedStudy* shared_study_ = nullptr;
  std::map<std::string, KnownSource> sources_;
  std::vector<std::string> deleted_;
  EventTally expected_;
  int64_t compared_ = 0;
  int64_t provenances_compared_ = 0;
};

}  // namespace slipstream::kills

#endif  // SLIPSTREAM_TESTS_E2E_KILLS_BUSY_CLIENT_H_
