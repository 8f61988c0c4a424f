// The command line of a benchmark or of another program beside the tests. Hides CLI11, whose header
// takes the compiler seconds.
#ifndef SLIPSTREAM_TESTS_TESTING_COMMAND_FLAGS_H_
#define SLIPSTREAM_TESTS_TESTING_COMMAND_FLAGS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slipstream {

// Names are those of the command line, such as "--rounds". The variables to set
// must outlive the parsing and hold their defaults before.
class CommandFlags {
 public:
  explicit CommandFlags(const std::string& description);
  ~CommandFlags();

  // Numbers (int, int64_t, uint64_t or double) must be positive; commas separate the members of a
  // list.
  template <typename Number>
  void Value(const std::string& name, Number* value, const std::string& help);
  void Value(const std::string& name, std::string* value, const std::string& help);
  void Value(const std::string& name, std::vector<int>* value, const std::string& help);
  void Value(const std::string& name, std::vector<std::string>* value, const std::string& help);
  // A number (int, uint32_t or uint64_t) that may also be 0.
  template <typename Number>
  void ValueFromZero(const std::string& name, Number* value, const std::string& help);
  // One of `choices`.
  void Choice(const std::string& name, std::string* value, const std::vector<std::string>& choices,
              const std::string& help);
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

#endif  // SLIPSTREAM_TESTS_TESTING_COMMAND_FLAGS_H_
