// The contract of the rows and transactions that a backend implements; see
// store_contract.h for how it is run.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_ROW_CONTRACT_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_ROW_CONTRACT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/store/database.h"
#include "server/store/rows.h"
#include "tests/server/store/store_contract.h"

namespace slipstream {

class RowContract : public BackendTest {
 protected:
  RowContract() : database_(Open()) {}

  // Runs `body` in a transaction that is committed, or rolled back.
  void Commit(const std::function<void(RowTransaction&)>& body);
  void RollBack(const std::function<void(RowTransaction&)>& body);
  // Runs an operation that has to fail.
  void ExpectFailure(const std::function<absl::Status(RowTransaction&)>& operation);
  void Reopen();

  // All that a snapshot shows, as text.
  std::string Dump();

  std::unique_ptr<Database> database_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_ROW_CONTRACT_H_
