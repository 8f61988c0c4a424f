#include "server/store/sqlite/file_owner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace slipstream::sqlite {

// If it fails, whoever needs the file is told that it is root's.
void GiveToOwnerOfFolder(int descriptor, const std::string& path) {
  if (descriptor < 0 || geteuid() != 0) return;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat owner = {};
  struct stat file = {};
  if (stat(folder.empty() ? "." : folder.c_str(), &owner) != 0) return;
  if (fstat(descriptor, &file) != 0) return;
  if (!S_ISREG(file.st_mode) || file.st_nlink != 1 || file.st_uid != 0) return;
  [[maybe_unused]] const int changed = fchown(descriptor, owner.st_uid, owner.st_gid);
}

void GiveToOwnerOfFolder(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  GiveToOwnerOfFolder(descriptor, path);
  if (descriptor >= 0) close(descriptor);
}

void MakeForOwnerOfFolder(const std::string& path) {
  if (geteuid() != 0) return;
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  GiveToOwnerOfFolder(descriptor, path);
  if (descriptor >= 0) close(descriptor);
}

void MakePrivateFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0) close(descriptor);
}

}  // namespace slipstream::sqlite
