#include "server/file/regular_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/testing/temporary_file.h"

namespace slipstream {
namespace {

TEST(RegularFile, IsReadWholeWithItsMode) {
  const TemporaryFile file;
  const std::string text(10000, 'x');
  file.Write(text);
  ASSERT_EQ(chmod(file.path().c_str(), 0640), 0);
  const auto read = ReadRegularFile(file.path());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->text, text);
  EXPECT_EQ(read->mode & 0777, 0640u);
}

TEST(RegularFile, WhatIsNoneIsRefusedAndNotWaitedFor) {
  const TemporaryFile file;
  const std::string path = file.path();
  EXPECT_EQ(ReadRegularFile(path).status(), absl::NotFoundError("No such file or directory"));
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const std::string& other : {path, std::string("/dev/null"), testing::TempDir()}) {
    EXPECT_EQ(ReadRegularFile(other).status(),
              absl::FailedPreconditionError("it is a folder, a pipe or a device"));
  }
}

}  // namespace
}  // namespace slipstream
