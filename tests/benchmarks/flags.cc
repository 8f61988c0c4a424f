#include "tests/benchmarks/flags.h"

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

struct BenchmarkFlags::Parser {
  explicit Parser(const std::string& description) : app(description) {}

  CLI::App app;
};

BenchmarkFlags::BenchmarkFlags(const std::string& description)
    : parser_(std::make_unique<Parser>(description)) {}

BenchmarkFlags::~BenchmarkFlags() = default;

void BenchmarkFlags::Value(const std::string& name, int* value, const std::string& help) {
  parser_->app.add_option(name, *value, help)->check(kPositive)->capture_default_str();
}

void BenchmarkFlags::Value(const std::string& name, double* value, const std::string& help) {
  parser_->app.add_option(name, *value, help)->check(kPositive)->capture_default_str();
}

void BenchmarkFlags::Value(const std::string& name, std::string* value, const std::string& help) {
  parser_->app.add_option(name, *value, help);
}

void BenchmarkFlags::Value(const std::string& name, std::vector<int>* value,
                           const std::string& help) {
  parser_->app.add_option(name, *value, help)
      ->delimiter(',')
      ->check(kPositive)
      ->capture_default_str();
}

void BenchmarkFlags::Value(const std::string& name, std::vector<std::string>* value,
                           const std::string& help) {
  CLI::Option* const option = parser_->app.add_option(name, *value, help)->delimiter(',');
  if (!value->empty()) option->capture_default_str();
}

void BenchmarkFlags::TurnOn(const std::string& name, bool* value, const std::string& help) {
  parser_->app.add_flag_callback(
      name, [value] { *value = true; }, help);
}

void BenchmarkFlags::TurnOff(const std::string& name, bool* value, const std::string& help) {
  parser_->app.add_flag_callback(
      name, [value] { *value = false; }, help);
}

std::optional<int> BenchmarkFlags::Parse(int argc, char** argv) {
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return parser_->app.exit(error);
  }
  return std::nullopt;
}

}  // namespace slipstream
