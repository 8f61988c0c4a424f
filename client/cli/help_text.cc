#include "client/cli/help_text.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/table.h"

namespace slipstream::cli {
namespace {

constexpr size_t kUsualWidth = 80;
constexpr size_t kNarrowestHelp = 24;
constexpr char kOptionsOfAll[] =
    "Also takes --address, --project, --format, --timeout and the other options of slipstream "
    "--help.";

std::string BrokenLines(const std::string& text, size_t width) {
  return absl::StrJoin(BrokenAtSpaces(text, width), "\n");
}

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(size_t width) : width_(width == kEndless ? kUsualWidth : width) {}

  std::string make_description(const CLI::App* app) const override {
    return absl::StrCat(BrokenLines(app->get_description(), width_), "\n\n");
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_name(), InColumn(command->get_description()),
                             get_column_width());
    return out.str();
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return InColumn(option->get_description());
  }

  std::string make_footer(const CLI::App* app) const override {
    const std::string footer = CLI::Formatter::make_footer(app);
    if (app->get_parent() == nullptr) return footer;
    const std::string options = BrokenLines(kOptionsOfAll, width_);
    return absl::StrCat(footer, footer.empty() ? "" : "\n", options, "\n");
  }

 private:
  // Of the column beside the names.
  std::string InColumn(const std::string& text) const {
    const size_t left = width_ - std::min(width_, get_column_width());
    return BrokenLines(text, std::max(left, kNarrowestHelp));
  }

  size_t width_;
};

}  // namespace

std::shared_ptr<CLI::Formatter> HelpText(size_t width) {
  return std::make_shared<HelpFormatter>(width);
}

}  // namespace slipstream::cli
