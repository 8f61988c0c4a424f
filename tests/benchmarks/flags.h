// The command line of a benchmark, in front of CLI11, which costs a compiler
// seconds wherever it is included.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_FLAGS_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_FLAGS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipstream {

// Names are as on the command line, "--rounds". What is told to set outlives
// the parsing and has its default before.
class BenchmarkFlags {
 public:
  explicit BenchmarkFlags(const std::string& description);
  ~BenchmarkFlags();

  // Numbers are positive; a list's members stand between commas.
  void Value(const std::string& name, int* value, const std::string& help);
  void Value(const std::string& name, double* value, const std::string& help);
  void Value(const std::string& name, std::string* value, const std::string& help);
  void Value(const std::string& name, std::vector<int>* value, const std::string& help);
  void Value(const std::string& name, std::vector<std::string>* value, const std::string& help);
  void TurnOn(const std::string& name, bool* value, const std::string& help);
  void TurnOff(const std::string& name, bool* value, const std::string& help);

  // The status to end with where help was asked for or something is wrong,
  // which is printed; nothing otherwise.
  std::optional<int> Parse(int argc, char** argv);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_FLAGS_H_
