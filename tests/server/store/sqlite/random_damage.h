// A store as kill -9 leaves it, damaged at random many times over.
#ifndef SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_RANDOM_DAMAGE_H_
#define SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_RANDOM_DAMAGE_H_

#include <map>
#include <random>
#include <string>

#include "tests/server/store/sqlite/store_damage.h"
#include "tests/server/store/sqlite/store_fixture.h"

namespace slipstream {

// In what state the log's index is put back, beside the damage of another file.
enum class LogIndexState { kSound, kEmpty, kZeros, kOld, kDamaged };

class RandomDamageTest : public SqliteStoreTest {
 protected:
  // Fills a store, half of it in the database file and half of it in the log.
  void SetUp() override;

  // Damages the database or the log `rounds` times, each time of a fresh copy, and expects
  // that opening or checking it finds the damage, or that its content is the same.
  void DamageAndExpect(int rounds, unsigned seed, LogIndexState index);

 private:
  // The clock stands still, so that what is read of leases is always the same.
  SqliteStoreOptions OptionsWithClock() const;
  void PutFilesBack(LogIndexState index, std::mt19937_64& random) const;
  // Whether the damage was found; else expects the content as it was.
  bool IsFound(const std::string& how);

  std::map<std::string, std::string> files_;  // By name in the folder.
  std::string old_index_;  // Some commits older than the log.
  std::string content_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_SERVER_STORE_SQLITE_RANDOM_DAMAGE_H_
