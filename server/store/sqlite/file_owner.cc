#include "server/store/sqlite/file_owner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace slipstream::sqlite {

void GiveToOwnerOfFolder(const std::string& path) {
  if (geteuid() != 0) return;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  struct stat found = {};
  if (stat(folder.empty() ? "." : folder.c_str(), &found) != 0) return;
  // If that fails, whoever needs the file is told that it is root's.
  [[maybe_unused]] const int changed = lchown(path.c_str(), found.st_uid, found.st_gid);
}

}  // namespace slipstream::sqlite
