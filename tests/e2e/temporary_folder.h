// A folder for the files of one test.
#ifndef SLIPSTREAM_TESTS_E2E_TEMPORARY_FOLDER_H_
#define SLIPSTREAM_TESTS_E2E_TEMPORARY_FOLDER_H_

#include <string>

namespace slipstream {

// Created empty; removed with all its content when the object is destroyed.
// Throws std::runtime_error when it cannot be created.
class TemporaryFolder {
 public:
  // In `parent`, or where the system keeps temporary files.
  explicit TemporaryFolder(const std::string& parent = "");
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_E2E_TEMPORARY_FOLDER_H_
