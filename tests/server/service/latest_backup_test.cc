#include "server/service/latest_backup.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/e2e/temporary_folder.h"
#include "tests/testing/eventually.h"

namespace slipstream {
namespace {

class LatestBackupTest : public testing::Test {
 protected:
  // Makes a file that was last written at this time, in seconds since 1970. It gets its name last,
  // so that no look in between finds it with the time of now.
  void Write(const std::string& name, int64_t seconds) {
    const std::string file = folder_.path() + "/" + name;
    const std::string made = file + ".being-made";
    std::ofstream(made) << "a backup";
    const timespec times[] = {{seconds, 0}, {seconds, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, made.c_str(), times, 0), 0);
    std::filesystem::rename(made, file);
  }
  std::unique_ptr<LatestBackup> Look() {
    return std::make_unique<LatestBackup>(
        folder_.path(),
        [](const std::string& file) { return absl::EndsWith(file, "/slipstream.db"); },
        absl::Milliseconds(5));
  }
  static bool IsAt(const LatestBackup& latest, int64_t seconds) {
    return latest.time() == absl::FromUnixSeconds(seconds);
  }

  TemporaryFolder folder_;
};

TEST_F(LatestBackupTest, IsThatOfTheNewestBackupInTheFolder) {
  EXPECT_EQ(Look()->time(), std::nullopt);
  Write("slipstream.db", 4000);
  Write("c.db.unfinished-abcdef", 3000);
  EXPECT_EQ(Look()->time(), std::nullopt) << "neither is a backup";
  Write("a.db", 2000);
  Write("b.db", 1000);
  EXPECT_TRUE(IsAt(*Look(), 2000));
}

TEST_F(LatestBackupTest, FollowsWhatOthersPutIntoTheFolder) {
  const std::unique_ptr<LatestBackup> latest = Look();
  Write("a.db", 1000);
  EXPECT_TRUE(Eventually([&] { return IsAt(*latest, 1000); }));
  std::filesystem::remove(folder_.path() + "/a.db");
  Write("b.db", 2000);
  EXPECT_TRUE(Eventually([&] { return IsAt(*latest, 2000); }));
}

TEST_F(LatestBackupTest, OutlivesTheFile) {
  const std::unique_ptr<LatestBackup> latest = Look();
  latest->Note(absl::FromUnixSeconds(3000));
  Write("a.db", 2000);
  EXPECT_TRUE(IsAt(*latest, 3000)) << "which is not in the folder";
}

TEST_F(LatestBackupTest, IsNowForAFileFromTheFutureAtTheFirstLookAlone) {
  const int64_t now = absl::ToUnixSeconds(absl::Now());
  Write("a.db", now + 100'000);
  const std::unique_ptr<LatestBackup> latest = Look();
  ASSERT_TRUE(latest->time().has_value());
  EXPECT_GE(*latest->time(), absl::FromUnixSeconds(now));
  EXPECT_LT(*latest->time(), absl::FromUnixSeconds(now + 90'000));
  latest->Note(absl::FromUnixSeconds(1000));
  Write("b.db", 2000);
  EXPECT_TRUE(Eventually([&] { return IsAt(*latest, 2000); })) << "which a later look finds";
}

}  // namespace
}  // namespace slipstream
