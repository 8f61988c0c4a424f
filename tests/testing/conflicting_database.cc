#include "tests/testing/conflicting_database.h"

#include <utility>

namespace slipstream {
namespace {

class ConflictingDatabase : public Database {
 public:
  ConflictingDatabase(std::unique_ptr<Database> database, std::function<void()> between)
      : database_(std::move(database)), between_(std::move(between)) {}

  TransactionEnd Transact(absl::FunctionRef<absl::Status(RowTransaction&)> body) override {
    const TransactionEnd refused = database_->Transact([&](RowTransaction& rows) {
      const absl::Status status = body(rows);
      return status.ok() ? absl::AbortedError("another transaction came between") : status;
    });
    if (!refused.rolled_back) return refused;
    between_();
    return database_->Transact(body);
  }
  absl::Status Read(absl::FunctionRef<absl::Status(RowSnapshot&)> body) override {
    return database_->Read(body);
  }
  bool OnIdle() override { return database_->OnIdle(); }
  DatabaseFigures Figures() override { return database_->Figures(); }

 private:
  const std::unique_ptr<Database> database_;
  const std::function<void()> between_;
};

}  // namespace

std::unique_ptr<Database> MakeConflictingDatabase(std::unique_ptr<Database> database,
                                                  std::function<void()> between) {
  return std::make_unique<ConflictingDatabase>(std::move(database), std::move(between));
}

}  // namespace slipstream
