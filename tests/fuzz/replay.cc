// Runs a fuzzer's function without libFuzzer, on the files of a corpus and, for so many seconds, on
// inputs that are made from them. Exits with 1 if there are no files. The inputs that are made
// depend on the seed and the corpus alone, so that the same seed comes to the same failure again.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/byte_mutation.h"
#include "tests/fuzz/dice.h"
#include "tests/testing/command_flags.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace slipstream::fuzz {
namespace {

void Run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

// By name, so that the order is the same everywhere.
std::map<std::string, std::string> ReadCorpus(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> corpus;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      corpus[entry.path().string()] = {std::istreambuf_iterator<char>(file),
                                       std::istreambuf_iterator<char>()};
    }
  }
  return corpus;
}

int RunMutated(const std::vector<std::string>& inputs, int seconds, uint32_t seed) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  RandomDice dice(seed);
  int count = 0;
  for (; std::chrono::steady_clock::now() < end; ++count) {
    std::cout << "seed " << seed << ", mutated " << count << std::endl;
    Run(MutateBytes(inputs, dice));
  }
  return count;
}

}  // namespace
}  // namespace slipstream::fuzz

int main(int argc, char** argv) {
  std::vector<std::string> folders;
  int seconds = 0;
  uint32_t seed = std::random_device()();
  slipstream::CommandFlags flags("Runs a fuzzer on a corpus and on inputs that are made from it.");
  flags.Value("folders", &folders, "Folders of the corpus");
  flags.ValueFromZero("--mutate-seconds", &seconds, "How long inputs are made from the corpus");
  flags.ValueFromZero("--seed", &seed, "Seed of what is made; by default another one each time");
  if (const auto status = flags.Parse(argc, argv)) return *status;
  std::vector<std::string> inputs;
  for (const auto& [name, input] : slipstream::fuzz::ReadCorpus(folders)) {
    std::cout << name << std::endl;
    slipstream::fuzz::Run(input);
    inputs.push_back(input);
  }
  if (inputs.empty()) return std::cerr << "no inputs\n", 1;
  const int mutated = slipstream::fuzz::RunMutated(inputs, seconds, seed);
  std::cout << inputs.size() << " inputs, and " << mutated << " made from them\n";
  return 0;
}
