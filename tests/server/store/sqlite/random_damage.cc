#include "tests/server/store/sqlite/random_damage.h"

#include <filesystem>

namespace slipstream {

SqliteStoreOptions RandomDamageTest::OptionsWithClock() const {
  SqliteStoreOptions options = Options();
  options.create = false;
  options.now_ms = [] { return int64_t{1700000000000}; };
  return options;
}

void RandomDamageTest::SetUp() {
  SqliteStoreOptions options = OptionsWithClock();
  options.create = true;
  {
    const auto store = OpenSqliteStore(options);
    ASSERT_TRUE(store.ok()) << store.status();
    FillStore(**store);
  }
  const auto store = OpenSqliteStore(options);
  ASSERT_TRUE(store.ok()) << store.status();
  FillStore(**store);
  old_index_ = ReadBytes(path() + "-shm");
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(CreateStudy(**store, StudyNamed("late-" + std::to_string(i))).ok());
  }
  content_ = ContentOf(**store);
  for (const char* suffix : {"", "-wal", "-shm"})
    files_[path() + suffix] = ReadBytes(path() + suffix);
  ASSERT_GT(files_.at(path()).size(), 100000u);
  ASSERT_GT(files_.at(path() + "-wal").size(), 100000u);
}

void RandomDamageTest::PutFilesBack(LogIndexState index, std::mt19937_64& random) const {
  std::filesystem::remove_all(folder());
  std::filesystem::create_directory(folder());
  for (const auto& [name, bytes] : files_) WriteBytes(name, bytes);
  const std::string name = path() + "-shm";
  switch (index) {
    case LogIndexState::kSound:
      return;
    case LogIndexState::kEmpty:
      return WriteBytes(name, "");
    case LogIndexState::kZeros:
      return WriteBytes(name, std::string(files_.at(name).size(), '\0'));
    case LogIndexState::kOld:
      return WriteBytes(name, old_index_);
    case LogIndexState::kDamaged:
      DamageFile(name, random);
  }
}

bool RandomDamageTest::IsFound(const std::string& how) {
  if (!CheckSqliteFile(path()).ok()) return true;
  const auto store = OpenSqliteStore(OptionsWithClock());
  if (!store.ok()) return true;
  EXPECT_TRUE(ContentOf(**store) == content_) << "silently wrong after " << how;
  return false;
}

void RandomDamageTest::DamageAndExpect(int rounds, unsigned seed, LogIndexState index) {
  std::mt19937_64 random(seed);
  PutFilesBack(index, random);
  ASSERT_FALSE(IsFound("nothing"));
  int found = 0;
  for (int round = 0; round < rounds; ++round) {
    PutFilesBack(index, random);
    const std::string how = DamageFile(path() + (round % 2 == 0 ? "" : "-wal"), random);
    if (IsFound(how)) ++found;
  }
  RecordProperty("found", found);
  // Bytes after the end and unused pages do no harm; most damage does.
  EXPECT_GT(found, rounds / 2);
}

}  // namespace slipstream
