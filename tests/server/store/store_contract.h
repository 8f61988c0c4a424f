// The contract of the store, which every backend fulfils. A backend's source
// says
//
//   INSTANTIATE_TEST_SUITE_P(OnSqlite, StoreContract, testing::Values(backend), BackendName);
//
// and the same for RowContract, and for SeveralServers if several servers may use
// the backend at once. Tests that reopen the store run on every backend: what it
// stores outlives the Database object, be it in a file or in the tables of a server.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_STORE_CONTRACT_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_STORE_CONTRACT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/quota/quotas.h"
#include "server/store/database.h"
#include "server/store/store.h"
#include "server/store/store_options.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/fake_clock.h"

namespace slipstream {

struct Backend {
  std::string name;
  // Opens the database that belongs to `folder`.
  std::function<absl::StatusOr<std::unique_ptr<Database>>(const std::string& folder,
                                                          const StoreOptions& options)>
      open;
};

inline void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }
inline std::string BackendName(const testing::TestParamInfo<Backend>& backend) {
  return backend.param.name;
}

// A backend in an empty folder.
class BackendTest : public testing::TestWithParam<Backend> {
 protected:
  BackendTest();
  ~BackendTest() override;

  std::unique_ptr<Database> Open() { return Open(clock_); }
  // For a server with this wall clock.
  std::unique_ptr<Database> Open(FakeClock& clock);

  // Changes what a project may have.
  void Limit(const std::string& project, Quota quota);

  FakeClock clock_;
  Quotas quotas_{"/etc/quotas"};
  StoreOptions options_;

 private:
  std::string folder_;
  QuotaTable limits_;
};

class StoreContract : public BackendTest {
 protected:
  StoreContract() { Reopen(); }

  Store& store() { return *store_; }
  // Closes the store and opens it anew.
  void Reopen();

  // A new study; it must not exist yet.
  StudyRecord Create(const std::string& id);
  // The same with trials 1 to `count` leased to `worker`.
  StudyRecord CreateWithLeases(const std::string& id, int count,
                               const std::string& worker = "worker");

 private:
  std::unique_ptr<Store> store_;
};

// Two stores on one database, as two servers have them that use it at once. Only one server at a
// time can open a SQLite file.
class SeveralServers : public BackendTest {
 protected:
  SeveralServers();

  // Opens another one, for a server with this wall clock.
  std::unique_ptr<Store> OpenStore(FakeClock& clock);
  // Opens both anew, the second one with a wall clock that is ahead by `skew`. Study "s" is made
  // anew, too; its trials 1 and 2 were just leased for a minute, each through another store.
  void LeaseWithClocksApart(absl::Duration skew);
  // Calls `deed` with both at once, each on a thread of its own.
  void AtBoth(const std::function<void(Store&)>& deed);
  // As servers do that are up for so many seconds.
  void PassTime(int seconds);
  std::vector<TrialState> StatesOfBoth();

  FakeClock ahead_;
  std::unique_ptr<Store> one_;
  std::unique_ptr<Store> two_;
  StudyRecord study_;  // "s".
};

MATCHER_P(HasCode, code, std::string("has code ") + absl::StatusCodeToString(code)) {
  *result_listener << arg.ToString();
  return arg.code() == code;
}
MATCHER_P2(IsRefusal, code, text, "is a refusal that says \"" + std::string(text) + "\"") {
  *result_listener << arg.ToString();
  return arg.code() == code &&
         std::string(arg.message()).find(std::string(text)) != std::string::npos;
}

constexpr auto kOk = absl::StatusCode::kOk;
constexpr auto kNotFound = absl::StatusCode::kNotFound;
constexpr auto kAlreadyExists = absl::StatusCode::kAlreadyExists;
constexpr auto kAborted = absl::StatusCode::kAborted;
constexpr auto kCancelled = absl::StatusCode::kCancelled;
constexpr auto kFailedPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalidArgument = absl::StatusCode::kInvalidArgument;
constexpr auto kResourceExhausted = absl::StatusCode::kResourceExhausted;
constexpr auto kUnavailable = absl::StatusCode::kUnavailable;
constexpr auto kInternal = absl::StatusCode::kInternal;

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_STORE_CONTRACT_H_
