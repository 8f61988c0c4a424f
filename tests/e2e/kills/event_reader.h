// Reads what happens to all studies until the server is gone, and goes on after that
// from its last resume token with the next server.
//
// Thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_KILLS_EVENT_READER_H_
#define SLIPSTREAM_TESTS_E2E_KILLS_EVENT_READER_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "slipstream/v1/services.grpc.pb.h"
#include "tests/e2e/kills/event_tally.h"

namespace slipstream::kills {

class EventReader {
 public:
  using Stub = v1::OptimizationService::Stub;

  ~EventReader() { Leave(); }

  // Begins to read from this server; `stub` must live until Leave.
  void Join(Stub* stub);
  // Returns when the stream has ended, which a server that is gone ends; else it is cancelled.
  void Leave();

  // Waits until a study's own event of this kind has been told so often; false once that took
  // too long.
  bool WaitFor(const std::string& study, EventTally::Kind kind, int64_t times) const;
  EventTally tally() const;
  int64_t events() const;
  void Forget(const std::string& study);
  // Why a stream ended, if not because its server was gone.
  std::string failure() const;

 private:
  void Read(Stub* stub);
  void Take(const v1::WatchResponse& response);

  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::string token_;
  EventTally tally_;
  int64_t events_ = 0;
  std::string failure_;
  bool leaving_ = false;
  std::unique_ptr<grpc::ClientContext> context_;
  std::thread thread_;
};

}  // namespace slipstream::kills

#endif  // SLIPSTREAM_TESTS_E2E_KILLS_EVENT_READER_H_
