#include "server/file/watched_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "tests/e2e/temporary_folder.h"

namespace slipstream {
namespace {

void WriteFile(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

class WatchedFileTest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/file";
  int reads_ = 0;
  absl::Status answer_;
  WatchedFile file_{path_, [this](const std::string& path) {
                      EXPECT_EQ(path, path_);
                      ++reads_;
                      return answer_;
                    }};
};

TEST_F(WatchedFileTest, IsReadAgainOnceItHasChanged) {
  WriteFile(path_, "one");
  EXPECT_TRUE(file_.Read().ok());
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
  WriteFile(path_, "three");
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus());
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
  EXPECT_EQ(reads_, 2);
}

TEST_F(WatchedFileTest, IsNotTriedAgainUntilItHasChangedAgain) {
  WriteFile(path_, "one");
  EXPECT_TRUE(file_.Read().ok());
  answer_ = absl::InvalidArgumentError("wrong");
  WriteFile(path_, "wrong");
  EXPECT_EQ(file_.ReadIfChanged(), answer_);
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
  answer_ = absl::OkStatus();
  ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus()) << "also when its mode has changed";
}

TEST_F(WatchedFileTest, ItsRemovalIsAChange) {
  WriteFile(path_, "one");
  EXPECT_TRUE(file_.Read().ok());
  ASSERT_EQ(remove(path_.c_str()), 0);
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus());
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
}

}  // namespace
}  // namespace slipstream
