// A file in a folder of its own, both of which end with the object. Not thread-safe.
#ifndef SLIPSTREAM_TESTS_TESTING_TEMPORARY_FILE_H_
#define SLIPSTREAM_TESTS_TESTING_TEMPORARY_FILE_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace slipstream {

// There is no file until it is written.
class TemporaryFile {
 public:
  TemporaryFile() { EXPECT_NE(mkdtemp(folder_.data()), nullptr); }
  ~TemporaryFile() { std::filesystem::remove_all(folder_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return folder_ + "/file"; }
  void Write(const std::string& text) const { std::ofstream(path()) << text; }

 private:
  std::string folder_ = testing::TempDir() + "slipstream_file_XXXXXX";
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_TEMPORARY_FILE_H_
