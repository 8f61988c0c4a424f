// The command line of a benchmark. Hides CLI11, whose header takes the compiler
// seconds.
#ifndef SLIPSTREAM_TESTS_BENCHMARKS_FLAGS_H_
#define SLIPSTREAM_TESTS_BENCHMARKS_FLAGS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipstream {

// Names are those of the command line, such as "--rounds". The variables to set
// must outlive the parsing and hold their defaults before.
class BenchmarkFlags {
 public:
  explicit BenchmarkFlags(const std::string& description);
  ~BenchmarkFlags();

  // Numbers must be positive; commas separate the members of a list.
  void Value(const std::string& name, int* value, const std::string& help);
  void Value(const std::string& name, double* value, const std::string& help);
  void Value(const std::string& name, std::string* value, const std::string& help);
  void Value(const std::string& name, std::vector<int>* value, const std::string& help);
  void Value(const std::string& name, std::vector<std::string>* value, const std::string& help);
  void TurnOn(const std::string& name, bool* value, const std::string& help);
  void TurnOff(const std::string& name, bool* value, const std::string& help);

  // The exit code if help was requested or something is wrong, after printing it;
  // nullopt otherwise.
  std::optional<int> Parse(int argc, char** argv);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_BENCHMARKS_FLAGS_H_
