// Watches what happens to all studies, across crashes of the server.
//
// Thread-safe.
#ifndef SLIPSTREAM_TESTS_E2E_HISTORIES_EVENT_WATCH_H_
#define SLIPSTREAM_TESTS_E2E_HISTORIES_EVENT_WATCH_H_

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "slipstream/v1/services.pb.h"
#include "tests/e2e/histories/call.h"
#include "tests/e2e/histories/crashing_server.h"

namespace slipstream::histories {

struct ToldEvent {
  v1::StudyEvent event;
  int64_t told_us = 0;
};

class EventWatch {
 public:
  // Sees what happens from its construction on. `server` must outlive the watch.
  explicit EventWatch(CrashingServer* server);
  ~EventWatch();

  // What happened to the trials of "studies/...", in its order.
  std::vector<ToldEvent> EventsOf(const std::string& study) const;
  int64_t lease_ends() const;
  // Waits until there are more than `count` lease ends; false once that took too long.
  bool WaitForMoreThan(int64_t count) const;
  // Waits until it is told that the lease of this trial ended, or the trial itself; false once that
  // took too long.
  bool WaitForEndOf(const std::string& study, const std::string& trial) const;
  // Waits until it is told that this study was created, and so of everything that happened before;
  // false once that took too long.
  bool WaitForCreationOf(const std::string& study) const;
  // Why it had to stop; empty unless it had to.
  std::string failure() const;

 private:
  void Run();
  // Reads one stream to its end, which the server's is; whether there may be another one.
  bool ReadStream();
  void Take(const v1::WatchResponse& response);

  CrashingServer& server_;
  mutable std::mutex mutex_;
  mutable std::condition_variable news_;
  std::string token_;
  std::map<std::string, std::vector<ToldEvent>> events_;
  std::set<std::string> created_;
  int64_t count_ = 0;
  std::string failure_;
  bool stopping_ = false;
  grpc::ClientContext* context_ = nullptr;  // Belongs to the stream that is being read.
  std::thread thread_;
};

}  // namespace slipstream::histories

#endif  // SLIPSTREAM_TESTS_E2E_HISTORIES_EVENT_WATCH_H_
