#include "tests/core/two_builds/loader.h"

#include <link.h>

#include <cstddef>

namespace slipstream::two_builds {
namespace {

// Called with the program itself first, whose header names the loader.
int ReadLoaderPath(dl_phdr_info* program, size_t, void* path) {
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = program->dlpi_phdr[i];
    if (header.p_type != PT_INTERP) continue;
    *static_cast<std::string*>(path) =
        reinterpret_cast<const char*>(program->dlpi_addr + header.p_vaddr);
  }
  return 1;
}

}  // namespace

std::string LoaderPath() {
  std::string path;
  dl_iterate_phdr(ReadLoaderPath, &path);
  return path;
}

std::vector<std::string> BaselineCommand() {
  // The mask lists the folders to look into; there is none of that name.
  return {LoaderPath(), "--glibc-hwcaps-mask", "none"};
}

}  // namespace slipstream::two_builds
