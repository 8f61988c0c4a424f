#include "tests/architecture/layers.h"

#include <algorithm>
#include <utility>

namespace slipstream {
namespace {

bool IsWithin(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

bool IsLayer(std::string_view folder) {
  return std::any_of(Layers().begin(), Layers().end(),
                     [&](const Layer& layer) { return layer.folder == folder; });
}

bool HasSublayers(const Layer& layer) {
  return std::any_of(Layers().begin(), Layers().end(),
                     [&](const Layer& other) { return IsWithin(other.folder, layer.folder); });
}

}  // namespace

const std::vector<Layer>& Layers() {
  static const auto& layers = *new std::vector<Layer>{
      {"core/base", {}, {"absl"}},
      {"core/linalg", {"core/base"}, {"absl", "eigen"}},
      {"core/space", {"core/linalg", "core/base"}, {"absl", "boost", "eigen"}},
      {"core/ascent", {"core/linalg", "core/base"}, {"absl", "eigen", "nlopt"}},
      {"core/gp", {"core/linalg", "core/space", "core/base"}, {"absl", "eigen", "boost"}},
      {"core/calibration",
       {"core/ascent", "core/gp", "core/linalg", "core/space", "core/base"},
       {"absl", "eigen", "boost", "nlopt"}},
      {"core/prior/blocks",
       {"core/ascent", "core/gp", "core/linalg", "core/space", "core/base"},
       {"absl", "eigen", "boost"}},
      // The next two hold large methods of core/prior. They implement core/prior/prior.h, and the
      // table of methods in priors.cc names them, so they and core/prior include each other.
      {"core/prior/cluster",
       {"core/prior", "core/prior/blocks", "core/gp", "core/linalg", "core/base"},
       {"absl", "eigen"}},
      {"core/prior/pretrained",
       {"core/prior", "core/prior/blocks", "core/ascent", "core/gp", "core/linalg", "core/base"},
       {"absl", "eigen"}},
      {"core/prior",
       {"core/prior/blocks", "core/prior/cluster", "core/prior/pretrained", "core/ascent",
        "core/gp", "core/linalg", "core/space", "core/base"},
       {"absl", "eigen", "boost", "nlopt"}},
      {"core/optim",
       {"core/ascent", "core/gp", "core/linalg", "core/space", "core/base"},
       {"absl", "eigen", "boost", "nlopt"}},
      {"core/study", {"core/gp", "core/linalg", "core/space", "core/base"}, {"absl", "eigen"}},
      {"core/acquisition",
       {"core/study", "core/optim", "core/gp", "core/linalg", "core/space", "core/base"},
       {"absl", "eigen"}},
      {"core/sources",
       {"core/study", "core/prior", "core/prior/blocks", "core/calibration", "core/gp",
        "core/linalg", "core/space", "core/base"},
       {"absl", "eigen"}},
      {"core/stopping", {"core/study", "core/gp", "core/linalg", "core/base"}, {"absl", "eigen"}},
      {"core/zero_shot", {"core/study", "core/space", "core/base"}, {"absl"}},
      {"core/exploration",
       {"core/acquisition", "core/study", "core/linalg", "core/space", "core/base"},
       {"absl", "eigen"}},
      {"core/recipe",
       {"core/sources", "core/prior", "core/prior/cluster", "core/prior/pretrained",
        "core/exploration", "core/acquisition", "core/calibration", "core/gp", "core/base"},
       {"absl"}},
      {"core/strategy", {"core"}, {"absl", "eigen"}},

      {"server/figures", {}, {}},
      {"server/file", {"core"}, {"absl", "system"}},
      {"server/quota", {"server/file", "core"}, {"absl"}},
      {"server/socket", {"core"}, {"absl", "system"}},
      {"server/access", {"server/file", "core"}, {"absl", "argon2", "openssl"}},
      {"server/store", {"server/quota", "server/figures", "core"}, {"absl"}},
      {"server/store/sqlite",
       {"server/store", "server/figures", "core"},
       {"absl", "sqlite", "system"}},
      {"server/convert", {"server/store", "core", "proto"}, {"absl", "protobuf", "openssl"}},
      {"server/service",
       {"server/store", "server/convert", "server/quota", "server/figures", "core", "proto"},
       {"absl", "boost", "protobuf", "system"}},
      {"server/telemetry",
       {"server/access", "server/figures", "server/quota", "server/service", "server/socket",
        "server/store", "core"},
       {"absl", "json", "prometheus", "spdlog", "system"}},
      {"server/grpc",
       {"server/access", "server/file", "server/quota", "server/socket", "server/telemetry",
        "server/service", "core", "proto"},
       {"absl", "protobuf", "grpc", "openssl", "system"}},
      {"server",
       {"server/access", "server/file", "server/quota", "server/grpc", "server/service",
        "server/convert", "server/store", "server/store/sqlite", "server/telemetry", "core"},
       {"absl", "cli11", "system"}},

      {"client/cpp/slipstream", {}, {"absl"}},
      {"client/cpp/slipstream/messages",
       {"client/cpp/slipstream", "proto"},
       {"absl", "protobuf", "grpc"}},
      {"client/cpp",
       {"client/cpp/slipstream", "client/cpp/slipstream/messages", "proto"},
       {"absl", "protobuf", "grpc", "openssl", "system"}},
      {"client/cli",
       {"client/cpp/slipstream", "client/cpp/slipstream/messages", "proto"},
       {"absl", "protobuf", "grpc", "cli11", "json", "system"}},
      {"client/examples", {"client/cpp/slipstream"}, {"absl"}},
      {"deploy",
       {"client/cpp/slipstream", "client/cpp/slipstream/messages", "proto"},
       {"absl", "protobuf", "grpc", "cli11", "system"}},
      {"proto", {}, {"protobuf", "grpc"}},
      {"tests", {"*"}, {"*"}},
  };
  return layers;
}

const std::vector<std::string_view>& TopLevelEntries() {
  static const auto& entries = *new std::vector<std::string_view>{
      "proto",     "server",  "client",         "core",
      "tests",     "deploy",  "CMakeLists.txt", "CMakePresets.json",
      "README.md", "LICENSE",
  };
  return entries;
}

const std::vector<std::string_view>& MirroredFolders() {
  static const auto& folders = *new std::vector<std::string_view>{
      "client/cli",        "client/cpp",         "deploy/demo",
      "core/acquisition",  "core/ascent",        "core/base",
      "core/calibration",  "core/exploration",   "core/gp",
      "core/linalg",       "core/optim",         "core/prior",
      "core/prior/blocks", "core/prior/cluster", "core/prior/pretrained",
      "core/recipe",       "core/sources",       "core/space",
      "core/stopping",     "core/strategy",      "core/study",
      "core/zero_shot",    "server",             "server/access",
      "server/convert",    "server/figures",     "server/file",
      "server/grpc",       "server/quota",       "server/service",
      "server/socket",     "server/store",       "server/store/sqlite",
      "server/telemetry"};
  return folders;
}

const std::vector<std::string_view>& FoldersOfTestsOnly() {
  static const auto& folders =
      *new std::vector<std::string_view>{"core/recording", "core/two_builds"};
  return folders;
}

const std::vector<SleepingFile>& SleepingFiles() {
  static const auto& files = *new std::vector<SleepingFile>{
      {"tests/testing/eventually.cc", "the one place where C++ asks another process again"},
      {"tests/testing/waiting.py", "the one place where Python asks another process again"},
      {"tests/benchmarks/rpc_benchmark.cc", "lets the machine settle before it measures"},
      {"tests/benchmarks/soak_workers.cc", "workers train for a while between their calls"},
      {"tests/benchmarks/soak_workers.h", "looks at the server's memory once a second"},
      {"tests/benchmarks/workers_benchmark.cc", "measures for a given time"},
      {"tests/architecture/violations.cc", "names the functions that sleep"},
      {"tests/architecture/violations_test.cc", "plants files that sleep"},
  };
  return files;
}

const Layer* LayerOf(std::string_view path) {
  const Layer* best = nullptr;
  for (const Layer& layer : Layers()) {
    if (!IsWithin(path, layer.folder)) continue;
    if (best == nullptr || layer.folder.size() > best->folder.size()) best = &layer;
  }
  if (best == nullptr || !HasSublayers(*best)) return best;
  const bool direct = path.find('/', best->folder.size() + 1) == std::string_view::npos;
  return direct ? best : nullptr;
}

bool MayInclude(const Layer& from, const Layer& to) {
  if (from.folder == to.folder) return true;
  return std::any_of(from.folders.begin(), from.folders.end(), [&](std::string_view entry) {
    return entry == "*" || entry == to.folder || (!IsLayer(entry) && IsWithin(to.folder, entry));
  });
}

std::string OwnPath(std::string_view header) {
  if (header.starts_with("slipstream/v1/")) return "proto/" + std::string(header);
  if (header.starts_with("slipstream/")) return "client/cpp/" + std::string(header);
  for (std::string_view top : {"proto", "core", "server", "client", "tests", "deploy"}) {
    if (IsWithin(header, top)) return std::string(header);
  }
  return {};
}

std::string_view LibraryOf(std::string_view header) {
  static const auto& prefixes = *new std::vector<std::pair<std::string_view, std::string_view>>{
      {"absl/", "absl"},
      {"Eigen/", "eigen"},
      {"unsupported/Eigen/", "eigen"},
      {"boost/", "boost"},
      {"nlopt", "nlopt"},
      {"grpc/", "grpc"},
      {"grpcpp/", "grpc"},
      {"google/protobuf/", "protobuf"},
      {"sqlite3", "sqlite"},
      {"spdlog/", "spdlog"},
      {"prometheus/", "prometheus"},
      {"argon2.h", "argon2"},
      {"CLI/", "cli11"},
      {"nlohmann/", "json"},
      {"openssl/", "openssl"},
      {"gtest/", "googletest"},
      {"gmock/", "googletest"},
      {"sys/", "system"},
      {"netinet/", "system"},
      {"arpa/", "system"},
      {"linux/", "system"},
      {"net/", "system"},
  };
  if (header.ends_with(".pb.h") && header.find('/') == std::string_view::npos) return "generated";
  for (const auto& [prefix, library] : prefixes) {
    if (header.starts_with(prefix)) return library;
  }
  if (header.find('/') != std::string_view::npos) return "unknown";
  return header.find('.') == std::string_view::npos ? "std" : "system";
}

}  // namespace slipstream
