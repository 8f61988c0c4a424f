// Stores on a disk of a few megabytes that is really full.
#include "server/store/sqlite/growth_room.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "server/store/sqlite/connection.h"
#include "tests/server/store/sqlite/store_fixture.h"
#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

constexpr int kNoDisk = 100;  // This process may not mount one.

class FullDiskTest : public SqliteStoreTest {
 protected:
  // Has this process see a small disk in place of the folder.
  bool MountSmallDisk() {
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("tmpfs", folder().c_str(), "tmpfs", 0, "size=32m") == 0;
  }
  // Runs a body that returns 0 if all is well.
  void OnSmallDisk(absl::FunctionRef<int()> body) {
    const int code = RunInChild([&] { return MountSmallDisk() ? body() : kNoDisk; });
    if (code == kNoDisk) GTEST_SKIP() << "this process may not mount a disk";
    EXPECT_EQ(code, 0);
  }
  // Another program takes what is left.
  bool FillUp() {
    const int ballast = open((folder() + "/ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const std::string bytes(4096, 'x');
    while (write(ballast, bytes.data(), bytes.size()) > 0) continue;
    return close(ballast) == 0;
  }
  static absl::Status Add(Store& store, const std::string& study, int trials) {
    const std::vector<NewTrial> added(static_cast<size_t>(trials),
                                      FinishedTrial(std::string(300, 'x'), 1));
    return AddTrials(store, study, added).status;
  }
  // Adds trials to two studies until not even the smallest change has room.
  bool UseAllRoom(Store& store) {
    for (const char* study : {"s", "t"}) {
      if (!CreateStudy(store, StudyNamed(study)).ok()) return false;
    }
    return UseAllRoomAgain(store);
  }
  bool UseAllRoomAgain(Store& store) {
    for (const int at_once : {1000, 10, 1}) {
      for (int i = 0; i < 1000; ++i) {
        const absl::Status added = Add(store, i % 2 == 0 ? "s" : "t", at_once);
        if (absl::IsResourceExhausted(added)) break;
        if (!added.ok()) return false;
      }
    }
    if (!FillUp()) return false;
    for (int i = 0; i < 10000; ++i) {
      StudyChange change;
      change.display_name = std::to_string(i);
      const absl::Status changed = UpdateStudy(store, "t", change).status;
      if (absl::IsResourceExhausted(changed)) break;
      if (!changed.ok()) return false;
    }
    return true;
  }
};

TEST_F(FullDiskTest, AStudyCanBeDeletedAndItsRoomIsUsedAgain) {
  OnSmallDisk([this] {
    {
      const auto store = Open();
      if (!store.ok() || !UseAllRoom(**store)) return 1;
      if (!absl::IsResourceExhausted(Add(**store, "t", 100))) return 2;
      if (!DeleteStudy(**store, "s").ok()) return 3;
      // Once the trials have been erased, turn by turn.
      for (int tries = 0; !Add(**store, "t", 1000).ok(); ++tries) {
        if (tries == 100000) return 4;
        std::this_thread::yield();
      }
    }
    return CheckSqliteFile(path()).ok() ? 0 : 5;
  });
}

TEST_F(FullDiskTest, StudiesCanBeDeletedAfterAKillToo) {
  OnSmallDisk([this] {
    const int killed = RunInChild([this] {
      const auto store = Open();
      _exit(store.ok() && UseAllRoom(**store) ? 0 : 1);
      return 1;
    });
    if (killed != 0) return 1;
    const auto store = Open();
    if (!store.ok()) return 2;
    // What the log took before the kill is free again.
    if (!UseAllRoomAgain(**store)) return 3;
    if (!absl::IsResourceExhausted(Add(**store, "t", 1000))) return 4;
    if (!DeleteStudy(**store, "s").ok()) return 5;
    return DeleteStudy(**store, "t").ok() ? 0 : 6;
  });
}

TEST_F(FullDiskTest, AStudyCanBeDeletedOnceALongReadHasEnded) {
  OnSmallDisk([this] {
    const auto store = Open();
    if (!store.ok() || !CreateStudy(**store, StudyNamed("old")).ok()) return 1;
    {
      const auto reader = sqlite::Connection::Open(path(), SQLITE_OPEN_READWRITE, vfs());
      if (!(*reader)->Execute("BEGIN; SELECT count(*) FROM trials").ok()) return 2;
      if (!UseAllRoom(**store)) return 3;
      // The log still has what the reader has not seen, so nothing of it is overwritten.
      if (!absl::IsResourceExhausted(DeleteStudy(**store, "old").status)) return 4;
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!DeleteStudy(**store, "old").ok()) {
      if (std::chrono::steady_clock::now() > end) return 5;
      std::this_thread::yield();
    }
    return 0;
  });
}

TEST_F(FullDiskTest, ItIsToldOfWhileChangesThatNeedNoRoomSucceed) {
  OnSmallDisk([this] {
    const auto store = Open();
    if (!store.ok() || !CreateStudy(**store, StudyNamed("s")).ok()) return 1;
    WriteBytes(folder() + "/ballast", std::string(4 << 20, 'x'));
    while (Add(**store, "s", 1000).ok()) continue;
    if (!FillUp()) return 2;
    while (Add(**store, "s", 100).ok()) continue;  // There may be room that was taken before.
    if (!absl::IsResourceExhausted(Add(**store, "s", 100))) return 2;
    StudyChange change;
    change.display_name = "a";
    if (!UpdateStudy(**store, "s", change).ok()) return 3;
    if ((*store)->Figures().database.refusal.empty()) return 4;
    // Another program gives room back.
    if (!std::filesystem::remove(folder() + "/ballast")) return 5;
    change.display_name = "b";
    if (!UpdateStudy(**store, "s", change).ok()) return 6;
    return (*store)->Figures().database.refusal.empty() ? 0 : 7;
  });
}

// Changes that are larger than what the log gathers before it is written.
TEST_F(FullDiskTest, WhatWasRefusedLeavesNoPiecesInTheLogForAPowerCutToShow) {
  constexpr int kTrials = 60;
  const auto add = [](Store& store, int64_t /*round*/) { return Add(store, "s", 2000); };
  const auto report = [](Store& store, int64_t round) {
    TrialReports reports{"s", round + 1, {}};
    for (int64_t step = 0; step < 5000; ++step) reports.reports.push_back({step, 0.5});
    return ReportSteps(store, reports).status;
  };
  const std::function<absl::Status(Store&, int64_t)> changes[] = {add, report};
  for (const auto& change : changes) {
    const TemporaryFile copy;
    OnSmallDisk([&] {
      const auto store = Open();
      if (!store.ok() || !CreateStudy(**store, StudyNamed("s")).ok()) return 1;
      if (!LeaseFresh(**store, *(*store)->GetStudy("s"), "w", kTrials).ok()) return 2;
      if (!FillUp()) return 3;
      absl::Status changed;
      for (int64_t round = 0; changed.ok(); ++round) changed = change(**store, round);
      if (!absl::IsResourceExhausted(changed)) return 4;
      copy.Write(ReadBytes(path()));
      WriteBytes(copy.path() + "-wal", ReadBytes(path() + "-wal"));
      WriteBytes(copy.path() + "-shm", "");
      bool has_warned = false;
      SqliteStoreOptions options = Options();
      options.path = copy.path();
      options.on_warning = [&](const std::string&) { has_warned = true; };
      if (!OpenSqliteStore(options).ok()) return 5;
      return has_warned ? 6 : 0;
    });
  }
}

TEST(GrowthRoomTest, RoomThatWasGivenBackIsTakenAgain) {
  const TemporaryFile file;
  file.Write("");
  const int descriptor = open(file.path().c_str(), O_RDWR | O_CLOEXEC);
  constexpr int64_t kSize = 1 << 20;
  ASSERT_EQ(ftruncate(descriptor, kSize), 0);
  const auto has_spare = [&] {
    struct stat found = {};
    fstat(descriptor, &found);
    return found.st_size == kSize && found.st_blocks * 512 >= sqlite::kSpareBytes;
  };
  sqlite::GrowthRoom room(descriptor, kSize);
  EXPECT_TRUE(room.Take(kSize, /*may_use_spare=*/false));
  const bool is_reserved = has_spare();
  // As a checkpoint does, also where the size stays.
  ASSERT_EQ(ftruncate(descriptor, kSize), 0);
  EXPECT_FALSE(has_spare());
  room.TakeAgain();
  EXPECT_TRUE(has_spare());
  close(descriptor);
  if (!is_reserved) GTEST_SKIP() << "this file system does not reserve room";
}

}  // namespace
}  // namespace slipstream
