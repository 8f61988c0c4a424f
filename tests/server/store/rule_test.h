// Runs single rules in transactions and snapshots on tables in memory.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_RULE_TEST_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_RULE_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/database.h"
#include "server/store/rows.h"
#include "server/store/store_options.h"
#include "tests/server/store/store_calls.h"
#include "tests/server/store/store_contract.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/memory_store.h"

namespace slipstream {

class RuleTest : public testing::Test {
 protected:
  static constexpr int64_t kMaxTrials = 5;

  // Runs `rule`, a function of (RowTransaction&), and returns its result. The
  // transaction is committed even if the rule refuses, as one with other writes
  // would be.
  template <typename Rule>
  auto Transact(Rule rule) -> std::invoke_result_t<Rule, RowTransaction&> {
    std::optional<std::invoke_result_t<Rule, RowTransaction&>> result;
    const TransactionEnd end = database_->Transact([&](RowTransaction& rows) {
      result.emplace(rule(rows));
      EXPECT_FALSE(rows.failed());
      return absl::OkStatus();
    });
    EXPECT_TRUE(end.status.ok()) << end.status;
    return *std::move(result);
  }

  // The same for a rule that does not refuse.
  template <typename Rule>
  void Commit(Rule rule) {
    const absl::Status status = StatusOf(Transact(rule));
    EXPECT_TRUE(status.ok()) << status;
  }

  // Runs `rule`, a function of (RowSnapshot&), and returns its result.
  template <typename Rule>
  auto Read(Rule rule) -> std::invoke_result_t<Rule, RowSnapshot&> {
    std::optional<std::invoke_result_t<Rule, RowSnapshot&>> result;
    const absl::Status read = database_->Read([&](RowSnapshot& rows) {
      result.emplace(rule(rows));
      return absl::OkStatus();
    });
    EXPECT_TRUE(read.ok()) << read;
    return *std::move(result);
  }

  FakeClock clock_;
  const std::unique_ptr<Database> database_ = MakeMemoryDatabase(Options());

 private:
  static absl::Status StatusOf(const absl::Status& status) { return status; }
  template <typename Record>
  static absl::Status StatusOf(const absl::StatusOr<Record>& record) {
    return record.status();
  }

  StoreOptions Options() {
    StoreOptions options;
    options.now_ms = clock_.Function();
    return options;
  }
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_RULE_TEST_H_
