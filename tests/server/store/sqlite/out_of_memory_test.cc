// The store when memory runs out: in each test for more and more allocations, until there is
// enough.
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <string>

#include "core/base/status.h"
#include "server/store/sqlite/sqlite_database.h"
#include "server/store/study_rules.h"
#include "server/store/trial_rules.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/allocation_limit.h"
#include "tests/testing/fake_clock.h"
#include "tests/testing/fault_vfs.h"

namespace slipstream {
namespace {

// SQLite's memory is that of operator new in this program, so that it runs out, too.
struct alignas(8) Block {
  int size;

  static void* Allocate(int size) {
    void* const place =
        operator new(sizeof(Block) + static_cast<size_t>(size), std::nothrow);
    return place == nullptr ? nullptr : new (place) Block{size} + 1;
  }
  static Block* Of(void* allocated) { return static_cast<Block*>(allocated) - 1; }
  static void Free(void* allocated) { operator delete(Of(allocated)); }
  static void* Reallocate(void* allocated, int size) {
    void* const larger = Allocate(size);
    if (larger == nullptr) return nullptr;
    std::memcpy(larger, allocated, static_cast<size_t>(std::min(size, SizeOf(allocated))));
    Free(allocated);
    return larger;
  }
  static int SizeOf(void* allocated) { return Of(allocated)->size; }
  static int RoundUp(int size) { return (size + 7) / 8 * 8; }
  static int Begin(void*) { return SQLITE_OK; }
  static void End(void*) {}
};

const sqlite3_mem_methods kMemory = {&Block::Allocate, &Block::Free,    &Block::Reallocate,
                                     &Block::SizeOf,   &Block::RoundUp, &Block::Begin,
                                     &Block::End,      nullptr};
// Before SQLite is first used.
const int kConfigured = sqlite3_config(SQLITE_CONFIG_MALLOC, &kMemory);

class LittleMemoryStoreTest : public SqliteStoreTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(kConfigured, SQLITE_OK);
    Reopen();
  }

  void Reopen() {
    database_.reset();
    SqliteStoreOptions options = Options();
    options.vfs = disk_.name();
    options.now_ms = clock_.Function();
    options.steady_now = clock_.SteadyFunction();
    auto opened = sqlite::OpenSqliteDatabase(options);
    ASSERT_TRUE(opened.ok()) << opened.status();
    database_ = *std::move(opened);
  }

  // Whether memory ran out while the transaction was made, whose end is in `*end`.
  bool Transact(int allocations, const std::function<absl::Status(RowTransaction&)>& body,
                TransactionEnd* end) {
    const AllocationLimit limit(allocations);
    *end = database_->Transact(body);
    return limit.was_reached();
  }
  absl::Status Transact(const std::function<absl::Status(RowTransaction&)>& body) {
    return database_->Transact(body).status;
  }
  absl::Status CreateStudy(const std::string& id) {
    return Transact([&](RowTransaction& rows) {
      return rules::CreateStudy(rows, StudyNamed(id)).status();
    });
  }
  static absl::Status AddTrial(RowTransaction& rows) {
    return rules::AddTrials(rows, {"s", {NewSuggestion("x")}}, 10000).status();
  }
  // As it is stored, and as quotas count it.
  int64_t TrialCount() {
    int64_t stored = 0;
    int64_t counted = 0;
    EXPECT_TRUE(database_
                    ->Read([&](RowSnapshot& rows) {
                      stored = (*rows.FindStudy("s"))->trial_count;
                      return absl::OkStatus();
                    })
                    .ok());
    EXPECT_TRUE(Transact([&](RowTransaction& rows) {
                  counted = rows.FindUsage("default")->trials;
                  return absl::OkStatus();
                }).ok());
    EXPECT_EQ(stored, counted);
    return stored;
  }

  FakeClock clock_;
  FaultVfs disk_;
  std::unique_ptr<Database> database_;
};

TEST_F(LittleMemoryStoreTest, ATransactionIsMadeOrIsAnErrorAndUndone) {
  ASSERT_TRUE(CreateStudy("s").ok());
  int added = 0;
  TransactionEnd end;
  for (int allocations = 0; Transact(allocations, AddTrial, &end); ++allocations) {
    if (end.status.ok()) ++added;
    EXPECT_TRUE(end.status.ok() || (IsOverload(end.status) && end.rolled_back)) << end.status;
    ASSERT_EQ(TrialCount(), added) << "after " << allocations << " allocations";
  }
  EXPECT_TRUE(end.status.ok()) << end.status;
  Reopen();
  EXPECT_EQ(TrialCount(), added + 1);
}

