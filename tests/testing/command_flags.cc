#include "tests/testing/command_flags.h"

#include <CLI/CLI.hpp>

namespace slipstream {
namespace {

// CLI11's own validator prints the largest double with all of its 300 digits.
const CLI::Validator kPositive(
    [](const std::string& text) {
      double number = 0;
      if (CLI::detail::lexical_cast(text, number) && number > 0) return std::string();
      return "must be a positive number, not " + text;
    },
    "", "positive");

}  // namespace

struct CommandFlags::Parser {
  explicit Parser(const std::string& description) : app(description) {}

  CLI::App app;
};

CommandFlags::CommandFlags(const std::string& description)
    : parser_(std::make_unique<Parser>(description)) {}

CommandFlags::~CommandFlags() = default;

template <typename Number>
void CommandFlags::Value(const std::string& name, Number* value, const std::string& help) {
  parser_->app.add_option(name, *value, help)->check(kPositive)->capture_default_str();
}
template void CommandFlags::Value(const std::string&, int*, const std::string&);
template void CommandFlags::Value(const std::string&, int64_t*, const std::string&);
template void CommandFlags::Value(const std::string&, uint64_t*, const std::string&);
template void CommandFlags::Value(const std::string&, double*, const std::string&);

void CommandFlags::Value(const std::string& name, std::string* value, const std::string& help) {
  CLI::Option* const option = parser_->app.add_option(name, *value, help);
  if (!value->empty()) option->capture_default_str();
}

void CommandFlags::Value(const std::string& name, std::vector<int>* value,
                         const std::string& help) {
  parser_->app.add_option(name, *value, help)
      ->delimiter(',')
      ->check(kPositive)
      ->capture_default_str();
}

void CommandFlags::Value(const std::string& name, std::vector<std::string>* value,
                         const std::string& help) {
  CLI::Option* const option = parser_->app.add_option(name, *value, help)->delimiter(',');
  if (!value->empty()) option->capture_default_str();
}

template <typename Number>
void CommandFlags::ValueFromZero(const std::string& name, Number* value, const std::string& help) {
  parser_->app.add_option(name, *value, help)
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}
template void CommandFlags::ValueFromZero(const std::string&, int*, const std::string&);
template void CommandFlags::ValueFromZero(const std::string&, uint32_t*, const std::string&);
template void CommandFlags::ValueFromZero(const std::string&, uint64_t*, const std::string&);

void CommandFlags::Choice(const std::string& name, std::string* value,
                          const std::vector<std::string>& choices, const std::string& help) {
  parser_->app.add_option(name, *value, help)->check(CLI::IsMember(choices))->capture_default_str();
}

void CommandFlags::TurnOn(const std::string& name, bool* value, const std::string& help) {
  parser_->app.add_flag_callback(
      name, [value] { *value = true; }, help);
}

void CommandFlags::TurnOff(const std::string& name, bool* value, const std::string& help) {
  parser_->app.add_flag_callback(
      name, [value] { *value = false; }, help);
}

std::optional<int> CommandFlags::Parse(int argc, char** argv) {
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parser_->app.exit(error);
  }
  return std::nullopt;
}

}  // namespace slipstream
