// Writes the seeds of both corpora: legal requests of every RPC one after the other, as bytes, and
// random choices. make_seeds FOLDER makes FOLDER/bytes and FOLDER/sequence.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "tests/fuzz/request_maker.h"

namespace slipstream::fuzz {
namespace {

constexpr uint32_t kSeeds = 12;
constexpr uint32_t kChoices = 400;

std::string Bytes(uint32_t seed) {
  RandomDice dice(seed);
  RequestMaker maker;
  std::string bytes;
  for (const RpcEntry& entry : RpcTable()) {
    if (dice.OneIn(2)) continue;
    const std::string request = maker.Legal(entry.rpc, dice)->SerializeAsString();
    bytes += static_cast<char>(entry.rpc);
    bytes += static_cast<char>(request.size() & 0xff);
    bytes += static_cast<char>(request.size() >> 8);
    bytes += request;
  }
  return bytes;
}

std::string Choices(uint32_t seed) {
  RandomDice dice(seed);
  std::string choices;
  for (uint32_t i = 0; i < kChoices; ++i) choices += static_cast<char>(dice.Below(256));
  return choices;
}

void Write(const std::filesystem::path& folder, uint32_t seed, const std::string& bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder / ("seed_" + std::to_string(seed)), std::ios::binary) << bytes;
}

}  // namespace
}  // namespace slipstream::fuzz

int main(int argc, char** argv) {
  using namespace slipstream::fuzz;
  if (argc != 2) return std::cerr << "usage: make_seeds FOLDER\n", 2;
  const std::filesystem::path folder(argv[1]);
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    Write(folder / "bytes", seed, Bytes(seed));
    Write(folder / "sequence", seed, Choices(seed));
  }
  return 0;
}
