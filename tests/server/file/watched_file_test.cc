#include "server/file/watched_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <new>
#include <optional>
#include <string>

#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

class WatchedFileTest : public testing::Test {
 protected:
  const TemporaryFile written_;
  const std::string path_ = written_.path();
  int reads_ = 0;
  bool is_out_of_memory_ = false;
  absl::Status answer_;
  WatchedFile file_{path_, [this](const std::string& path) {
                      EXPECT_EQ(path, path_);
                      ++reads_;
                      if (is_out_of_memory_) throw std::bad_alloc();
                      return answer_;
                    }};
};

TEST_F(WatchedFileTest, IsReadAgainOnceItHasChanged) {
  written_.Write("one");
  EXPECT_TRUE(file_.Read().ok());
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
  written_.Write("three");
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus());
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
  EXPECT_EQ(reads_, 2);
}

TEST_F(WatchedFileTest, IsNotTriedAgainUntilItHasChangedAgain) {
  written_.Write("one");
  EXPECT_TRUE(file_.Read().ok());
  answer_ = absl::InvalidArgumentError("wrong");
  written_.Write("wrong");
  EXPECT_EQ(file_.ReadIfChanged(), answer_);
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
  answer_ = absl::OkStatus();
  ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus()) << "also when its mode has changed";
}

TEST_F(WatchedFileTest, IsTriedAgainIfItCouldNotBeRead) {
  written_.Write("one");
  EXPECT_TRUE(file_.Read().ok());
  answer_ = absl::ResourceExhaustedError("too many open files");
  written_.Write("three");
  EXPECT_EQ(file_.ReadIfChanged(), answer_);
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt) << "which is no news";
  EXPECT_FALSE(file_.is_in_force());
  answer_ = absl::OkStatus();
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus());
  EXPECT_TRUE(file_.is_in_force());
}

TEST_F(WatchedFileTest, IsReadAgainIfMemoryRanOutMeanwhile) {
  written_.Write("one");
  EXPECT_TRUE(file_.Read().ok());
  written_.Write("three");
  is_out_of_memory_ = true;
  EXPECT_THROW((void)file_.ReadIfChanged(), std::bad_alloc);
  is_out_of_memory_ = false;
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus());
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
}

TEST_F(WatchedFileTest, ItsRemovalIsAChange) {
  written_.Write("one");
  EXPECT_TRUE(file_.Read().ok());
  ASSERT_EQ(remove(path_.c_str()), 0);
  EXPECT_EQ(file_.ReadIfChanged(), absl::OkStatus());
  EXPECT_EQ(file_.ReadIfChanged(), std::nullopt);
}

}  // namespace
}  // namespace slipstream
