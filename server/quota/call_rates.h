// Holds projects to their quota of calls a second. A project may save up some seconds' calls,
// and always for one call, so that callers who come together are not refused.
//
// Thread-safe.
#ifndef SLIPSTREAM_SERVER_QUOTA_CALL_RATES_H_
#define SLIPSTREAM_SERVER_QUOTA_CALL_RATES_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/quota/quotas.h"

namespace slipstream {

// The calls of so many seconds may be saved up.
inline constexpr int kMostSecondsSaved = 5;

class CallRates {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `quotas` must outlive this. Remembers the calls of at most `most_projects` projects, those with
  // the latest calls.
  explicit CallRates(
      Quotas* quotas, std::function<Time()> now = [] { return std::chrono::steady_clock::now(); },
      size_t most_projects = 10000);

  // Counts a call. RESOURCE_EXHAUSTED if that would be more than the project's quota; the call does
  // not count then.
  absl::Status Take(absl::string_view project);
  // Counts a call that is never refused. The project owes at most as much as it can save.
  void TakeAnyway(absl::string_view project);

  // Projects that are remembered.
  size_t size() const;

 private:
  struct Account {
    std::string project;
    double calls = 0;  // That may be made now; below zero: are owed.
    Time counted;
  };
  using Accounts = std::list<Account>;

  // The project's account as it stands now, which is then the latest. The mutex is held.
  Account& Balance(absl::string_view project, double rate);
  Accounts::iterator Open(absl::string_view project, double rate, Time now);

  Quotas& quotas_;
  const std::function<Time()> now_;
  const size_t most_projects_;
  mutable std::mutex mutex_;
  Accounts accounts_;  // The latest first.
  std::map<std::string, Accounts::iterator, std::less<>> by_project_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_QUOTA_CALL_RATES_H_
