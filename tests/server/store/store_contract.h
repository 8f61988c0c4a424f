// What every store does, whatever it is made of. A backend's test program says
//
//   INSTANTIATE_TEST_SUITE_P(OnSqlite, StoreContract, testing::Values(backend), BackendName);
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_STORE_CONTRACT_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_STORE_CONTRACT_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/store/store.h"
#include "tests/server/store/store_calls.h"
#include "tests/testing/fake_clock.h"

namespace slipstream {

// What the contract asks of a backend's options.
struct ContractLimits {
  absl::Duration retention = absl::Hours(1);
  int64_t max_trials_per_study = 3000;
};

struct StoreBackend {
  std::string name;
  // Opens the store in `folder`, the same each time.
  std::function<absl::StatusOr<std::unique_ptr<Store>>(
      const std::string& folder, const ContractLimits& limits, std::function<int64_t()> now_ms)>
      open;
};

inline void PrintTo(const StoreBackend& backend, std::ostream* out) { *out << backend.name; }
inline std::string BackendName(const testing::TestParamInfo<StoreBackend>& backend) {
  return backend.param.name;
}

class StoreContract : public testing::TestWithParam<StoreBackend> {
 protected:
  StoreContract();
  ~StoreContract() override;

  Store& store() { return *store_; }
  // Closes the store and opens it anew.
  void Reopen();

  // A new study; it must not exist yet.
  StudyRecord Create(const std::string& id);
  // The same with trials 1 to `count` leased to `worker`.
  StudyRecord CreateWithLeases(const std::string& id, int count,
                               const std::string& worker = "worker");

  FakeClock clock_;
  const ContractLimits limits_;

 private:
  std::string folder_;
  std::unique_ptr<Store> store_;
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

constexpr auto kNotFound = absl::StatusCode::kNotFound;
constexpr auto kAlreadyExists = absl::StatusCode::kAlreadyExists;
constexpr auto kAborted = absl::StatusCode::kAborted;
constexpr auto kFailedPrecondition = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalidArgument = absl::StatusCode::kInvalidArgument;
constexpr auto kResourceExhausted = absl::StatusCode::kResourceExhausted;

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_STORE_CONTRACT_H_