// It changes the schema, so SQLite compiles its statements anew, even the one that rolls it back.
// Every fifth allocation, as there are some thousand of them and each transaction is synced.
TEST_F(LittleMemoryStoreTest, ATransactionThatForgetsAnswersIsMadeOrIsAnErrorAndUndone) {
  ASSERT_TRUE(CreateStudy("s").ok());
  int added = 0;
  bool ran_out = true;
  for (int allocations = 0; ran_out; allocations += 5) {
    clock_.Advance(Options().retention);
    TransactionEnd end;
    ran_out = Transact(allocations, AddTrial, &end);
    if (end.status.ok()) ++added;
    EXPECT_TRUE(end.status.ok() || IsOverload(end.status)) << end.status;
    ASSERT_EQ(TrialCount(), added) << "after " << allocations << " allocations";
  }
  Reopen();
  EXPECT_EQ(TrialCount(), added);
}

// The purge follows the transaction.
TEST_F(LittleMemoryStoreTest, ADeletionIsMadeOrIsAnErrorAndWhatItLeavesIsErasedLater) {
  ASSERT_TRUE(CreateStudy("s").ok());
  bool ran_out = true;
  for (int allocations = 0; ran_out; ++allocations) {
    ASSERT_TRUE(CreateStudy("deleted").ok());
    ASSERT_TRUE(Transact([](RowTransaction& rows) {
                  return rules::AddTrials(rows, {"deleted", {NewSuggestion("x")}}, 10).status();
                }).ok());
    const auto erase = [](RowTransaction& rows) {
      return rules::DeleteStudy(rows, StudyRef("deleted")).status();
    };
    TransactionEnd end;
    ran_out = Transact(allocations, erase, &end);
    EXPECT_TRUE(end.status.ok() || IsOverload(end.status)) << end.status;
    if (!end.status.ok()) {
      ASSERT_TRUE(Transact(erase).ok());
    }
    ASSERT_EQ(TrialCount(), 0) << "after " << allocations << " allocations";
  }
  bool is_more = true;
  for (int allocations = 0; is_more; ++allocations) {
    const AllocationLimit limit(allocations);
    is_more = database_->OnIdle() || limit.was_reached();
  }
  EXPECT_TRUE(CreateStudy("deleted").ok());
}

TEST_F(LittleMemoryStoreTest, AFailedDiskEndsAllWriting) {
  bool ran_out = true;
  for (int allocations = 0; ran_out; ++allocations) {
    const std::string id = "s" + std::to_string(allocations);
    ASSERT_TRUE(CreateStudy(id).ok());
    disk_.FailSyncs();
    TransactionEnd end;
    ran_out = Transact(
        allocations,
        [&](RowTransaction& rows) {
          return rules::AddTrials(rows, {id, {NewSuggestion("x")}}, 10).status();
        },
        &end);
    disk_.Repair();
    if (IsOverload(end.status)) continue;  // It never came to the disk.
    EXPECT_FALSE(end.rolled_back);
    EXPECT_TRUE(absl::IsUnavailable(end.status)) << end.status;
    EXPECT_TRUE(absl::IsUnavailable(CreateStudy("further"))) << allocations;
    Reopen();
  }
}

TEST_F(LittleMemoryStoreTest, ALostFileEndsAllWriting) {
  const std::string aside = path() + ".aside";
  bool ran_out = true;
  for (int allocations = 0; ran_out; ++allocations) {
    ASSERT_EQ(std::rename(path().c_str(), aside.c_str()), 0);
    TransactionEnd end;
    ran_out = Transact(
        allocations, [](RowTransaction&) { return absl::OkStatus(); }, &end);
    ASSERT_EQ(std::rename(aside.c_str(), path().c_str()), 0);
    EXPECT_FALSE(end.status.ok());
    if (IsOverload(end.status)) continue;  // It never came to look.
    EXPECT_FALSE(end.rolled_back);
    EXPECT_TRUE(absl::IsUnavailable(CreateStudy("further"))) << allocations;
    Reopen();
  }
}

}  // namespace
}  // namespace slipstream
